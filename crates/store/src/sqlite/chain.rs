//! The end of the audit chain while a group of calls is appended to it.

use super::db::SqliteDb;
use crate::rows::audit::RawEntry;
use crate::script::StoreResult;
use crate::sql::params;
use domain::Timestamp;
use evidence::Position;

#[derive(Clone)]
pub(crate) struct Chain {
    pub at: Position,
    /// When the last entry of this group was appended; `None` while there is none.
    pub appended: Option<Timestamp>,
}

impl SqliteDb<'_> {
    pub fn entry_insert(&mut self, row: &RawEntry) -> StoreResult<()> {
        let [action, user, agent, run, caller, request] = &row.texts;
        let values = params![
            row.seq.0,
            &row.tenant,
            row.ts,
            action,
            user,
            agent,
            run,
            caller,
            request,
            &row.committed,
            row.detail.as_deref(),
            row.blanks.as_deref(),
            &row.prev,
            row.hash.as_deref(),
            row.signature.as_deref(),
        ];
        self.execute(
            "INSERT INTO audit_entry (seq, tenant, ts, action, user_id, agent_id, run_id, caller, request, committed,
             detail, blanks, prev, hash, signature)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
            &values,
        )?;
        Ok(())
    }
}
