//! What an agent stored of a conversation, and what is asked of it later.

use crate::eval::folder::{File, Folder};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug)]
pub struct Conversation {
    pub name: String,
    pub calls: Vec<Call>,
    pub questions: Vec<Question>,
}

/// A call as the agent made it.
#[derive(Debug, Clone, Deserialize)]
pub struct Call {
    pub tool: String,
    /// Of `forget`: the subject that it is to end.
    #[serde(default)]
    pub subject: Option<String>,
    #[serde(flatten)]
    pub arguments: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Natural,
    /// About what was never said.
    Never,
    /// True of somebody else.
    Other,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub question: String,
    pub kind: Kind,
    /// What the value of a fact that answers it contains, any of them.
    pub answer: Vec<String>,
    /// The subjects of facts that answer it, any of them.
    pub subjects: Vec<String>,
}

impl Question {
    pub fn is_answered_by(&self, subject: &str, value: &str) -> bool {
        let value = value.to_lowercase();
        self.subjects.iter().any(|wanted| wanted == subject)
            || self.answer.iter().any(|answer| value.contains(&answer.to_lowercase()))
    }
}

impl Conversation {
    pub fn read(folder: &Folder) -> Result<Vec<Self>, String> {
        let files = folder.files("agent", "jsonl")?;
        let mut found = Vec::new();
        for file in &files {
            let stem = file.stem();
            let Some(name) = stem.strip_suffix(".calls") else { continue };
            let asked = format!("{name}.questions");
            let questions = files.iter().find(|other| other.stem() == asked);
            let questions = questions.ok_or_else(|| format!("{asked}.jsonl is missing"))?;
            let (calls, questions) = (lines(file)?, lines(questions)?);
            found.push(Self { name: name.to_owned(), calls, questions });
        }
        Ok(found)
    }
}

fn lines<T: for<'de> Deserialize<'de>>(file: &File) -> Result<Vec<T>, String> {
    let read = |line| serde_json::from_str(line).map_err(|error| format!("{}: {error}", file.path.display()));
    file.text.lines().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::{Conversation, Kind};
    use crate::eval::folder::Folder;

    #[test]
    fn the_conversations_can_be_read_and_ask_for_what_was_stored() {
        let all = Conversation::read(&Folder::of_the_repository()).unwrap();
        assert!(all.len() >= 6, "{}", all.len());
        for conversation in &all {
            let of = |kind| conversation.questions.iter().filter(|question| question.kind == kind).count();
            assert_eq!(
                (of(Kind::Natural), of(Kind::Never), of(Kind::Other)),
                (30, 10, 8),
                "{}",
                conversation.name
            );
            assert!(conversation.calls.iter().filter(|call| call.subject.is_some()).count() >= 3);
        }
    }
}
