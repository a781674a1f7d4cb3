//! What the entity graph has still to look at, and the second receipt of an erasure, which says that it has.

use super::receipts;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::graph::Lease;
use crate::rows::outbox::{COLUMNS, OutboxRow};
use crate::script::{Db, Durability, Ground, Query, Reach, Rows, Script, StoreResult, Touches};
use crate::sql::params;
use crate::store::Store;
use domain::{Caller, Identity, ReceiptId, Tenant, Timestamp};
use evidence::{Erased, Erasure, ReceiptKind};
use std::collections::BTreeSet;
use std::time::Instant;

/// What the audit log calls it when the graph has forgotten what was erased.
const ACTION: &str = "graph_erasure";

struct Waiting {
    most: usize,
}

impl Query for Waiting {
    type Output = Vec<OutboxRow>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Vec<OutboxRow>> {
        let sql = format!("SELECT {COLUMNS} FROM graph_outbox ORDER BY seq LIMIT $1");
        db.all(&sql, &params![self.most as i64]).await
    }
}

struct Applied {
    lease: Lease,
    caller: Caller,
    rows: Vec<i64>,
}

impl Script for Applied {
    type Output = bool;

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.caller.tenant)
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    /// Should a power cut undo it, the rows are there again, and it is done again.
    fn durability(&self) -> Durability {
        Durability::Soon
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<bool> {
        let tenant = &self.caller.tenant;
        // Locked: nobody else takes the lease before this is committed.
        let sql = format!("SELECT fence FROM graph_projection WHERE holder = $1 AND fence = $2 {}", R::LOCK);
        let ours: Option<(i64,)> =
            rows.db().one(&sql, &params![&self.lease.holder, self.lease.fence]).await?;
        if ours.is_none() {
            return Ok(false);
        }
        let sql = "DELETE FROM graph_outbox WHERE tenant = $1 AND seq = $2 RETURNING receipt";
        let gone: Vec<(Option<i64>,)> = rows.db().all_each(sql, tenant, &self.rows, &[]).await?;
        let receipts: BTreeSet<i64> = gone.into_iter().filter_map(|(receipt,)| receipt).collect();
        for receipt in receipts {
            let sql = "SELECT seq FROM graph_outbox WHERE tenant = $1 AND receipt = $2 LIMIT 1";
            if rows.db().one::<(i64,)>(sql, &params![tenant, receipt]).await?.is_none() {
                self.follow(rows, ReceiptId(receipt)).await?;
            }
        }
        Ok(true)
    }
}

impl Applied {
    /// Signs that the graph, too, has forgotten what the receipt erased.
    async fn follow<R: Rows>(&self, rows: &mut R, first: ReceiptId) -> StoreResult<()> {
        let found = receipts::erasure(rows.db(), &self.caller.tenant, first).await?;
        let Some((erasure, row, space)) = found else {
            // Nothing is signed about a receipt that is not what we signed, and the graph goes on.
            tracing::error!(tenant = %self.caller.tenant, receipt = %first, "the receipt of an erasure was changed, so \
                none follows it");
            return Ok(());
        };
        let kind = ReceiptKind::Erasure(Erasure {
            what: Erased::FromGraph(first),
            memory_ids: erasure.memory_ids,
            decisions_redacted: 0,
            decisions_removed: 0,
            receipts_removed: 0,
            audit_blanked: 0,
            summaries: Some(Vec::new()),
            graph_pending: false,
            keys_destroyed: Vec::new(),
            keys_checked: 0,
        });
        let audit = rows.log_end().await?.at();
        let second = receipts::issue_in(rows, &self.caller, (row, &space), kind, audit).await?;
        let detail = format!("what receipt #{first} erased is gone from the graph, receipt #{second}");
        let call = Call::new(self.caller.clone(), ACTION, Some(space));
        rows.note(&call, &Record::done(detail)).await
    }
}

impl Store {
    /// The oldest rows, of all tenants.
    pub async fn graph_waiting(&self, most: usize) -> Result<Vec<OutboxRow>, StoreError> {
        self.read(Waiting { most }).await
    }

    /// Removes rows of one tenant that the graph has looked at, and signs the receipts that follow from it. `false`, and
    /// nothing done, where the lease is lost.
    pub async fn graph_applied(
        &self,
        lease: &Lease,
        tenant: &Tenant,
        rows: &[OutboxRow],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let caller = Caller::new(Identity::Service, ACTION.to_owned(), now, Instant::now());
        let caller = Caller { tenant: tenant.clone(), ..caller };
        let rows = rows.iter().map(|row| row.seq).collect();
        self.write(Applied { lease: lease.clone(), caller, rows }).await
    }
}
