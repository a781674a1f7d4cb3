//! What the words of a statement say of one of its facts. The rules read no language: this is all that they learn of the
//! words.

use crate::{FactId, RawFact};
use std::collections::BTreeSet;

/// Why words do not assert something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    Hedged,
    Asked,
    Supposed,
    Mocked,
    Planned,
}

impl Doubt {
    /// The reason, as replies word it.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Hedged => "it is said with a doubt",
            Self::Asked => "it is asked, not said",
            Self::Supposed => "it is supposed, not said to be so",
            Self::Mocked => "it does not seem to be meant",
            Self::Planned => "it is planned, not done",
        }
    }
}

/// How the words name the held fact that a proposal would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The fact's subject when the words were looked at.
    pub subject: String,
    /// The words contain its value or, for an item of a list, what the item is about; being listed together with the
    /// new value is not enough.
    pub by_value: bool,
    /// The words contain a word of its subject that no other subject of the same form has.
    pub by_subject: bool,
}

/// What the words say of one fact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wording {
    pub doubt: Option<Doubt>,
    /// The words say that the value no longer holds.
    pub removal: bool,
    /// The words deny the value.
    pub denied: bool,
    /// Who or what else the words give the value of a declared slot to.
    pub owner: Option<String>,
    /// `None` where the proposal aims at nothing that is held.
    pub target: Option<Named>,
    /// Held facts of the proposal's own subject that the words do not name, and that it must therefore not change.
    pub unnamed: BTreeSet<FactId>,
}

/// A fact that was proposed, with what the statement's words say of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposed {
    pub fact: RawFact,
    pub wording: Wording,
}

/// For a fact whose statement says nothing more about it.
impl From<RawFact> for Proposed {
    fn from(fact: RawFact) -> Self {
        Self { fact, wording: Wording::default() }
    }
}
