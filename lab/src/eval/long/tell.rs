//! Tells a conversation to the memory turn by turn, and looks after each at what it left and what it took away.

use super::conversation::{Conversation, Turn};
use crate::error::LabError;
use crate::eval::bench::{Memory, failure};
use crate::eval::cost::{Clock, Cost};
use crate::eval::exported_fact::ExportedFact;
use crate::eval::words::words;
use domain::FactId;
use serde_json::json;
use std::collections::BTreeMap;

type Facts = BTreeMap<FactId, ExportedFact>;

/// What one turn did.
#[derive(Debug)]
pub struct Told {
    pub turn: String,
    pub line: String,
    pub tells: bool,
    /// Whether a fact of this turn was active right after it.
    pub kept: bool,
    /// The same at the end; `None` where a later turn changes what this one told.
    pub kept_to_the_end: Option<bool>,
    /// Facts of other turns that it took away or put another value on, though it does not change what they told.
    pub wronged: Vec<Wronged>,
    /// For each turn that it changes, whether a fact of that turn gave way or was flagged.
    pub changes: Vec<Change>,
    pub flagged: bool,
    pub cost: Cost,
    /// What was said when the model could not serve the call.
    pub failure: Option<String>,
}

#[derive(Debug)]
pub struct Wronged {
    pub fact: String,
    /// The statement that it was taken from.
    pub line: String,
}

#[derive(Debug)]
pub struct Change {
    pub of: String,
    pub done: bool,
}

/// Everything that was told, and the facts at the end.
pub async fn tell(memory: &Memory, conversation: &Conversation) -> Result<(Vec<Told>, Facts), LabError> {
    let lines: BTreeMap<&str, String> =
        conversation.turns().map(|turn| (turn.id.as_str(), turn.line())).collect();
    let mut all = Vec::new();
    let mut before = Facts::new();
    for (now, turn) in conversation.timed() {
        let line = turn.line();
        let clock = Clock::start();
        let reply = memory.call_at(now, "remember", json!({ "text": line })).await?;
        let cost = clock.stop();
        let after: Facts = memory.held().await?.into_iter().map(|fact| (fact.id, fact)).collect();
        let step = Step { turn, before: &before, after: &after, lines: &lines };
        all.push(Told {
            turn: turn.id.clone(),
            tells: turn.tells,
            kept: holds(&after, &line),
            kept_to_the_end: None,
            wronged: step.wronged(&line),
            changes: step.changes(),
            flagged: step.flags().next().is_some(),
            cost,
            failure: failure(&reply),
            line,
        });
        before = after;
    }
    let is_changed = |id: &String| conversation.turns().any(|turn| turn.changes.contains(id));
    for told in all.iter_mut().filter(|told| !is_changed(&told.turn)) {
        told.kept_to_the_end = Some(holds(&before, &told.line));
    }
    Ok((all, before))
}

fn holds(facts: &Facts, line: &str) -> bool {
    facts.values().any(|fact| fact.is_active() && fact.text == line)
}

/// The memory before and after a turn.
struct Step<'a> {
    turn: &'a Turn,
    before: &'a Facts,
    after: &'a Facts,
    lines: &'a BTreeMap<&'a str, String>,
}

impl Step<'_> {
    /// The facts that no longer say what they said. More words on the same fact take nothing away.
    fn given_way(&self) -> impl Iterator<Item = &ExportedFact> {
        self.before.values().filter(|fact| fact.is_active()).filter(|fact| {
            let still = self.after.get(&fact.id).filter(|now| now.is_active());
            !still.is_some_and(|now| now.value == fact.value || says_as_much(&now.value, &fact.value))
        })
    }

    fn flags(&self) -> impl Iterator<Item = &ExportedFact> {
        let is_new = |fact: &&ExportedFact| !self.before.get(&fact.id).is_some_and(ExportedFact::is_flagged);
        self.after.values().filter(|fact| fact.is_flagged()).filter(is_new)
    }

    fn changed_lines(&self) -> Vec<&str> {
        self.turn.changes.iter().filter_map(|id| self.lines.get(id.as_str())).map(String::as_str).collect()
    }

    fn wronged(&self, line: &str) -> Vec<Wronged> {
        let meant = self.changed_lines();
        self.given_way()
            .filter(|fact| fact.text != line && !meant.contains(&fact.text.as_str()))
            .map(|fact| Wronged {
                fact: format!("#{} {} = {}", fact.id, fact.subject, fact.value),
                line: fact.text.clone(),
            })
            .collect()
    }

    fn changes(&self) -> Vec<Change> {
        let disputed = |id: FactId| self.flags().any(|flag| flag.disputes() == Some(id));
        let done = |line: &String| {
            self.given_way().any(|fact| fact.text == *line)
                || self.before.values().any(|f| f.is_active() && f.text == *line && disputed(f.id))
        };
        let change =
            |of: &String| Change { of: of.clone(), done: self.lines.get(of.as_str()).is_some_and(done) };
        self.turn.changes.iter().map(change).collect()
    }
}

/// Whether the new value contains every word of the old one.
fn says_as_much(new: &str, old: &str) -> bool {
    let new = words(new);
    words(old).iter().all(|word| new.contains(word))
}
