//! Lists for a person to choose from: which spaces, decisions and receipts there are, the latest first; and how much is
//! held in all.

use super::spaces;
use crate::StoreError;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::sql::{Cells, FromRow, params};
use crate::storage_quota::Amount;
use crate::store::Store;
use domain::{Caller, DecisionId, FactId, ReceiptId, Scopes, Space, Tenant};

struct SpaceList {
    tenant: Tenant,
    within: Scopes,
    most: usize,
}

/// Whether anything is kept in the space. Of a user who was erased nothing is, and nobody is offered what is not there.
const IN_USE: &str = "(EXISTS (SELECT 1 FROM fact WHERE tenant = $1 AND fact.space = space.id)
    OR EXISTS (SELECT 1 FROM decision WHERE tenant = $1 AND decision.space = space.id)
    OR EXISTS (SELECT 1 FROM receipt WHERE tenant = $1 AND receipt.space = space.id
        AND receipt.subject_ix IS NOT NULL))";

impl Query for SpaceList {
    type Output = Vec<Space>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Vec<Space>> {
        let Scopes::Only(users) = &self.within else {
            let sql = format!(
                "SELECT user_id, agent_id, run_id FROM space WHERE tenant = $1 AND {IN_USE}
                 ORDER BY id DESC LIMIT $2"
            );
            return db.all(&sql, &params![&self.tenant, self.most as i64]).await;
        };
        let sql = format!(
            "SELECT user_id, agent_id, run_id FROM space WHERE tenant = $1 AND user_id = $2 AND {IN_USE}
             ORDER BY agent_id, run_id"
        );
        let mut found = Vec::new();
        for user_id in users {
            found.extend(db.all::<Space>(&sql, &params![&self.tenant, user_id]).await?);
            if found.len() >= self.most {
                found.truncate(self.most);
                break;
            }
        }
        Ok(found)
    }
}

/// Which decisions, or receipts, of a user are listed.
#[derive(Debug, Clone)]
pub struct EvidenceList {
    pub user_id: String,
    /// Only those with a lower number.
    pub before: Option<i64>,
    /// Of decisions: only those that rest on this fact.
    pub rest_on: Option<FactId>,
    pub most: usize,
}

impl FromRow for DecisionId {
    fn from_row(row: &impl Cells) -> StoreResult<Self> {
        Ok(Self(row.cell(0)?))
    }
}

impl FromRow for ReceiptId {
    fn from_row(row: &impl Cells) -> StoreResult<Self> {
        Ok(Self(row.cell(0)?))
    }
}

struct Decisions {
    tenant: Tenant,
    list: EvidenceList,
}

impl Query for Decisions {
    type Output = Vec<DecisionId>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Vec<DecisionId>> {
        let EvidenceList { user_id, before, rest_on, most } = &self.list;
        let (before, most) = (before.unwrap_or(i64::MAX), *most as i64);
        let Some(fact) = rest_on else {
            let sql = "SELECT d.id FROM space s JOIN decision d ON d.tenant = s.tenant AND d.space = s.id
                WHERE s.tenant = $1 AND s.user_id = $2 AND d.id < $3 ORDER BY d.id DESC LIMIT $4";
            return db.all(sql, &params![&self.tenant, user_id, before, most]).await;
        };
        let sql = "SELECT DISTINCT d.id FROM space s JOIN decision d ON d.tenant = s.tenant AND d.space = s.id
            JOIN belief b ON b.tenant = d.tenant AND b.decision = d.id
            WHERE s.tenant = $1 AND s.user_id = $2 AND b.memory = $5 AND d.id < $3 ORDER BY d.id DESC LIMIT $4";
        db.all(sql, &params![&self.tenant, user_id, before, most, *fact]).await
    }
}

struct Receipts {
    tenant: Tenant,
    list: EvidenceList,
}

impl Query for Receipts {
    type Output = Vec<ReceiptId>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Vec<ReceiptId>> {
        let EvidenceList { user_id, before, most, .. } = &self.list;
        let sql = "SELECT r.id FROM space s JOIN receipt r ON r.tenant = s.tenant AND r.space = s.id
            WHERE s.tenant = $1 AND s.user_id = $2 AND r.id < $3 ORDER BY r.id DESC LIMIT $4";
        let before = before.unwrap_or(i64::MAX);
        db.all(sql, &params![&self.tenant, user_id, before, *most as i64]).await
    }
}

/// Of all tenants together.
struct StorageHeld;

impl Query for StorageHeld {
    type Output = Amount;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Amount> {
        let held = "SELECT CAST(coalesce(sum(facts), 0) AS BIGINT), CAST(coalesce(sum(bytes), 0) AS BIGINT)
            FROM storage_use WHERE tenant = $1";
        let mut all = Amount { facts: 0, bytes: 0 };
        for tenant in spaces::tenants(db).await? {
            let (facts, bytes) = db.one::<(i64, i64)>(held, &params![&tenant]).await?.unwrap_or_default();
            all = Amount { facts: all.facts + facts, bytes: all.bytes + bytes };
        }
        Ok(all)
    }
}

impl Store {
    pub async fn storage_held(&self) -> Result<Amount, StoreError> {
        self.read(StorageHeld).await
    }

    /// Spaces of the caller's tenant, of these users.
    pub async fn space_list(
        &self,
        caller: &Caller,
        within: Scopes,
        most: usize,
    ) -> Result<Vec<Space>, StoreError> {
        self.read(SpaceList { tenant: caller.tenant.clone(), within, most }).await
    }

    pub async fn decision_list(
        &self,
        caller: &Caller,
        list: EvidenceList,
    ) -> Result<Vec<DecisionId>, StoreError> {
        self.read(Decisions { tenant: caller.tenant.clone(), list }).await
    }

    pub async fn receipt_list(
        &self,
        caller: &Caller,
        list: EvidenceList,
    ) -> Result<Vec<ReceiptId>, StoreError> {
        self.read(Receipts { tenant: caller.tenant.clone(), list }).await
    }
}
