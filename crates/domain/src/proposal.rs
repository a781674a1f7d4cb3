//! A fact as a model, or the caller, says it, before any rule has looked at it.

use crate::when::When;

/// One fact as it was written. A field that was missing or of the wrong type is `None`; nothing here is
/// checked, and nothing here may be trusted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawFact {
    pub subject: Option<String>,
    pub value: Option<String>,
    pub kind: Option<String>,
    pub scope: Option<String>,
    pub head: Option<String>,
    pub relation: Option<String>,
    pub tail: Option<String>,
    pub time_ref: Option<String>,
    pub action: Option<String>,
    pub confidence: Option<f64>,
    pub reason: Option<String>,
    pub target_id: Option<i64>,
    /// Whether the subject holds several values. Only a caller says so, and gives dates.
    pub list: bool,
    pub valid_from: Option<When>,
    pub valid_until: Option<When>,
}

/// Who made facts of a statement's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposer {
    Model,
    /// Whoever brought the facts with the words. They have read the conversation, and answer for it with their key.
    Caller,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeRef {
    Current,
    Past,
    Future,
    Unknown,
}
