//! Where and why a log fails.

/// The first entry at which the log is not what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub seq: u64,
    /// Without a closing full stop.
    pub reason: String,
}

impl Broken {
    pub(super) fn at(seq: u64, reason: impl Into<String>) -> Self {
        Self { seq, reason: reason.into() }
    }
}
