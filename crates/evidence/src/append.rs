//! Writing the chain.

use crate::{
    Canonical, Disclosure, Entry, Hash, Head, NoRandomness, Position, SeqRange, Signed, SignedHead, Signer,
    StoredDetail, StoredEntry,
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
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("entry {seq} cannot be appended: {reason}")]
    Blanks { seq: u64, reason: String },
}

#[derive(Debug)]
pub struct Appender<'a> {
    last: Position,
    signer: Option<&'a Signer>,
}

impl<'a> Appender<'a> {
    /// Goes on after `last`: the position of the head, or [`Position::GENESIS`] for a new log.
    pub fn new(last: Position, signer: Option<&'a Signer>) -> Self {
        Self { last, signer }
    }

    /// If this fails, the chain is unchanged.
    pub fn append(&mut self, draft: Draft) -> Result<StoredEntry, AppendError> {
        let detail = Disclosure::salted(draft.detail)?;
        let entry = Entry {
            seq: self.last.size.saturating_add(1),
            ts: draft.ts,
            action: draft.action,
            user: draft.user,
            agent: draft.agent,
            run: draft.run,
            caller: draft.caller,
            request_id: draft.request_id,
            detail: detail.commitment(),
            blanks: draft.blanks,
            prev: self.last.hash,
        };
        if let Some(reason) = entry.blanks_fault() {
            return Err(AppendError::Blanks { seq: entry.seq, reason });
        }
        let bytes = entry.encode();
        let hash = Hash::of(&bytes);
        self.last = Position { size: entry.seq, hash };
        let signature = self.signer.map(|s| s.sign(&bytes));
        Ok(StoredEntry { entry, hash: Some(hash), signature, detail: StoredDetail::Present(detail) })
    }

    pub fn position(&self) -> Position {
        self.last
    }

    pub fn head(&self, ts: Timestamp) -> SignedHead {
        Signed::new(Head { at: self.last, ts }, self.signer)
    }
}
