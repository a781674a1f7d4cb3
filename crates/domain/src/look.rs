//! What the words of a statement say of one of its facts, found by looking at them a second time. The rules read no
//! language: this is all that they learn of the words.

use crate::RawFact;

/// Why words do not say that something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    Hedged,
    Asked,
    Supposed,
    Mocked,
    Planned,
}

impl Doubt {
    /// As a reply gives the reason.
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

/// The held fact that a proposal aims at, as far as the words name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The fact's subject when the words were looked at.
    pub subject: String,
    /// Its value, or for an item of a list what it is about, stands in the words, and not merely in one list with the
    /// new value.
    pub by_value: bool,
    /// A word of its subject stands there that no other subject of the same form has.
    pub by_subject: bool,
}

/// What the words say of one fact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    pub doubt: Option<Doubt>,
    /// That the value itself has gone.
    pub removal: bool,
    /// `None` where nothing is aimed at, or where nothing that is held.
    pub target: Option<Named>,
}

/// A fact that was proposed, with what the statement's words say of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposed {
    pub fact: RawFact,
    pub look: Look,
}

/// Words that say nothing beside the fact.
impl From<RawFact> for Proposed {
    fn from(fact: RawFact) -> Self {
        Self { fact, look: Look::default() }
    }
}
