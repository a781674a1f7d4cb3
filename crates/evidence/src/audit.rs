//! The audit log's entries. Each holds the hash of the one before it, so none can be changed unnoticed.

use crate::record::{Reader, Writer};
use crate::{Canonical, Commitment, Disclosure, Hash, Malformed, Signature};
use domain::Timestamp;

const TAG: &str = "svc/audit-entry/1";

/// A position in the log: the number of entries up to it, purged ones included, and the hash of the last of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub size: u64,
    pub hash: Hash,
}

impl Position {
    /// Before the first entry.
    pub const GENESIS: Self = Self { size: 0, hash: Hash::ZERO };

    pub(crate) fn write(&self, w: &mut Writer) {
        w.number(self.size);
        w.bytes(&self.hash.0);
    }

    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self { size: r.number()?, hash: r.hash()? })
    }
}

/// From `first` to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeqRange {
    pub first: u64,
    pub last: u64,
}

/// What is hashed and signed of one audited call. The tenant is not part of it: it only filters what is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// From 1, without gaps, over the whole deployment.
    pub seq: u64,
    pub ts: Timestamp,
    pub action: String,
    pub user: String,
    pub agent: String,
    pub run: String,
    pub caller: String,
    pub request_id: String,
    pub detail: Commitment,
    /// Earlier entries whose detail was erased on the authority of this one.
    pub blanks: Vec<SeqRange>,
    pub prev: Hash,
}

impl Entry {
    pub fn hash(&self) -> Hash {
        Hash::of(&self.encode())
    }

    /// Why the blanked ranges are not valid in this entry, if they are not.
    pub(crate) fn blanks_fault(&self) -> Option<String> {
        let mut free = 1;
        for range in &self.blanks {
            if range.last >= self.seq {
                return Some(format!("it blanks entry {}, which is not before it", range.last));
            }
            if range.first < free || range.last < range.first {
                return Some("the ranges that it blanks are empty, overlapping or out of order".to_owned());
            }
            free = range.last + 1;
        }
        None
    }
}

impl Canonical for Entry {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(TAG);
        w.number(self.seq);
        w.time(self.ts);
        w.text(&self.action);
        w.text(&self.user);
        w.text(&self.agent);
        w.text(&self.run);
        w.text(&self.caller);
        w.text(&self.request_id);
        w.bytes(&self.detail.0.0);
        w.list(self.blanks.iter(), |w, range| {
            w.number(range.first);
            w.number(range.last);
        });
        w.bytes(&self.prev.0);
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, TAG)?;
        let entry = Self {
            seq: r.number()?,
            ts: r.time()?,
            action: r.text()?,
            user: r.text()?,
            agent: r.text()?,
            run: r.text()?,
            caller: r.text()?,
            request_id: r.text()?,
            detail: r.commitment()?,
            blanks: r.list(|r| Ok(SeqRange { first: r.number()?, last: r.number()? }))?,
            prev: r.hash()?,
        };
        r.end()?;
        Ok(entry)
    }
}

/// The state of an entry's detail in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredDetail {
    Present(Disclosure),
    /// Erased; a later entry's `blanks` must say so.
    Blanked,
    /// There is something, but it cannot be decrypted.
    Unreadable,
}

/// An entry as the database holds it. Nothing in it is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    pub entry: Entry,
    pub hash: Option<Hash>,
    pub signature: Option<Signature>,
    pub detail: StoredDetail,
}
