//! What an erasure takes, and the account of it.

use domain::{DecisionId, ReceiptId, Timestamp};
use evidence::{Erased, Erasure};
use std::collections::BTreeSet;

/// What replaces a statement's words, once a fact that they told of is erased.
pub(crate) const ERASED_WORDS: &str = "(erased)";

/// What goes besides the facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Also {
    pub decisions: bool,
    pub receipts: bool,
    pub audit: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasureSummary {
    pub facts: usize,
    pub decisions_redacted: u64,
    pub decisions_removed: u64,
    pub receipts_removed: u64,
    /// Entries whose detail was blanked, or that were purged.
    pub audit_entries: u64,
    /// The number of the receipt; `None` when there was nothing to erase.
    pub receipt: Option<ReceiptId>,
    /// Whether the facts are still to be removed from the entity graph, which another receipt will prove.
    pub graph_pending: bool,
}

/// What counts as expired.
#[derive(Debug, Clone, Copy)]
pub struct Expired {
    pub older_than_days: u64,
    pub before: Timestamp,
}

/// Whether one space is meant, or every space of its user.
#[derive(Clone, Copy)]
pub(crate) enum Extent {
    Space,
    User,
}

/// Which rows of a space an erasure is about.
pub(crate) enum Doomed<'a> {
    Subject(&'a str),
    All,
    Before(Timestamp),
}

/// An erasure under way.
pub(crate) struct UnderWay {
    pub done: Erasure,
    /// The decisions from which something was removed.
    pub redacted: BTreeSet<DecisionId>,
    /// The rows of the outbox by which the facts will be removed from the entity graph.
    pub waiting: Vec<i64>,
}

impl UnderWay {
    pub fn new(what: Erased) -> Self {
        let done = Erasure {
            what,
            memory_ids: Vec::new(),
            decisions_redacted: 0,
            decisions_removed: 0,
            receipts_removed: 0,
            audit_blanked: 0,
            graph_pending: false,
        };
        Self { done, redacted: BTreeSet::new(), waiting: Vec::new() }
    }

    pub fn is_nothing(&self) -> bool {
        self.done == Self::new(self.done.what.clone()).done
    }

    pub fn redact(&mut self, decisions: impl IntoIterator<Item = DecisionId>) {
        self.redacted.extend(decisions);
        self.done.decisions_redacted = self.redacted.len() as u64;
    }

    /// Takes note of rows of the outbox by which facts will be removed from the entity graph.
    pub fn wait_for(&mut self, rows: impl IntoIterator<Item = i64>) {
        self.waiting.extend(rows);
        self.done.graph_pending = !self.waiting.is_empty();
    }

    pub fn summed(&self, receipt: Option<ReceiptId>) -> ErasureSummary {
        ErasureSummary {
            facts: self.done.memory_ids.len(),
            decisions_redacted: self.done.decisions_redacted,
            decisions_removed: self.done.decisions_removed,
            receipts_removed: self.done.receipts_removed,
            audit_entries: self.done.audit_blanked,
            receipt,
            graph_pending: self.done.graph_pending,
        }
    }
}
