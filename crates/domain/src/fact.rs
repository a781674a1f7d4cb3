//! A fact and the words for what can happen to it.

use crate::ids::FactId;
use crate::times::Times;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What the caller attached to a statement; `category` decides whether a fact is critical.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Status {
    Active,
    Superseded,
    Historical,
    FlaggedConflict,
}

impl Status {
    /// What counts now, or waits for a decision.
    pub const STANDING: [Self; 2] = [Self::Active, Self::FlaggedConflict];
    /// What no longer counts and is kept as history.
    pub const RETIRED: [Self; 2] = [Self::Superseded, Self::Historical];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Superseded => "SUPERSEDED",
            Self::Historical => "HISTORICAL",
            Self::FlaggedConflict => "FLAGGED_CONFLICT",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a statement did to the memory, as the reply says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Action {
    Add,
    Supersede,
    Dedup,
    Refine,
    Coexist,
    Flag,
    Archive,
    Retract,
    Skip,
}

impl Action {
    pub const ALL: [Self; 9] = [
        Self::Add,
        Self::Supersede,
        Self::Dedup,
        Self::Refine,
        Self::Coexist,
        Self::Flag,
        Self::Archive,
        Self::Retract,
        Self::Skip,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Supersede => "SUPERSEDE",
            Self::Dedup => "DEDUP",
            Self::Refine => "REFINE",
            Self::Coexist => "COEXIST",
            Self::Flag => "FLAG",
            Self::Archive => "ARCHIVE",
            Self::Retract => "RETRACT",
            Self::Skip => "SKIP",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.word().eq_ignore_ascii_case(word.trim()))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A state has one current value; any number of events can be current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactKind {
    State,
    Event,
}

impl FactKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Event => "event",
        }
    }
}

/// The fact as a relation between two things, for the entity graph.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triple {
    pub head: String,
    pub relation: String,
    pub tail: String,
}

/// The key of a fact's metadata that names who rejected it.
pub const REJECTED_BY: &str = "rejected_by";

/// The change that a flagged fact asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// ADD, SUPERSEDE, COEXIST, REFINE or RETRACT: what confirming applies.
    pub action: Action,
    /// The active fact that it would change.
    pub target: Option<FactId>,
    /// The target's value when the change was proposed. A refinement keeps the id, so the id alone does not show
    /// whether the target has changed since.
    pub target_value: Option<String>,
    /// Whether the slot is confirm-gated. Such a change becomes stale when its target has gone or has another value or,
    /// if it has no target, when another fact has taken the slot.
    pub gated: bool,
}

/// A value that a refinement replaced in place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    pub value: String,
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    pub id: FactId,
    pub subject: String,
    pub value: String,
    pub scope: String,
    pub kind: FactKind,
    pub status: Status,
    /// From 0 to 1.
    pub confidence: f64,
    pub source: Option<String>,
    /// Whether the slot holds a list, in which case `value` is one item of it.
    pub list_item: bool,
    pub supersedes: Option<FactId>,
    pub metadata: Metadata,
    pub triple: Triple,
    /// The words that the fact was taken from, shared with the other facts of the same statement.
    #[serde(with = "shared_text")]
    pub text: Arc<str>,
    pub pending: Option<Pending>,
    pub earlier: Vec<Earlier>,
    /// When it was said, and when it holds.
    #[serde(default, skip_serializing_if = "Times::is_empty")]
    pub times: Times,
    /// When the row was stored.
    pub created: Timestamp,
    /// When the row last changed, by a new status or a refinement.
    pub changed: Timestamp,
}

impl Fact {
    /// The caller's category, which decides whether the fact is critical.
    pub fn category(&self) -> Option<&str> {
        self.metadata.get("category").and_then(serde_json::Value::as_str)
    }
}

/// A text that several facts share is written with each of them, and read as a text of its own.
mod shared_text {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::sync::Arc;

    pub fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(from).map(Arc::from)
    }
}
