//! What the service asks of a model.

use domain::{Account, Caller, Fact, FactId, Notice, Timestamp};
use std::time::Instant;

/// Whom a model works for, and until when that is of use.
#[derive(Debug, Clone)]
pub struct Order {
    pub account: Account,
    pub deadline: Instant,
}

impl From<&Caller> for Order {
    fn from(caller: &Caller) -> Self {
        Self { account: caller.account(), deadline: caller.deadline }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// The statement may add, change or end facts.
    Remember,
    /// The statement names what is to be forgotten, and says nothing new.
    Forget,
}

/// A declared slot, as the model needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotHint {
    pub name: String,
    /// Other names for it: a fact under one of these is held under the slot's.
    pub aliases: Vec<String>,
    pub description: String,
    /// The words for whom or what the slot is about; empty where that is not said.
    pub owner: Vec<String>,
    /// Whether the slot holds many values, each a fact of its own.
    pub list: bool,
    /// Whether the value must be exactly as it was said.
    pub verbatim: bool,
}

impl SlotHint {
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// Which facts does this statement hold, and what do they do to those that are known?
#[derive(Debug, Clone, Copy)]
pub struct Extract<'a> {
    pub statement: &'a str,
    /// The source, if the caller named one.
    pub source: Option<&'a str>,
    pub intent: Intent,
    /// The active facts that the statement is most likely about.
    pub held: &'a [&'a Fact],
    pub slots: &'a [SlotHint],
    pub now: Timestamp,
    /// Where to say that a model behind HTTP is asked again.
    pub notice: Option<&'a Notice>,
}

#[derive(Debug, Clone)]
pub struct AnswerFact<'a> {
    pub fact: &'a Fact,
    /// Whether the fact no longer holds, and is given as history.
    pub retired: bool,
    /// The changes to the fact that wait for a person.
    pub changes: Vec<&'a Fact>,
}

/// What an answer rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rests {
    On(FactId),
    /// No fact answers the question.
    OnNone,
    /// Any of the facts: a model behind HTTP does not say which.
    OnAny,
}

/// What do these facts answer to this question?
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    pub question: &'a str,
    /// In order of rank.
    pub facts: &'a [AnswerFact<'a>],
    /// Which of them lead from one to the next, the nearest to the question first; none where only facts were looked
    /// for.
    pub paths: &'a [Vec<FactId>],
    pub now: Timestamp,
    /// Where to say that a model behind HTTP is asked again.
    pub notice: Option<&'a Notice>,
}

/// How hard to try for a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// One attempt with a short timeout: somebody waits, and ranking by words will do.
    Once,
    /// With retries, for work in the background.
    Patient,
}
