//! Where the audit log ends, as its rows say: the signed head, and the tree there.

use super::deployment::{self, PEAKS};
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
    /// The rows have no tree that is this head's: they are of a version that knew none, or are damaged.
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
    /// A head that is not ours is not built upon, nor a tree that is not the head's: the next head would vouch for them. A
    /// tree can be computed again from the entries.
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
        let tree = Frontier::decode(at.size, peaks.unwrap_or_default()).ok();
        Ok(match tree.filter(|tree| tree.root() == tree_head.root) {
            Some(tree) => ReadEnd::Whole(LogEnd { hash: at.hash, tree }),
            None => {
                tracing::warn!(
                    "row {PEAKS} is not the tree over the audit log that its head signs; it is computed anew from the entries"
                );
                ReadEnd::WithoutTree(head.statement)
            }
        })
    }

    pub fn end_sign(&self, end: &LogEnd, ts: Timestamp) -> NewEnd {
        let head = self.sign(end.head(self.origin(), ts));
        NewEnd { head, peaks: end.tree.encode(), end: end.clone() }
    }
}
