//! Everything of one space, with the signatures over it.

use domain::Fact;
use evidence::{Disclosed, Hash, Receipt, Signed, SignedHead, Snapshot, StoredEntry};

#[derive(Debug, Default)]
pub struct Export {
    pub records: Vec<Fact>,
    pub decisions: Vec<(Signed<Snapshot>, Disclosed)>,
    pub receipts: Vec<Signed<Receipt>>,
    pub audit: Vec<ProvenEntry>,
    /// The end of the deployment's audit log.
    pub head: Option<SignedHead>,
    /// Facts, decisions, receipts and entries that were changed so much that they cannot be read any more.
    pub unreadable: usize,
}

/// An entry of the audit log, with what shows that the head vouches for it.
#[derive(Debug)]
pub struct ProvenEntry {
    pub stored: StoredEntry,
    /// `None` for an entry that has a signature of its own, and where hashes of the log are missing.
    pub proof: Option<Vec<Hash>>,
}
