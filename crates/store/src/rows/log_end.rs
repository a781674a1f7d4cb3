//! Where the audit log ends, as its rows say: the signed head, and the tree there.

use super::deployment::{self, PEAKS};
use crate::StoreError;
use crate::script::StoreResult;
use crate::secrets::Secrets;
use domain::Timestamp;
use evidence::{Frontier, Head, LogEnd, SignedHead};
use parking_lot::Mutex;

/// The end of the log that this process wrote or checked last. Found again, it need not be checked again.
#[derive(Clone)]
pub(crate) struct KnownEnd {
    /// The row of its head.
    head: Vec<u8>,
    end: LogEnd,
}

/// The same for several threads.
#[derive(Default)]
pub(crate) struct LastEnd(Mutex<Option<KnownEnd>>);

impl LastEnd {
    pub fn get(&self) -> Option<KnownEnd> {
        self.0.lock().clone()
    }

    pub fn set(&self, known: KnownEnd) {
        *self.0.lock() = Some(known);
    }
}

/// What the rows say of the end of the log.
pub(crate) enum ReadEnd {
    Whole(LogEnd),
    /// The log is of a version that knew no tree, and this is its head.
    WithoutTree(Head),
}

/// A new end of the log, as it is written.
pub(crate) struct NewEnd {
    pub head: SignedHead,
    pub peaks: Vec<u8>,
    end: LogEnd,
}

impl NewEnd {
    pub fn known(self) -> KnownEnd {
        KnownEnd { head: self.head.encode(), end: self.end }
    }
}

impl Secrets {
    /// A head that is not ours is not built upon, nor a tree that is not the head's: the next head would vouch for them.
    pub fn end_read(
        &self,
        head: Option<&[u8]>,
        peaks: Option<&[u8]>,
        known: Option<&KnownEnd>,
    ) -> StoreResult<ReadEnd> {
        let Some(bytes) = head else { return Ok(ReadEnd::Whole(LogEnd::genesis())) };
        if let Some(known) = known.filter(|known| known.head == bytes) {
            return Ok(ReadEnd::Whole(known.end.clone()));
        }
        let Some(head) = deployment::signed::<Head>(Some(bytes))? else {
            return Ok(ReadEnd::Whole(LogEnd::genesis()));
        };
        let at = self.head_position(Some(head.clone()))?;
        let Some(tree_head) = head.statement.tree else { return Ok(ReadEnd::WithoutTree(head.statement)) };
        let wrong = |why: &dyn std::fmt::Display| {
            StoreError::corrupt("the end of the audit log", format!("row {PEAKS}: {why}; run verify_audit"))
        };
        let tree = Frontier::decode(at.size, peaks.unwrap_or_default()).map_err(|e| wrong(&e))?;
        if tree.root() != tree_head.root {
            return Err(wrong(&"it is not the tree that the head signs"));
        }
        Ok(ReadEnd::Whole(LogEnd { hash: at.hash, tree }))
    }

    pub fn end_sign(&self, end: &LogEnd, ts: Timestamp) -> NewEnd {
        let head = self.sign(end.head(self.origin(), ts));
        NewEnd { head, peaks: end.tree.encode(), end: end.clone() }
    }
}
