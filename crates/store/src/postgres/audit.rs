//! Reading the audit log, page by page.

use super::Postgres;
use super::db::Db;
use super::walls::Reach;
use crate::StoreError;
use crate::rows::audit::{AuditLine, AuditReach, COLUMNS, RawEntry, UNLISTED};
use domain::{Caller, Space};
use evidence::{Broken, StoredEntry};
use tokio_postgres::Row;

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

impl Postgres {
    pub async fn audit_list(
        &self,
        caller: &Caller,
        reach: AuditReach,
        most: i64,
    ) -> Result<Vec<AuditLine>, StoreError> {
        let tenant = caller.tenant.as_str();
        let walls = match reach {
            AuditReach::Deployment => Reach::Deployment,
            AuditReach::Tenant | AuditReach::User(_) => Reach::Tenant(tenant),
        };
        let snapshot = self.shared.snapshot(walls).await?;
        let db = snapshot.db()?;
        let [first, second] = UNLISTED;
        let only = |condition: &str| {
            format!(
                "SELECT {COLUMNS} FROM audit_entry
                 WHERE {condition} action NOT IN ('{first}', '{second}') ORDER BY seq DESC LIMIT $1"
            )
        };
        let rows = match reach {
            AuditReach::Deployment => db.all(&only(""), &[&most], raw_entry).await?,
            AuditReach::Tenant => db.all(&only("tenant = $2 AND"), &[&most, &tenant], raw_entry).await?,
            AuditReach::User(user) => {
                db.all(&only("tenant = $2 AND user_id = $3 AND"), &[&most, &tenant, &user], raw_entry).await?
            }
        };
        rows.into_iter().map(|raw| db.secrets.audit_line(raw)).collect()
    }
}
