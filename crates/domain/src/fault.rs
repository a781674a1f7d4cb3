//! A failure of which the caller is told a reference number, and what to do next.

use std::borrow::Cow;
use std::fmt;

/// `kind` and `detail` are for the log. `kind` may also be shown by `health`; `detail` never leaves the log, and never
/// holds memory content, a prompt or a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// One word that names the failure, such as `CriticalOverflow`.
    pub kind: &'static str,
    pub detail: String,
    /// For the caller: whether anything was changed, and whether to try again.
    pub advice: Cow<'static, str>,
}

impl Fault {
    pub fn new(kind: &'static str, detail: impl Into<String>) -> Self {
        let advice =
            "The server's log says why under that ref; nothing was changed, so the call can be tried again.";
        Self { kind, detail: detail.into(), advice: advice.into() }
    }

    pub fn advising(self, advice: impl Into<Cow<'static, str>>) -> Self {
        Self { advice: advice.into(), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

impl std::error::Error for Fault {}
