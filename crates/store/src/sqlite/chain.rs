//! The end of the audit chain while a group of calls is appended to it.

use super::db::SqliteDb;
use crate::rows::audit::RawEntry;
use crate::rows::deployment::{HEAD, PEAKS, SET};
use crate::rows::log_end::NewEnd;
use crate::script::StoreResult;
use crate::sql::params;
use domain::Timestamp;
use evidence::Appender;

#[derive(Clone)]
pub(crate) struct Chain {
    pub log: Appender,
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
            row.changes.as_deref(),
        ];
        self.execute(
            "INSERT INTO audit_entry (seq, tenant, ts, action, user_id, agent_id, run_id, caller, request, committed,
             detail, blanks, prev, hash, signature, changes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
            &values,
        )?;
        Ok(())
    }

    /// Signs and writes where the log ends now, and its tree; `None` where nothing was appended.
    pub fn chain_close(&mut self, chain: &Chain) -> StoreResult<Option<NewEnd>> {
        let Some(ts) = chain.appended else { return Ok(None) };
        let end = self.secrets.end_sign(chain.log.end(), ts);
        self.execute(SET, &params![HEAD, end.head.encode()])?;
        self.execute(SET, &params![PEAKS, &end.peaks])?;
        for (node, hash) in chain.log.completed() {
            let place = i64::try_from(node.place).unwrap_or(i64::MAX);
            self.execute(
                "INSERT INTO audit_subtree (level, place, hash) VALUES ($1, $2, $3)
                 ON CONFLICT (level, place) DO UPDATE SET hash = excluded.hash",
                &params![i64::from(node.level), place, hash.0.as_slice()],
            )?;
        }
        Ok(Some(end))
    }
}
