//! What a model says of a statement, before any rule has looked at it.

/// One fact as the model wrote it. A field that was missing or of the wrong type is `None`; nothing here is
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeRef {
    Current,
    Past,
    Future,
    Unknown,
}
