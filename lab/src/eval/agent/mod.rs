//! The life of an agent's memory: it brings its facts, and asks for them at once, in another process that was started for
//! the question, and a second time; beside plain BM25 in the same run.

mod conversation;
mod memory;
mod report;

pub use conversation::Conversation;
pub use report::Report;

use super::bench::{Bench, Setup};
use super::bm25::Bm25;
use crate::error::LabError;
use conversation::{Kind, Question};
use memory::{Held, Memory, Process};
use model::is_ignorance;
use serde_json::Map;
use tempfile::TempDir;

/// As many facts as are looked at for an answer.
const DEPTHS: [usize; 3] = [5, 10, 40];

/// What came of one conversation, at once and in processes of its own.
#[derive(Debug)]
pub struct Outcome {
    name: String,
    at_once: Vec<Asked>,
    later: Vec<Asked>,
    /// What each `forget` came to.
    forgotten: Vec<Forgotten>,
}

/// What `forget` did with the subject that the agent meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forgotten {
    Ended,
    /// Named with its number among those that may be meant.
    Offered,
    Missed,
    /// Another subject was ended.
    Wrong,
}

impl Forgotten {
    fn of(reply: &str, subject: &str) -> Self {
        let named = format!("{subject} = ");
        match (reply.starts_with("Nothing matching"), reply.contains(&named)) {
            (true, true) => Self::Offered,
            (true, false) => Self::Missed,
            (false, true) => Self::Ended,
            (false, false) => Self::Wrong,
        }
    }
}

/// What came of one question.
#[derive(Debug)]
struct Asked {
    question: String,
    /// `None` where it is the exact subject of a fact.
    kind: Option<Kind>,
    /// The place of the first right fact in the list, and in that of BM25.
    place: Option<usize>,
    bm25: Option<usize>,
    /// Whether asking again gave the same list, to the letter.
    is_same: bool,
    /// Subjects and values of the list.
    list: Vec<(String, String)>,
    /// The first line of the answer, where it asserts something.
    asserted: Option<String>,
}

impl Outcome {
    /// For the line that says how far it has come.
    pub fn summary(&self) -> String {
        format!("{}: {} questions asked", self.name, self.at_once.len() + self.later.len())
    }
}

pub async fn run(bench: &mut Bench, conversation: &Conversation) -> Result<Outcome, LabError> {
    let setup = Setup { context: DEPTHS.last().copied(), ..Setup::default() };
    let own = bench.memory(setup, &conversation.name).await?;
    let mut memory = Memory::InProcess(&own);
    let forgotten = tell(&mut memory, conversation).await?;
    let at_once = ask(&mut memory, conversation).await?;

    let folder = TempDir::new()?;
    let mut teller = Memory::OfItsOwn(Box::new(Process::start(bench, folder.path())?));
    tell(&mut teller, conversation).await?;
    end(teller)?;
    let mut asker = Memory::OfItsOwn(Box::new(Process::start(bench, folder.path())?));
    let later = ask(&mut asker, conversation).await?;
    end(asker)?;
    Ok(Outcome { name: conversation.name.clone(), at_once, later, forgotten })
}

fn end(memory: Memory<'_>) -> Result<(), LabError> {
    match memory {
        Memory::InProcess(_) => Ok(()),
        Memory::OfItsOwn(process) => process.end(),
    }
}

async fn tell(memory: &mut Memory<'_>, conversation: &Conversation) -> Result<Vec<Forgotten>, LabError> {
    let mut forgotten = Vec::new();
    for call in &conversation.calls {
        let reply = memory.call(&call.tool, call.arguments.clone()).await?;
        forgotten.extend(call.subject.as_deref().map(|subject| Forgotten::of(&reply, subject)));
    }
    Ok(forgotten)
}

async fn ask(memory: &mut Memory<'_>, conversation: &Conversation) -> Result<Vec<Asked>, LabError> {
    let held = memory.current().await?;
    let texts: Vec<String> =
        held.iter().map(|held| format!("{0} {0} {1} {2}", held.subject, held.value, held.text)).collect();
    let baseline = Bm25::new(&texts);
    let mut asked = Vec::new();
    for fact in &held {
        let question = format!("What is {}?", fact.subject);
        let is_right = |other: &Held| other.subject == fact.subject;
        asked.push(ask_one(memory, &held, &baseline, &question, None, is_right).await?);
    }
    for question in &conversation.questions {
        let Question { question: text, kind, .. } = question;
        let is_right = |fact: &Held| question.is_answered_by(&fact.subject, &fact.value);
        asked.push(ask_one(memory, &held, &baseline, text, Some(*kind), is_right).await?);
    }
    Ok(asked)
}

async fn ask_one(
    memory: &mut Memory<'_>,
    held: &[Held],
    baseline: &Bm25,
    question: &str,
    kind: Option<Kind>,
    is_right: impl Fn(&Held) -> bool,
) -> Result<Asked, LabError> {
    let recall =
        Map::from_iter([("question".to_owned(), question.into()), ("explain".to_owned(), true.into())]);
    let answer = memory.call("recall", recall.clone()).await?;
    let is_same = memory.call("recall", recall).await? == answer;
    let list: Vec<&Held> = listed(&answer, held).collect();
    let by_words = baseline.search(question, held.len());
    let first = answer.lines().next().unwrap_or_default();
    Ok(Asked {
        question: question.to_owned(),
        kind,
        place: list.iter().position(|fact| is_right(fact)),
        bm25: by_words.iter().position(|at| held.get(*at).is_some_and(&is_right)),
        is_same,
        list: list.iter().map(|fact| (fact.subject.clone(), fact.value.clone())).collect(),
        asserted: (!is_ignorance(first)).then(|| first.to_owned()),
    })
}

/// The facts behind an answer, in the order in which they are shown.
fn listed<'a>(answer: &str, held: &'a [Held]) -> impl Iterator<Item = &'a Held> {
    let number = |line: &str| line.trim_start().strip_prefix("• #")?.split(' ').next()?.parse::<i64>().ok();
    let numbers: Vec<i64> = answer.lines().filter_map(number).collect();
    numbers.into_iter().filter_map(|number| held.iter().find(|held| held.id.0 == number))
}
