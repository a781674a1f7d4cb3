//! A failure of which the caller is told only a reference number.

use std::fmt;

/// Both halves are for the log. `kind` may also be shown by `health`; `detail` never leaves the log, and never
/// holds memory content, a prompt or a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// One word that names the failure, such as `CriticalOverflow`.
    pub kind: &'static str,
    pub detail: String,
}

impl Fault {
    pub fn new(kind: &'static str, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

impl std::error::Error for Fault {}
