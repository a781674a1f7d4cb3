//! The store on PostgreSQL: one database, any number of processes on any number of hosts.

mod address;
mod audit;
mod audit_verify;
mod chain;
mod counters;
mod db;
mod decisions;
mod erasure;
mod export;
mod facts;
mod lane;
pub(crate) mod migrations;
mod numbers;
mod open;
mod pool;
mod principals;
mod receipts;
mod restorations;
mod riders;
mod snapshot;
mod spaces;
mod statements;
mod tx;
mod vectors;
mod walls;
mod witness;

pub(crate) use address::{Address, explain};
pub use open::PostgresSettings;
pub(crate) use open::{Contents, deployment_rows, fit_for_use};
pub(crate) use walls::Reach;

use crate::StoreError;
use crate::call::{Call, Record};
use crate::head_file::HeadFile;
use crate::load::{Load, PoolLoad};
use crate::rows::facts::SpaceChanges;
use crate::rows::spaces::SpaceVersion;
use crate::secrets::Secrets;
use chain::Waited;
use deadpool_postgres::Pool;
use domain::{Caller, Fact, FactId, Space};
use lane::{Ground, Lane, Touches, Work};
use std::sync::Arc;
use tx::Tx;
use witness::Known;

/// A handle on the database; clones share it.
#[derive(Clone)]
pub(crate) struct Postgres {
    shared: Arc<Shared>,
    lane: Lane,
}

/// What reads and writes have in common.
pub(crate) struct Shared {
    pool: Pool,
    /// For single statements on what is of the whole deployment.
    desk: Pool,
    pub secrets: Arc<Secrets>,
    head_file: HeadFile,
    /// Heads that the log was seen to pass through.
    known: Known,
    waited: Waited,
    /// Where the database is, without its password.
    address: String,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postgres").field("address", &self.shared.address).finish_non_exhaustive()
    }
}

/// The audit entry of a call that changes nothing.
struct CallRecord {
    call: Call,
    record: Record,
    when: When,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// Besides the entry that it has for what it did before it failed.
    Besides,
    /// As its only entry. It may be given up meanwhile, and have its entry as such a call.
    Answered,
    /// Of a call that was given up, which may have got as far as its own entry.
    GivenUp,
}

impl Work for CallRecord {
    type Output = ();

    fn touches(&self) -> Touches {
        match self.when {
            When::Besides | When::Answered => Touches::Log,
            When::GivenUp => Touches::LogInTurn,
        }
    }

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run(&self, tx: &mut Tx) -> Result<(), StoreError> {
        if self.when == When::Besides || self.call.claim_record() {
            tx.record(&self.call, &self.record);
        }
        Ok(())
    }
}

impl Postgres {
    pub async fn call_record(&self, call: Call, record: Record) -> Result<(), StoreError> {
        let when = if call.is_recorded() { When::Besides } else { When::Answered };
        self.lane.run(CallRecord { call, record, when }).await
    }

    /// Of this and what the call itself asked for only one gets the entry.
    pub async fn call_abandoned(&self, call: Call, record: Record) -> Result<(), StoreError> {
        self.lane.run(CallRecord { call, record, when: When::GivenUp }).await
    }

    pub async fn ready(&self) -> Result<(), StoreError> {
        let client = self.shared.pool.get().await?;
        client.batch_execute("SELECT 1").await?;
        Ok(())
    }

    pub fn secrets(&self) -> &Secrets {
        &self.shared.secrets
    }

    pub fn load(&self) -> Load {
        let pool = |name, pool: &Pool| {
            let status = pool.status();
            PoolLoad { name, open: status.size, idle: status.available, waiting: status.waiting }
        };
        let pools = vec![pool("transactions", &self.shared.pool), pool("desk", &self.shared.desk)];
        Load { writes_waiting: self.lane.waiting(), pools }
    }

    pub fn chain_wait(&self) -> crate::ChainWait {
        self.shared.waited.so_far()
    }

    pub async fn fact_get(
        &self,
        caller: &Caller,
        space: &Space,
        id: FactId,
    ) -> Result<Option<Fact>, StoreError> {
        let Some((snapshot, row)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(None);
        };
        snapshot.db()?.fact_get(caller.tenant.as_str(), row.id, id).await
    }

    pub async fn fact_history(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        let Some((snapshot, row)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(Vec::new());
        };
        let tenant = caller.tenant.as_str();
        snapshot.db()?.fact_history(tenant, row.id, subject).await
    }

    pub async fn facts_standing(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        let Some((snapshot, row)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(Vec::new());
        };
        let tenant = caller.tenant.as_str();
        snapshot.db()?.facts_standing(tenant, row.id, &domain::keys::subject_keys(subject)).await
    }

    pub async fn facts_retired(
        &self,
        caller: &Caller,
        space: &Space,
        most: usize,
    ) -> Result<Vec<Fact>, StoreError> {
        let Some((snapshot, row)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(Vec::new());
        };
        let tenant = caller.tenant.as_str();
        snapshot.db()?.facts_retired(tenant, row.id, most).await
    }

    pub async fn spaces_flagged(&self, caller: &Caller) -> Result<Vec<Space>, StoreError> {
        let tenant = caller.tenant.as_str();
        self.shared.snapshot(Reach::Tenant(tenant)).await?.db()?.spaces_flagged(tenant).await
    }

    pub async fn space_changes(
        &self,
        caller: &Caller,
        space: &Space,
        since: Option<SpaceVersion>,
    ) -> Result<SpaceChanges, StoreError> {
        let Some((snapshot, row)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(SpaceChanges::none());
        };
        snapshot.db()?.space_changes(caller.tenant.as_str(), row, since).await
    }
}
