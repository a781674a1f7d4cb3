//! What a tool call leaves behind besides its work: one audit entry, and its counts.

use domain::{Action, Caller, Identity, Space, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The action of an entry of rows that were changed between the entries of calls: the pieces of a large erasure.
const BETWEEN_CALLS: &str = "rows_changed";

/// A tool call under way.
#[derive(Debug, Clone)]
pub struct Call {
    pub caller: Caller,
    pub tool: &'static str,
    /// The space that the tool works on, for tools that name one.
    pub space: Option<Space>,
    pub started: Instant,
    /// Set once the call's audit entry is written, so that a call that is given up is recorded once and not twice.
    recorded: Arc<AtomicBool>,
}

impl Call {
    pub fn new(caller: Caller, tool: &'static str, space: Option<Space>) -> Self {
        Self { caller, tool, space, started: Instant::now(), recorded: Arc::default() }
    }

    /// What stands for a call where rows were changed and none is recorded with them.
    pub(crate) fn between_calls() -> Self {
        let now = Timestamp::now();
        let caller = Caller::new(Identity::Service, BETWEEN_CALLS.to_owned(), now, Instant::now());
        Self::new(caller, BETWEEN_CALLS, None)
    }

    pub(crate) fn is_recorded(&self) -> bool {
        self.recorded.load(Ordering::Acquire)
    }

    /// Marks the call as recorded; whether it was not before. Of two entries that ask at once, one is told so.
    pub(crate) fn claim_record(&self) -> bool {
        !self.recorded.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn set_recorded(&self) {
        self.recorded.store(true, Ordering::Release);
    }

    /// The mark that [`Self::set_recorded`] sets, to be taken back where the entry is not kept after all.
    pub(crate) fn recorded_mark(&self) -> Arc<AtomicBool> {
        self.recorded.clone()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Done,
    Failed,
    Denied,
}

/// How the call ended, in the words of the audit log.
#[derive(Debug, Clone)]
pub struct Record {
    pub ending: Ending,
    pub detail: String,
    /// What was done to facts, for the counters.
    pub actions: Vec<Action>,
    /// The call ended the key that it was made with, or changed what that may do. That is not held against it.
    pub(crate) changes_own_key: bool,
}

impl Record {
    pub fn done(detail: impl Into<String>) -> Self {
        Self::new(Ending::Done, detail.into())
    }

    pub fn failed(detail: impl Into<String>) -> Self {
        Self::new(Ending::Failed, detail.into())
    }

    pub fn denied(detail: impl Into<String>) -> Self {
        Self::new(Ending::Denied, detail.into())
    }

    const fn new(ending: Ending, detail: String) -> Self {
        Self { ending, detail, actions: Vec::new(), changes_own_key: false }
    }

    pub fn with_actions(mut self, actions: impl IntoIterator<Item = Action>) -> Self {
        self.actions.extend(actions);
        self
    }
}
