//! Everything of one space, with the signatures over it.

use domain::Fact;
use evidence::{Disclosed, Receipt, Signed, SignedHead, Snapshot, StoredEntry};

#[derive(Debug, Default)]
pub struct Export {
    pub records: Vec<Fact>,
    pub decisions: Vec<(Signed<Snapshot>, Disclosed)>,
    pub receipts: Vec<Signed<Receipt>>,
    pub audit: Vec<StoredEntry>,
    /// The end of the deployment's audit log.
    pub head: Option<SignedHead>,
    /// Facts, decisions, receipts and entries that were changed so much that they cannot be read any more.
    pub unreadable: usize,
}
