//! What was said, by whom and when.

use domain::{Metadata, Timestamp};
use std::sync::Arc;

/// Whether the source may change a confirm-gated slot without approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    Trusted,
    Ordinary,
}

#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// Kept with the facts, and read by no rule.
    pub text: &'a Arc<str>,
    pub source: Option<&'a str>,
    pub trust: Trust,
    pub metadata: &'a Metadata,
    pub now: Timestamp,
}
