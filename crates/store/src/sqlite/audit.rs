//! Reading the audit log, page by page.

use super::Sqlite;
use super::db::Db;
use crate::StoreError;
use crate::rows::audit::{AuditLine, COLUMNS, RawEntry};
use crate::rows::audit_list::{AuditQuery, AuditReach, Bound, TENANTS, TIME_OF};
use domain::Caller;
use evidence::{Broken, StoredEntry};
use rusqlite::Row;
use rusqlite::types::Value;

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

impl Db<'_> {
    fn audit_rows(&self, tenant: &str, query: &AuditQuery) -> Result<Vec<RawEntry>, StoreError> {
        let from = match query.before {
            Some(before) if query.is_by_time() => self.one(TIME_OF, [before], |row| row.get(0))?,
            _ => None,
        };
        let rows_of = |tenant: Option<&str>| {
            let (sql, values) = query.listing(tenant, from);
            self.all(&sql, rusqlite::params_from_iter(values.into_iter().map(bound)), raw_entry)
        };
        if query.is_by_tenant() {
            let mut found = Vec::new();
            for tenant in self.all(TENANTS, (), |row| row.get::<_, String>(0))? {
                found.extend(rows_of(Some(&tenant))?);
            }
            return Ok(query.merged(found));
        }
        rows_of((query.reach != AuditReach::Deployment).then_some(tenant))
    }
}

fn bound(value: Bound) -> Value {
    match value {
        Bound::Text(text) => Value::Text(text),
        Bound::Number(number) => Value::Integer(number),
    }
}

impl Sqlite {
    /// Entries newest first.
    pub async fn audit_list(&self, caller: &Caller, query: AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        let tenant = caller.tenant.as_str().to_owned();
        self.read(move |db| {
            let rows = db.audit_rows(&tenant, &query)?;
            rows.into_iter().map(|raw| db.secrets.audit_line(raw)).collect()
        })
        .await
    }
}
