//! Reading the audit log, page by page.

use super::Sqlite;
use super::db::Db;
use crate::StoreError;
use crate::rows::audit::{AuditLine, AuditReach, COLUMNS, RawEntry, UNLISTED};
use domain::Caller;
use evidence::{Broken, StoredEntry};
use rusqlite::Row;

pub(crate) fn raw_entry(row: &Row<'_>) -> rusqlite::Result<RawEntry> {
    Ok(RawEntry {
        seq: row.get(0)?,
        tenant: row.get(1)?,
        ts: row.get(2)?,
        texts: [row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?],
        committed: row.get(9)?,
        detail: row.get(10)?,
        blanks: row.get(11)?,
        prev: row.get(12)?,
        hash: row.get(13)?,
        signature: row.get(14)?,
    })
}

impl Db<'_> {
    pub fn entries_of_space(
        &self,
        tenant: &str,
        space: &domain::Space,
    ) -> Result<Vec<Result<StoredEntry, Broken>>, StoreError> {
        let rows = self.all(
            &format!(
                "SELECT {COLUMNS} FROM audit_entry
                 WHERE tenant = ?1 AND user_id = ?2 AND agent_id = ?3 AND run_id = ?4 ORDER BY seq"
            ),
            (tenant, &space.user_id, &space.agent_id, &space.run_id),
            raw_entry,
        )?;
        Ok(rows.into_iter().map(|raw| self.secrets.entry_open(raw)).collect())
    }
}

impl Sqlite {
    /// Entries newest first.
    pub async fn audit_list(
        &self,
        caller: &Caller,
        reach: AuditReach,
        most: i64,
    ) -> Result<Vec<AuditLine>, StoreError> {
        let tenant = caller.tenant.as_str().to_owned();
        self.read(move |db| {
            let [first, second] = UNLISTED;
            let only = |condition: &str| {
                format!(
                    "SELECT {COLUMNS} FROM audit_entry
                     WHERE {condition} AND action NOT IN ('{first}', '{second}') ORDER BY seq DESC LIMIT ?3"
                )
            };
            let rows = match reach {
                AuditReach::Deployment => {
                    db.all(&only("?1 IS NOT NULL AND ?2 = ''"), (&tenant, "", most), raw_entry)?
                }
                AuditReach::Tenant => {
                    db.all(&only("tenant = ?1 AND ?2 = ''"), (&tenant, "", most), raw_entry)?
                }
                AuditReach::User(user) => {
                    db.all(&only("tenant = ?1 AND user_id = ?2"), (&tenant, &user, most), raw_entry)?
                }
            };
            rows.into_iter().map(|raw| db.secrets.audit_line(raw)).collect()
        })
        .await
    }
}
