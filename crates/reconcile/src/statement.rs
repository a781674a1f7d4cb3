//! What was said, by whom and when.

use domain::{Fact, Metadata, Proposer, Timestamp, When};
use std::sync::Arc;

/// Whether the source may change a confirm-gated slot without approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    Trusted,
    Ordinary,
    /// Ordinary, under four eyes, where something was erased, or the value before removed: a first value may follow one that
    /// only one person wanted gone, or wanted replaced by this one, and waits like a change.
    AfterRemoval,
}

#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// Kept with the facts, and read by no rule.
    pub text: &'a Arc<str>,
    pub source: Option<&'a str>,
    pub trust: Trust,
    pub metadata: &'a Metadata,
    /// Who made facts of the words.
    pub proposer: Proposer,
    /// When it was made, where that was told.
    pub said: Option<When>,
    pub now: Timestamp,
}

impl Statement<'_> {
    /// When it was made.
    pub(crate) fn at(&self) -> Timestamp {
        self.said.map_or(self.now, When::first)
    }

    /// Whether it was made before the fact, as it is by now, was said. What is told without a time is told now.
    pub(crate) fn is_older_than(&self, fact: &Fact) -> bool {
        let refined = fact.earlier.last().map(|earlier| earlier.until);
        self.said
            .is_some_and(|said| [Some(fact.said()), refined].into_iter().flatten().any(|at| said.last() < at))
    }
}
