//! The audit log's entries. Each holds the hash of the one before it, so none can be changed unnoticed.

use crate::record::{Reader, Writer};
use crate::{Canonical, Commitment, Disclosure, Hash, Malformed, Place, Signature, Statement};
use domain::Timestamp;

const TAG: &str = "svc/audit-entry/2";
/// Of entries that were signed one by one.
const TAG_SIGNED: &str = "svc/audit-entry/1";

/// The action of the entry that tells of a new signing key.
pub const KEY_ROTATED: &str = "signing_key_rotated";

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

/// What is hashed of one audited call. The tenant is not part of it: it only filters what is shown.
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
    /// The hash of the list of rows that the call wrote or removed, and zeros where there are none. `None` in entries from
    /// before there was such a list, which have a signature each.
    pub changes: Option<Hash>,
}

impl Entry {
    /// What an entry holds of the list of rows that its call wrote or removed.
    pub fn changes_hash(list: &[u8]) -> Hash {
        if list.is_empty() { Hash::ZERO } else { Hash::of(list) }
    }

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
        let mut w = Writer::new(if self.changes.is_some() { TAG } else { TAG_SIGNED });
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
        if let Some(changes) = self.changes {
            w.bytes(&changes.0);
        }
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (mut r, is_signed) = match Reader::open(bytes, TAG_SIGNED) {
            Ok(reader) => (reader, true),
            Err(_) => (Reader::open(bytes, TAG)?, false),
        };
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
            changes: if is_signed { None } else { Some(r.hash()?) },
        };
        r.end()?;
        Ok(entry)
    }
}

impl Statement for Entry {
    fn place(&self) -> Place {
        Place { entries: Some(self.seq), ts: Some(self.ts) }
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
    /// The list that [`Entry::changes`] is the hash of; empty where there is none.
    pub changes: Vec<u8>,
}
