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
mod lanes;
pub(crate) mod migrations;
mod numbers;
mod open;
mod pool;
mod principals;
mod receipts;
mod restorations;
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
use crate::rows::facts::SpaceChanges;
use crate::rows::spaces::SpaceVersion;
use crate::secrets::Secrets;
use chain::Waited;
use deadpool_postgres::Pool;
use domain::{Caller, Fact, FactId, Space};
use lanes::{Ground, Lanes, Touches, Work};
use std::sync::Arc;
use tx::Tx;
use witness::Known;

/// A handle on the database; clones share it.
#[derive(Clone)]
pub(crate) struct Postgres {
    shared: Arc<Shared>,
    lanes: Lanes,
}

/// What reads and writes have in common.
pub(crate) struct Shared {
    pool: Pool,
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

#[derive(PartialEq, Eq)]
enum When {
    Always,
    /// Of a call that was given up, which may have got as far as its own entry.
    UnlessRecorded,
}

impl Work for CallRecord {
    type Output = ();

    fn touches(&self) -> Touches {
        Touches::Log
    }

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run(&self, tx: &mut Tx) -> Result<(), StoreError> {
        if self.when == When::Always || !self.call.is_recorded() {
            tx.record(&self.call, &self.record);
        }
        Ok(())
    }
}

impl Postgres {
    pub async fn call_record(&self, call: Call, record: Record) -> Result<(), StoreError> {
        self.lanes.run(CallRecord { call, record, when: When::Always }).await
    }

    /// All calls of one user go through one lane in their order, so what the call itself asked for comes first.
    pub async fn call_abandoned(&self, call: Call, record: Record) -> Result<(), StoreError> {
        self.lanes.run(CallRecord { call, record, when: When::UnlessRecorded }).await
    }

    pub async fn ready(&self) -> Result<(), StoreError> {
        let client = self.shared.pool.get().await?;
        client.batch_execute("SELECT 1").await?;
        Ok(())
    }

    pub fn secrets(&self) -> &Secrets {
        &self.shared.secrets
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
        let Some((snapshot, space_id)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(None);
        };
        snapshot.db()?.fact_get(caller.tenant.as_str(), space_id, id).await
    }

    pub async fn fact_history(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        let Some((snapshot, space_id)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(Vec::new());
        };
        let tenant = caller.tenant.as_str();
        snapshot.db()?.fact_history(tenant, space_id, subject).await
    }

    pub async fn facts_standing(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        let Some((snapshot, space_id)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(Vec::new());
        };
        let tenant = caller.tenant.as_str();
        snapshot.db()?.facts_standing(tenant, space_id, &[domain::keys::subject_key(subject)]).await
    }

    pub async fn facts_retired(
        &self,
        caller: &Caller,
        space: &Space,
        most: usize,
    ) -> Result<Vec<Fact>, StoreError> {
        let Some((snapshot, space_id)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(Vec::new());
        };
        let tenant = caller.tenant.as_str();
        snapshot.db()?.facts_retired(tenant, space_id, most).await
    }

    pub async fn space_changes(
        &self,
        caller: &Caller,
        space: &Space,
        since: Option<SpaceVersion>,
    ) -> Result<SpaceChanges, StoreError> {
        let tenant = caller.tenant.as_str();
        let snapshot = self.shared.snapshot(Reach::Tenant(tenant)).await?;
        snapshot.db()?.space_changes(tenant, space, since).await
    }
}
