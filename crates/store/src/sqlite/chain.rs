//! The end of the audit chain while a group of calls is appended to it.

use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Ending, Record};
use crate::secrets::Place;
use domain::Timestamp;
use evidence::{
    Anchor, Appender, Canonical, Draft, Head, Position, SeqRange, Signed, SignedHead, StoredDetail,
    StoredEntry,
};
use rusqlite::types::Null;

pub(crate) const HEAD: &str = "audit_head";
pub(crate) const ANCHOR: &str = "audit_anchor";

#[derive(Clone)]
pub(crate) struct Chain {
    pub at: Position,
    /// When the last entry of this group was appended; `None` while there is none.
    appended: Option<Timestamp>,
}

impl Chain {
    /// A head that is not ours is not built upon: the next head would vouch for it.
    pub fn load(db: &Db<'_>) -> Result<Self, StoreError> {
        let head = db.signed_row::<Head>(HEAD)?;
        if let (Some(head), Some(keys)) = (&head, &db.secrets.keyring)
            && !head.is_signed_by(keys)
        {
            return Err(StoreError::corrupt(
                "the head of the audit log",
                "it has no valid signature; run verify_audit",
            ));
        }
        Ok(Self { at: head.map_or(Position::GENESIS, |head| head.statement.at), appended: None })
    }

    /// Writes the new head, once for the whole group.
    pub fn close(&self, db: &Db<'_>) -> Result<Option<SignedHead>, StoreError> {
        let Some(ts) = self.appended else { return Ok(None) };
        let head = Signed::new(Head { at: self.at, ts }, db.secrets.signer.as_ref());
        db.deployment_set(HEAD, &head.encode())?;
        Ok(Some(head))
    }
}

impl Db<'_> {
    pub fn deployment_get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.one("SELECT value FROM deployment WHERE name = ?1", [name], |row| row.get(0))
    }

    pub fn deployment_set(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO deployment (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, value),
        )?;
        Ok(())
    }

    /// Whether the log passes through the position, or was purged beyond it. A position ahead of the log is another
    /// process's commit that is newer than what was read here, or a rollback: only a longer log can tell.
    pub fn log_passes(&self, at: Position) -> Result<bool, StoreError> {
        let seq = i64::try_from(at.size).map_err(|e| StoreError::corrupt("a signed head", e))?;
        let hash = self.one("SELECT hash FROM audit_entry WHERE seq = ?1", [seq], |row| {
            row.get::<_, Option<Vec<u8>>>(0)
        })?;
        match hash {
            Some(hash) => Ok(hash.as_deref() == Some(at.hash.0.as_slice())),
            None => {
                let last = self.signed_row::<Head>(HEAD)?.map_or(0, |head| head.statement.at.size);
                let purged = self.signed_row::<Anchor>(ANCHOR)?.map_or(0, |anchor| anchor.statement.at.size);
                Ok(at.size <= purged || at.size > last)
            }
        }
    }

    pub fn signed_row<T: Canonical>(&self, name: &str) -> Result<Option<Signed<T>>, StoreError> {
        let bytes = self.deployment_get(name)?;
        bytes
            .map(|bytes| Signed::decode(&bytes))
            .transpose()
            .map_err(|e| StoreError::corrupt("a signed head", e))
    }
}

impl Tx<'_> {
    pub fn audit_append(
        &mut self,
        call: &Call,
        record: &Record,
        blanks: &[SeqRange],
    ) -> Result<(), StoreError> {
        let caller = &call.caller;
        // A denied call is the caller's deed, not an event of the space that it could not reach.
        let space = call.space.as_ref().filter(|_| record.ending != Ending::Denied);
        let draft = Draft {
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
        };
        let mut appender = Appender::new(self.chain.at, self.secrets.signer.as_ref());
        let stored = appender.append(draft).map_err(|e| StoreError::corrupt("the audit log", e))?;
        self.audit_insert(caller.tenant.as_str(), &stored)?;
        self.chain.at = appender.position();
        self.chain.appended = Some(caller.now);
        Ok(())
    }

    fn audit_insert(&mut self, tenant: &str, stored: &StoredEntry) -> Result<(), StoreError> {
        let entry = &stored.entry;
        let seq = i64::try_from(entry.seq).map_err(|e| StoreError::corrupt("the audit log", e))?;
        let StoredDetail::Present(detail) = &stored.detail else {
            return Err(StoreError::corrupt("the audit log", "a new entry without detail"));
        };
        let detail = self.secrets.seal(detail_place(tenant, seq), &detail.encode())?;
        let signature = stored.signature.as_ref().map(|s| s.encode().to_vec());
        self.db().run(
            "INSERT INTO audit_entry (seq, tenant, ts, action, user_id, agent_id, run_id, caller, request, committed,
             detail, blanks, prev, hash, signature)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            rusqlite::params![
                seq,
                tenant,
                entry.ts.as_microsecond(),
                entry.action,
                entry.user,
                entry.agent,
                entry.run,
                entry.caller,
                entry.request_id,
                entry.detail.0.0,
                detail,
                pack(&entry.blanks),
                entry.prev.0,
                stored.hash.map(|hash| hash.0),
                signature,
            ],
        )?;
        Ok(())
    }

    /// Empties the detail of entries; the call's own entry must then name them.
    pub fn audit_blank(&mut self, seqs: &[i64]) -> Result<(), StoreError> {
        for seq in seqs {
            self.db().run("UPDATE audit_entry SET detail = ?2 WHERE seq = ?1", (seq, Null))?;
        }
        Ok(())
    }
}

/// The tenant is not hashed into the chain; here it keeps an entry from being moved to another tenant's view.
pub(crate) fn detail_place(tenant: &str, seq: i64) -> Place<'_> {
    Place::new("an audit entry", tenant, seq)
}

/// Ranges as pairs of numbers; nothing at all for the many entries that blank nothing.
fn pack(blanks: &[SeqRange]) -> Option<Vec<u8>> {
    let bytes: Vec<u8> =
        blanks.iter().flat_map(|r| [r.first.to_be_bytes(), r.last.to_be_bytes()].concat()).collect();
    (!bytes.is_empty()).then_some(bytes)
}

pub(crate) fn unpack(blanks: Option<&[u8]>) -> Vec<SeqRange> {
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
pub(crate) fn ranges(seqs: &[i64]) -> Vec<SeqRange> {
    let mut ranges: Vec<SeqRange> = Vec::new();
    for seq in seqs.iter().filter_map(|seq| u64::try_from(*seq).ok()) {
        match ranges.last_mut() {
            Some(range) if range.last + 1 == seq => range.last = seq,
            _ => ranges.push(SeqRange { first: seq, last: seq }),
        }
    }
    ranges
}
