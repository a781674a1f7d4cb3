//! Reading the audit log, page by page.

use super::Postgres;
use super::db::{Db, only};
use super::walls::Reach;
use crate::StoreError;
use crate::rows::audit::{AuditLine, COLUMNS, RawEntry};
use crate::rows::audit_list::{AuditQuery, AuditReach, Bound, TENANTS, TIME_OF};
use domain::{Caller, Space};
use evidence::{Broken, StoredEntry};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

pub(crate) fn raw_entry(row: &Row) -> Result<RawEntry, tokio_postgres::Error> {
    Ok(RawEntry {
        seq: row.try_get(0)?,
        tenant: row.try_get(1)?,
        ts: row.try_get(2)?,
        texts: [
            row.try_get(3)?,
            row.try_get(4)?,
            row.try_get(5)?,
            row.try_get(6)?,
            row.try_get(7)?,
            row.try_get(8)?,
        ],
        committed: row.try_get(9)?,
        detail: row.try_get(10)?,
        blanks: row.try_get(11)?,
        prev: row.try_get(12)?,
        hash: row.try_get(13)?,
        signature: row.try_get(14)?,
    })
}

impl Db<'_> {
    pub async fn entries_of_space(
        &self,
        tenant: &str,
        space: &Space,
    ) -> Result<Vec<Result<StoredEntry, Broken>>, StoreError> {
        let rows = self
            .all(
                &format!(
                    "SELECT {COLUMNS} FROM audit_entry
                     WHERE tenant = $1 AND user_id = $2 AND agent_id = $3 AND run_id = $4 ORDER BY seq"
                ),
                &[&tenant, &space.user_id, &space.agent_id, &space.run_id],
                raw_entry,
            )
            .await?;
        Ok(rows.into_iter().map(|raw| self.secrets.entry_open(raw)).collect())
    }
}

impl Db<'_> {
    async fn audit_rows(&self, tenant: &str, query: &AuditQuery) -> Result<Vec<RawEntry>, StoreError> {
        let from = match query.before {
            Some(before) if query.is_by_time() => self.one(TIME_OF, &[&before], only).await?,
            _ => None,
        };
        if query.is_by_tenant() {
            let mut found = Vec::new();
            for tenant in self.all(TENANTS, &[], only::<String>).await? {
                found.extend(self.audit_rows_of(Some(&tenant), query, from).await?);
            }
            return Ok(query.merged(found));
        }
        let tenant = (query.reach != AuditReach::Deployment).then_some(tenant);
        self.audit_rows_of(tenant, query, from).await
    }

    async fn audit_rows_of(
        &self,
        tenant: Option<&str>,
        query: &AuditQuery,
        from: Option<i64>,
    ) -> Result<Vec<RawEntry>, StoreError> {
        let (sql, values) = query.listing(tenant, from);
        let values: Vec<&(dyn ToSql + Sync)> = values
            .iter()
            .map(|value| match value {
                Bound::Text(text) => text as &(dyn ToSql + Sync),
                Bound::Number(number) => number,
            })
            .collect();
        self.all(&sql, &values, raw_entry).await
    }
}

impl Postgres {
    pub async fn audit_list(&self, caller: &Caller, query: AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        let tenant = caller.tenant.as_str();
        let walls = match query.reach {
            AuditReach::Deployment => Reach::Deployment,
            AuditReach::Tenant | AuditReach::User(_) => Reach::Tenant(tenant),
        };
        let snapshot = self.shared.snapshot(walls).await?;
        let db = snapshot.db()?;
        let rows = db.audit_rows(tenant, &query).await?;
        rows.into_iter().map(|raw| db.secrets.audit_line(raw)).collect()
    }
}
