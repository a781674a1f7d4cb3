//! What an erasure takes, and the account of it.

use domain::{Fact, Space, Timestamp};
use evidence::{Erased as What, Erasure};
use std::collections::BTreeSet;

/// What stands where a statement's words were, once a fact that they told of is erased.
pub(crate) const ERASED_WORDS: &str = "(erased)";

/// What goes besides the facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Also {
    pub decisions: bool,
    pub receipts: bool,
    pub audit: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erased {
    pub facts: usize,
    pub decisions_redacted: u64,
    pub decisions_removed: u64,
    pub receipts_removed: u64,
    /// Entries whose detail was blanked, or that were purged.
    pub audit_entries: u64,
    /// The number of the receipt; `None` when there was nothing to erase.
    pub receipt: Option<i64>,
}

/// What counts as expired.
#[derive(Debug, Clone, Copy)]
pub struct Expired {
    pub older_than_days: u64,
    pub before: Timestamp,
}

impl Expired {
    /// What a receipt says of it, with every space that was looked through.
    pub(crate) fn in_spaces(self, reached: &[(i64, Space)]) -> What {
        let spaces = reached.iter().map(|(_, space)| space.clone()).collect();
        What::OlderThanDays { days: self.older_than_days, spaces }
    }
}

/// Whether one space is meant, or every space of its user.
#[derive(Clone, Copy)]
pub(crate) enum Reach {
    Space,
    User,
}

/// Which rows of a space an erasure is about.
pub(crate) enum Rows<'a> {
    Subject(&'a str),
    All,
    Before(Timestamp),
}

impl Rows<'_> {
    /// Leaves those of the facts that go.
    pub fn retain_doomed(&self, facts: &mut Vec<Fact>) {
        if let Rows::Before(cutoff) = self {
            facts.retain(|fact| fact.created < *cutoff);
        }
    }
}

/// An erasure under way.
pub(crate) struct Work {
    pub done: Erasure,
    /// The decisions from which something was removed.
    pub redacted: BTreeSet<i64>,
}

impl Work {
    pub fn new(what: What) -> Self {
        let done = Erasure {
            what,
            memory_ids: Vec::new(),
            decisions_redacted: 0,
            decisions_removed: 0,
            receipts_removed: 0,
            audit_blanked: 0,
        };
        Self { done, redacted: BTreeSet::new() }
    }

    pub fn is_nothing(&self) -> bool {
        self.done == Self::new(self.done.what.clone()).done
    }

    pub fn redact(&mut self, decisions: impl IntoIterator<Item = i64>) {
        self.redacted.extend(decisions);
        self.done.decisions_redacted = self.redacted.len() as u64;
    }

    pub fn summed(&self, receipt: Option<i64>) -> Erased {
        Erased {
            facts: self.done.memory_ids.len(),
            decisions_redacted: self.done.decisions_redacted,
            decisions_removed: self.done.decisions_removed,
            receipts_removed: self.done.receipts_removed,
            audit_entries: self.done.audit_blanked,
            receipt,
        }
    }
}
