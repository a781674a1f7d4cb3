//! Checking the hashes that are kept of the tree over the audit log.

use super::memory::wrong;
use crate::StoreError;
use crate::copy::TableRow;
use crate::rows::deployment::PEAKS;
use evidence::{Anchor, Frontier, Hash, Head, Node};
use std::collections::BTreeMap;

/// The tree over the entries that were seen.
pub(super) struct LogTree {
    purged: u64,
    tree: Frontier,
    completed: BTreeMap<Node, Hash>,
}

impl LogTree {
    /// Over a log that begins after the anchor, where there is one.
    pub fn after(anchor: Option<Anchor>) -> Self {
        let purged = anchor.as_ref().map_or(0, |anchor| anchor.at.size);
        let tree = anchor.map_or_else(Frontier::default, |anchor| anchor.tree());
        Self { purged, tree, completed: BTreeMap::new() }
    }

    /// An entry without a hash is for the check of the log to say.
    pub fn entry(&mut self, hash: Option<&[u8]>) {
        if let Some(hash) = hash.and_then(|bytes| bytes.try_into().ok()) {
            self.completed.extend(self.tree.append(Hash(hash)));
        }
    }

    /// What is wrong with the tree that is kept for appending to the log.
    pub fn end(&self, head: Option<&Head>, peaks: Option<&[u8]>) -> Option<String> {
        let signed = head?.tree.as_ref()?;
        let is_kept = peaks == Some(self.tree.encode().as_slice()) && self.tree.root() == signed.root;
        let what = format!(
            "row {PEAKS} of deployment is not the tree over the audit log; the next entry writes it anew from the log"
        );
        (!is_kept).then_some(what)
    }

    pub fn subtree(&self, row: TableRow<'_>) -> Result<(), StoreError> {
        let (level, place): (i64, i64) = (row.get("level")?, row.get("place")?);
        let hash: Vec<u8> = row.get("hash")?;
        let malformed = || wrong("a subtree of the audit log", "there is none of its level and place");
        let node = Node {
            level: u8::try_from(level).ok().filter(|level| *level < 64).ok_or_else(malformed)?,
            place: u64::try_from(place).map_err(|_| malformed())?,
        };
        match self.completed.get(&node) {
            Some(expected) if expected.0.as_slice() == hash => Ok(()),
            Some(_) => Err(wrong("a subtree of the audit log", "its hash is not that of its entries")),
            // Its entries are gone, or some of them.
            None if node.places_at(0).start < self.purged => Ok(()),
            None => Err(malformed()),
        }
    }
}
