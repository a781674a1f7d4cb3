//! Reading the audit log, page by page.

use super::marks::Against;
use crate::StoreError;
use crate::rows::audit::{AuditLine, AuditReport, COLUMNS, RawEntry};
use crate::rows::audit_list::{AuditQuery, AuditReach, TENANTS, TIME_OF};
use crate::script::{Db, Query, Reach, StoreResult};
use crate::sql::params;
use crate::store::Store;
use crate::verification::{Audience, Round};
use domain::{Account, Caller, Notice, Space, Tenant};
use evidence::{Broken, StoredEntry};
use std::sync::Arc;
use std::time::Instant;

pub(super) async fn of_space<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    space: &Space,
) -> StoreResult<Vec<Result<StoredEntry, Broken>>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM audit_entry
         WHERE tenant = $1 AND user_id = $2 AND agent_id = $3 AND run_id = $4 ORDER BY seq"
    );
    let values = params![tenant, &space.user_id, &space.agent_id, &space.run_id];
    let rows: Vec<RawEntry> = db.all(&sql, &values).await?;
    Ok(rows.into_iter().map(|raw| db.secrets().entry_open(raw)).collect())
}

/// Entries that are opened in no time.
const SHORT: usize = 64;

struct AuditList {
    account: Account,
    query: AuditQuery,
}

impl Query for AuditList {
    type Output = Vec<AuditLine>;

    fn reach(&self) -> Reach<'_> {
        match self.query.reach {
            AuditReach::Deployment => Reach::Deployment,
            AuditReach::Tenant | AuditReach::User(_) => Reach::Tenant(&self.account.tenant),
        }
    }

    fn account(&self) -> Account {
        self.account.clone()
    }

    fn is_large(&self) -> bool {
        self.query.most > SHORT
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Vec<AuditLine>> {
        let rows = self.rows(db).await?;
        rows.into_iter().map(|raw| db.secrets().audit_line(raw)).collect()
    }
}

impl AuditList {
    async fn rows<D: Db>(&self, db: &mut D) -> StoreResult<Vec<RawEntry>> {
        let query = &self.query;
        let from: Option<(i64,)> = match query.before {
            Some(before) if query.is_by_time() => db.one(TIME_OF, &params![before]).await?,
            _ => None,
        };
        let from = from.map(|(ts,)| ts);
        if query.is_by_tenant() {
            let mut found = Vec::new();
            for (tenant,) in db.all::<(String,)>(TENANTS, &[]).await? {
                let (sql, values) = query.listing(Some(&tenant), from);
                found.extend(db.all(&sql, &values).await?);
            }
            return Ok(query.merged(found));
        }
        let tenant = (query.reach != AuditReach::Deployment).then_some(self.account.tenant.as_str());
        let (sql, values) = query.listing(tenant, from);
        db.all(&sql, &values).await
    }
}

impl Store {
    /// Recomputes every hash and signature of the log, and compares it with the heads in and outside the database and
    /// with what the witnesses remember.
    /// The verdict is on a log that is not older than the question. Until it is there, the notice tells how far the check
    /// has come.
    pub async fn audit_verify(&self, deadline: Instant, notice: &Notice) -> Result<AuditReport, StoreError> {
        let (awaited, round) = self.verification().join();
        notice.follow(awaited.walked.clone());
        if let Some(round) = round {
            let store = self.clone();
            tokio::spawn(async move {
                let check = async || store.audit_verify_now(&round).await;
                store.verification().carry_out(&round, check).await;
            });
        }
        awaited.verdict(deadline).await
    }

    async fn audit_verify_now(&self, round: &Arc<Round>) -> StoreResult<AuditReport> {
        // The heads outside are read before the entries: read later, they could be newer.
        let outside = self.outside().await?;
        let against = Against { outside, proposed: None };
        let check = self.audit_check(against, Audience::of(round.clone()));
        let (report, heard) = tokio::join!(check, self.witnesses_ask());
        Ok(report?.heard(heard))
    }

    /// Entries newest first.
    pub async fn audit_list(&self, caller: &Caller, query: AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        self.read(AuditList { account: caller.account(), query }).await
    }
}
