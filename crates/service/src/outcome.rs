//! How a tool ends, before the gate has turned it into a reply.

use domain::{FactId, Fault};
use model::ModelError;
use recall::CriticalOverflow;
use reconcile::Outcome;
use store::{Record, StoreError};

/// What the caller reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
    /// Only a call that could not be understood is an error of the protocol; denials and failures are ordinary text.
    pub is_error: bool,
    /// Whether the tool did its work; where it did not, the text says why.
    pub is_done: bool,
    /// What became of each fact of a statement.
    pub outcomes: Vec<Outcome>,
    /// Changes to guarded slots that this call left waiting and that its caller may approve.
    pub proposals: Vec<Proposal>,
}

/// A change that waits for the word of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub memory_id: FactId,
    /// What to ask that person.
    pub question: String,
}

impl Reply {
    pub(crate) fn done(text: String) -> Self {
        Self { text, is_error: false, is_done: true, outcomes: Vec::new(), proposals: Vec::new() }
    }

    pub(crate) fn failed(text: String) -> Self {
        Self { is_done: false, ..Self::done(text) }
    }

    pub(crate) fn refused(text: String) -> Self {
        Self { is_error: true, ..Self::failed(text) }
    }
}

/// A tool that did its work.
pub(crate) enum Done {
    /// Nothing was changed; the gate writes this entry to the audit log before it replies.
    Read { text: String, record: Record },
    /// The change and its audit entry are committed.
    Committed { text: String },
    /// The audit log is broken. That is told even where the log is too broken to take the entry of this call.
    Alarm { text: String, record: Record },
    /// A statement was reconciled: committed with its audit entry, unless a `record` is still to be written.
    Reconciled { text: String, outcomes: Vec<Outcome>, proposals: Vec<Proposal>, record: Option<Record> },
}

impl Done {
    pub fn read(text: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Read { text: text.into(), record: Record::done(detail) }
    }
}

/// A tool that stopped before it had changed anything.
pub(crate) enum Stop {
    /// The caller may not do this: `text` follows `Access denied: `.
    Denied { text: String },
    /// An argument makes no sense; the text names it.
    Refused { text: String },
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

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
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
