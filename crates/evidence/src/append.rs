//! Writing the chain, and the tree over it.

use crate::{
    Canonical, Disclosure, Entry, Frontier, Hash, Head, NoRandomness, Node, Origin, Position, SeqRange,
    StoredDetail, StoredEntry, TreeHead,
};
use domain::Timestamp;

/// What a call says about itself; the chain adds the rest.
#[derive(Debug, Clone)]
pub struct Draft {
    pub ts: Timestamp,
    pub action: String,
    pub user: String,
    pub agent: String,
    pub run: String,
    pub caller: String,
    pub request_id: String,
    pub detail: String,
    /// Ascending and disjoint, all before the entry itself.
    pub blanks: Vec<SeqRange>,
    /// The list of the rows that the call wrote or removed; empty where there are none.
    pub changes: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("entry {seq} cannot be appended: {reason}")]
    Blanks { seq: u64, reason: String },
}

/// Where a log ends: the hash of its last entry, and the tree over all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEnd {
    pub hash: Hash,
    pub tree: Frontier,
}

impl LogEnd {
    /// A log without entries.
    pub fn genesis() -> Self {
        Self { hash: Hash::ZERO, tree: Frontier::default() }
    }

    pub const fn at(&self) -> Position {
        Position { size: self.tree.size(), hash: self.hash }
    }

    pub fn head(&self, origin: Origin, ts: Timestamp) -> Head {
        Head { at: self.at(), ts, tree: Some(TreeHead { origin, root: self.tree.root() }) }
    }

    /// Goes on by an entry with this hash; returns the subtrees to be kept that it completes.
    pub(crate) fn pass(&mut self, hash: Hash) -> Vec<(Node, Hash)> {
        self.hash = hash;
        self.tree.append(hash)
    }
}

#[derive(Debug, Clone)]
pub struct Appender {
    end: LogEnd,
    completed: Vec<(Node, Hash)>,
}

impl Appender {
    pub const fn new(end: LogEnd) -> Self {
        Self { end, completed: Vec::new() }
    }

    /// If this fails, the chain is unchanged.
    pub fn append(&mut self, draft: Draft) -> Result<StoredEntry, AppendError> {
        let detail = Disclosure::salted(draft.detail)?;
        let Position { size, hash: prev } = self.end.at();
        let entry = Entry {
            seq: size.saturating_add(1),
            ts: draft.ts,
            action: draft.action,
            user: draft.user,
            agent: draft.agent,
            run: draft.run,
            caller: draft.caller,
            request_id: draft.request_id,
            detail: detail.commitment(),
            blanks: draft.blanks,
            prev,
            changes: Some(Entry::changes_hash(&draft.changes)),
        };
        if let Some(reason) = entry.blanks_fault() {
            return Err(AppendError::Blanks { seq: entry.seq, reason });
        }
        let hash = Hash::of(&entry.encode());
        self.pass(hash);
        let detail = StoredDetail::Present(detail);
        Ok(StoredEntry { entry, hash: Some(hash), signature: None, detail, changes: draft.changes })
    }

    /// Takes an entry into the tree that is in the log already.
    pub fn pass(&mut self, hash: Hash) {
        self.completed.extend(self.end.pass(hash));
    }

    pub const fn end(&self) -> &LogEnd {
        &self.end
    }

    /// The subtrees to be kept that were completed by what was appended.
    pub fn completed(&self) -> &[(Node, Hash)] {
        &self.completed
    }
}
