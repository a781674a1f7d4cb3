//! The end of the audit chain while a group of calls is appended to it.

use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::audit::{RawEntry, draft};
use crate::rows::deployment::{self, ANCHOR, HEAD};
use domain::Timestamp;
use evidence::{Anchor, Appender, Canonical, Head, Position, SeqRange, Signed, SignedHead};
use rusqlite::types::Null;

#[derive(Clone)]
pub(crate) struct Chain {
    pub at: Position,
    /// When the last entry of this group was appended; `None` while there is none.
    appended: Option<Timestamp>,
}

impl Chain {
    pub fn load(db: &Db<'_>) -> Result<Self, StoreError> {
        let at = db.secrets.head_position(db.signed_row::<Head>(HEAD)?)?;
        Ok(Self { at, appended: None })
    }

    /// Writes the new head, once for the whole group.
    pub fn close(&self, db: &Db<'_>) -> Result<Option<SignedHead>, StoreError> {
        let Some(ts) = self.appended else { return Ok(None) };
        let head = db.secrets.head_sign(self.at, ts);
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
        deployment::signed(self.deployment_get(name)?.as_deref())
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
        let mut appender = Appender::new(self.chain.at, self.secrets.signer.as_ref());
        let stored = appender
            .append(draft(call, record, blanks))
            .map_err(|e| StoreError::corrupt("the audit log", e))?;
        self.audit_insert(&self.secrets.entry_seal(caller.tenant.as_str(), stored)?)?;
        self.chain.at = appender.position();
        self.chain.appended = Some(caller.now);
        Ok(())
    }

    fn audit_insert(&self, row: &RawEntry) -> Result<(), StoreError> {
        let [action, user, agent, run, caller, request] = &row.texts;
        self.db().run(
            "INSERT INTO audit_entry (seq, tenant, ts, action, user_id, agent_id, run_id, caller, request, committed,
             detail, blanks, prev, hash, signature)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            rusqlite::params![
                row.seq,
                row.tenant,
                row.ts,
                action,
                user,
                agent,
                run,
                caller,
                request,
                row.committed,
                row.detail,
                row.blanks,
                row.prev,
                row.hash,
                row.signature,
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
