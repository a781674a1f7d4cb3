//! The columns of an audit entry.

use super::time;
use crate::StoreError;
use crate::call::{Call, Ending, Record};
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow};
use crate::witness::Witnessed;
use domain::{EntryNumber, Timestamp};
use evidence::{
    Broken, Commitment, Disclosure, Draft, Entry, Hash, Restoration, SeqRange, Signature, SignedRestoration,
    StoredDetail, StoredEntry,
};

/// Entries that are checked together: enough to share the work, and little to hold in memory.
pub(crate) const CHUNK: usize = 2048;

#[derive(Debug, Clone)]
pub struct AuditLine {
    pub seq: EntryNumber,
    pub tenant: String,
    pub ts: Timestamp,
    pub action: String,
    pub user: String,
    pub caller: String,
    /// `None` once it was blanked.
    pub detail: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditReport {
    Intact {
        entries: u64,
        /// What is missing by the operator's word, oldest first.
        restorations: Vec<Restoration>,
        /// The last entry that the head outside the database vouches for, where another program has that file locked
        /// and it cannot be moved on.
        vouched: Option<u64>,
        /// What each witness says of the log; none of them is against it.
        witnessed: Vec<Witnessed>,
    },
    Broken(Broken),
}

/// What a check that finds nothing wrong has to say besides.
#[derive(Clone)]
pub(crate) struct Said {
    pub notes: Vec<SignedRestoration>,
    /// How far the heads outside vouch, where another program keeps newer ones from being written.
    pub vouched: Option<u64>,
}

impl AuditReport {
    pub(crate) fn of(checked: Result<u64, Broken>, said: Said) -> Self {
        match checked {
            Ok(entries) => {
                let restorations = said.notes.into_iter().map(|note| note.statement).collect();
                Self::Intact { entries, restorations, vouched: said.vouched, witnessed: Vec::new() }
            }
            Err(broken) => Self::Broken(broken),
        }
    }

    /// The verdict once the witnesses have been heard. A log that holds by itself is broken where one of them remembers
    /// another.
    pub(crate) fn heard(self, heard: Vec<Witnessed>) -> Self {
        let Self::Intact { entries, restorations, vouched, .. } = self else { return self };
        match heard.iter().find(|witnessed| witnessed.said.is_against()) {
            Some(against) => Self::Broken(Broken { seq: against.said.at(), reason: against.to_string() }),
            None => Self::Intact { entries, restorations, vouched, witnessed: heard },
        }
    }
}

/// A row in which nothing has been believed yet.
pub(crate) struct RawEntry {
    pub seq: EntryNumber,
    pub tenant: String,
    pub ts: i64,
    /// The action, the user, the agent, the run, the caller and the request.
    pub texts: [String; 6],
    pub committed: Vec<u8>,
    pub detail: Option<Vec<u8>>,
    pub blanks: Option<Vec<u8>>,
    pub prev: Vec<u8>,
    pub hash: Option<Vec<u8>>,
    pub signature: Option<Vec<u8>>,
    pub changes: Option<Vec<u8>>,
}

pub(crate) const COLUMNS: &str =
    "seq, tenant, ts, action, user_id, agent_id, run_id, caller, request, committed, detail, blanks,
    prev, hash, signature, changes";

impl FromRow for RawEntry {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            seq: EntryNumber(row.cell(0)?),
            tenant: row.cell(1)?,
            ts: row.cell(2)?,
            texts: [row.cell(3)?, row.cell(4)?, row.cell(5)?, row.cell(6)?, row.cell(7)?, row.cell(8)?],
            committed: row.cell(9)?,
            detail: row.cell(10)?,
            blanks: row.cell(11)?,
            prev: row.cell(12)?,
            hash: row.cell(13)?,
            signature: row.cell(14)?,
            changes: row.cell(15)?,
        })
    }
}

/// What is to be written of the call, before it has its place in the chain.
pub(crate) fn draft(call: &Call, record: &Record, blanks: &[SeqRange]) -> Draft {
    let caller = &call.caller;
    // A denied call is the caller's deed, not an event of the space that it could not reach.
    let space = call.space.as_ref().filter(|_| record.ending != Ending::Denied);
    Draft {
        ts: caller.now,
        action: if record.ending == Ending::Denied {
            "access_denied".to_owned()
        } else {
            call.tool.to_owned()
        },
        user: space.map_or(caller.id(), |space| &space.user_id).to_owned(),
        agent: space.map_or("", |space| &space.agent_id).to_owned(),
        run: space.map_or("", |space| &space.run_id).to_owned(),
        caller: caller.id().to_owned(),
        request_id: caller.request_id.clone(),
        detail: record.detail.clone(),
        blanks: blanks.to_vec(),
        changes: Vec::new(),
    }
}

/// The tenant is not hashed into the chain; here it keeps an entry from being moved to another tenant's view.
pub(crate) fn binding(tenant: &str, seq: EntryNumber) -> Binding<'_> {
    Binding::new("an audit entry", tenant, seq.0)
}

impl Secrets {
    /// The row of a new entry.
    pub fn entry_seal(&self, tenant: &str, stored: StoredEntry) -> Result<RawEntry, StoreError> {
        let entry = stored.entry;
        let seq =
            i64::try_from(entry.seq).map(EntryNumber).map_err(|e| StoreError::corrupt("the audit log", e))?;
        let StoredDetail::Present(detail) = &stored.detail else {
            return Err(StoreError::corrupt("the audit log", "a new entry without detail"));
        };
        Ok(RawEntry {
            seq,
            tenant: tenant.to_owned(),
            ts: entry.ts.as_microsecond(),
            texts: [entry.action, entry.user, entry.agent, entry.run, entry.caller, entry.request_id],
            committed: entry.detail.0.0.to_vec(),
            detail: Some(self.seal(binding(tenant, seq), &detail.encode())?),
            blanks: pack(&entry.blanks),
            prev: entry.prev.0.to_vec(),
            hash: stored.hash.map(|hash| hash.0.to_vec()),
            signature: stored.signature.as_ref().map(|s| s.encode().to_vec()),
            changes: entry.changes.map(|_| stored.changes),
        })
    }

    fn detail_open(&self, raw: &RawEntry) -> StoredDetail {
        let Some(sealed) = &raw.detail else { return StoredDetail::Blanked };
        let opened = self.open(binding(&raw.tenant, raw.seq), sealed);
        match opened.ok().and_then(|bytes| Disclosure::decode(&bytes).ok()) {
            Some(detail) => StoredDetail::Present(detail),
            None => StoredDetail::Unreadable,
        }
    }

    /// The entry as stored, whatever state it is in; an error names what cannot even be read.
    pub fn entry_open(&self, raw: RawEntry) -> Result<StoredEntry, Broken> {
        let seq = u64::try_from(raw.seq.0).unwrap_or(0);
        let broken = |reason: &str| Broken { seq, reason: reason.to_owned() };
        let hash =
            |bytes: &[u8]| <[u8; 32]>::try_from(bytes).map(Hash).map_err(|_| broken("a hash is malformed"));
        let detail = self.detail_open(&raw);
        let signature = raw.signature.as_deref().map(Signature::decode).transpose();
        let stored_hash = raw.hash.as_deref().map(hash).transpose()?;
        let [action, user, agent, run, caller, request_id] = raw.texts;
        let entry = Entry {
            seq,
            ts: time(raw.ts).map_err(|_| broken("the time is malformed"))?,
            action,
            user,
            agent,
            run,
            caller,
            request_id,
            detail: Commitment(hash(&raw.committed)?),
            blanks: unpack(raw.blanks.as_deref()),
            prev: hash(&raw.prev)?,
            changes: raw.changes.as_deref().map(Entry::changes_hash),
        };
        Ok(StoredEntry {
            entry,
            hash: stored_hash,
            signature: signature.map_err(|_| broken("the signature is malformed"))?,
            detail,
            changes: raw.changes.unwrap_or_default(),
        })
    }

    pub fn audit_line(&self, raw: RawEntry) -> Result<AuditLine, StoreError> {
        let detail = match self.detail_open(&raw) {
            StoredDetail::Present(detail) => Some(String::from_utf8_lossy(&detail.content).into_owned()),
            StoredDetail::Blanked => None,
            StoredDetail::Unreadable => Some("(unreadable: run verify_audit)".to_owned()),
        };
        let [action, user, _, _, caller, _] = raw.texts;
        Ok(AuditLine { seq: raw.seq, tenant: raw.tenant, ts: time(raw.ts)?, action, user, caller, detail })
    }
}

/// Ranges as pairs of numbers; nothing at all for the many entries that blank nothing.
fn pack(blanks: &[SeqRange]) -> Option<Vec<u8>> {
    let bytes: Vec<u8> =
        blanks.iter().flat_map(|r| [r.first.to_be_bytes(), r.last.to_be_bytes()].concat()).collect();
    (!bytes.is_empty()).then_some(bytes)
}

fn unpack(blanks: Option<&[u8]>) -> Vec<SeqRange> {
    let (pairs, _) = blanks.unwrap_or_default().as_chunks::<16>();
    pairs
        .iter()
        .map(|pair| {
            let number = |part: &[u8]| part.iter().fold(0_u64, |n, byte| n << 8 | u64::from(*byte));
            let (first, last) = pair.split_at(8);
            SeqRange { first: number(first), last: number(last) }
        })
        .collect()
}

/// Ascending numbers as the fewest ranges that hold them.
pub(crate) fn ranges(seqs: &[EntryNumber]) -> Vec<SeqRange> {
    let mut ranges: Vec<SeqRange> = Vec::new();
    for seq in seqs.iter().filter_map(|seq| u64::try_from(seq.0).ok()) {
        match ranges.last_mut() {
            Some(range) if range.last + 1 == seq => range.last = seq,
            _ => ranges.push(SeqRange { first: seq, last: seq }),
        }
    }
    ranges
}
