//! Long conversations: what stays of them, what is found again, and what one turn takes from another.

mod ask;
mod conversation;
mod report;
mod tell;

pub use conversation::Conversation;
pub use report::Report;

use super::bench::{Bench, Setup};
use super::folder::{File, Folder};
use crate::error::LabError;
use std::path::PathBuf;

/// What came of one conversation.
#[derive(Debug)]
pub struct Outcome {
    id: String,
    genre: String,
    told: Vec<tell::Told>,
    asked: Vec<ask::Asked>,
}

impl Outcome {
    /// For the line that says how far it has come.
    pub fn summary(&self) -> String {
        format!("{}: {} turns told, {} questions asked", self.id, self.told.len(), self.asked.len())
    }
}

/// Those in the folder, or in these files.
pub fn conversations(folder: &Folder, files: &[PathBuf]) -> Result<Vec<Conversation>, String> {
    let files = match files {
        [] => folder.files("long", "json")?,
        named => named.iter().cloned().map(File::read).collect::<Result<_, _>>()?,
    };
    let parse = |file: &File| {
        Conversation::parse(&file.text).map_err(|error| format!("{}: {error}", file.path.display()))
    };
    files.iter().map(parse).collect()
}

/// In a space of its own.
pub async fn run(bench: &mut Bench, conversation: &Conversation) -> Result<Outcome, LabError> {
    let mut memories = Vec::new();
    for depth in ask::DEPTHS {
        let setup = Setup { context: Some(depth), ..Setup::default() };
        memories.push(bench.memory(setup, &conversation.id).await?);
    }
    let Some(memory) = memories.last() else { return Err(LabError::Refused("no depth".to_owned())) };
    let (told, facts) = tell::tell(memory, conversation).await?;
    let asked = ask::ask(&memories, conversation, &facts).await?;
    Ok(Outcome { id: conversation.id.clone(), genre: conversation.genre.clone(), told, asked })
}

#[cfg(test)]
mod tests {
    use super::conversations;
    use crate::eval::folder::Folder;

    #[test]
    fn the_conversations_can_be_read_and_are_long_and_many() {
        let all = conversations(&Folder::of_the_repository(), &[]).unwrap();
        assert!(all.len() >= 10, "{}", all.len());
        assert!(all.iter().map(|c| c.questions.len()).sum::<usize>() >= 300);
        for conversation in &all {
            let (turns, changes) =
                (conversation.turns(), conversation.turns().filter(|t| !t.changes.is_empty()));
            assert!(turns.count() >= 200 && changes.count() >= 10, "{}", conversation.id);
        }
    }
}
