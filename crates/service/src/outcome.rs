//! How a tool ends, before the gate has turned it into a reply.

use crate::quota::OverQuota;
use domain::Fault;
use model::ModelError;
use recall::CriticalOverflow;
use store::{Record, StoreError};

/// A tool that did its work, with what it replies.
pub(crate) enum Done<R> {
    /// Nothing was changed; the gate writes this entry to the audit log before it replies.
    Read { reply: R, record: Record },
    /// The change and its audit entry are committed.
    Committed(R),
    /// The audit log is broken, or the database takes nothing. That is told even where the entry of this call is not taken.
    Alarm { reply: R, record: Record },
}

impl<R> Done<R> {
    pub fn read(reply: R, detail: impl Into<String>) -> Self {
        Self::Read { reply, record: Record::done(detail) }
    }

    pub fn map<S>(self, change: impl FnOnce(R) -> S) -> Done<S> {
        match self {
            Self::Read { reply, record } => Done::Read { reply: change(reply), record },
            Self::Committed(reply) => Done::Committed(change(reply)),
            Self::Alarm { reply, record } => Done::Alarm { reply: change(reply), record },
        }
    }
}

/// A tool that stopped before it had changed anything.
pub(crate) enum Stop {
    /// The caller may not do this: `text` follows `Access denied: `.
    Denied { text: String },
    /// An argument makes no sense; the text names it.
    Refused { text: String },
    /// The caller, or its tenant, has used a quota up.
    OverQuota(OverQuota),
    /// The deployment lacks a setting.
    Config { text: String },
    /// Anything else: the caller gets a reference number, the log the detail.
    Fault(Fault),
}

impl Stop {
    pub fn denied(text: impl Into<String>) -> Self {
        Self::Denied { text: text.into() }
    }

    pub fn refused(text: impl Into<String>) -> Self {
        Self::Refused { text: text.into() }
    }
}

impl From<OverQuota> for Stop {
    fn from(over: OverQuota) -> Self {
        Self::OverQuota(over)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::OverQuota(over) => Self::OverQuota(over.into()),
            StoreError::KeyEnded => Self::denied(
                "this API key was revoked, has expired or was replaced while the call was under way, so nothing was \
                 changed. Send a key that is valid.",
            ),
            StoreError::KeyNarrowed => Self::denied(
                "what this API key may do was changed while the call was under way, so nothing was changed. Make the \
                 call again.",
            ),
            other => Self::Fault(other.into()),
        }
    }
}

impl From<CriticalOverflow> for Stop {
    fn from(error: CriticalOverflow) -> Self {
        Self::Fault(error.into())
    }
}

impl From<ModelError> for Stop {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::MissingKey { variable } => Self::Config {
                text: format!(
                    "missing '{variable}'. Set {variable} in the environment of this service and start it again, \
                     or choose another provider with LLM_PROVIDER (anthropic, openai, groq)."
                ),
            },
            other => Self::Fault(other.into()),
        }
    }
}
