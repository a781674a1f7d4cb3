//! The handle on the database.

use super::lane::Lane;
use super::shared::Shared;
use crate::StoreError;
use crate::load::{Load, PoolLoad};
use crate::script::{Query, StoreResult};
use deadpool_postgres::Pool;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

/// Clones share the database.
#[derive(Clone)]
pub(crate) struct Postgres {
    pub shared: Arc<Shared>,
    pub lane: Lane,
}

impl Postgres {
    pub async fn ask<Q: Query>(&self, query: Q) -> StoreResult<Q::Output> {
        if !query.is_large() {
            return Box::pin(self.shared.ask(query)).await;
        }
        let (shared, runtime) = (self.shared.clone(), Handle::current());
        match spawn_blocking(move || runtime.block_on(shared.ask(query))).await {
            Ok(answer) => answer,
            Err(error) if error.is_panic() => Err(StoreError::Panicked),
            Err(_) => Err(StoreError::Closed),
        }
    }

    pub fn load(&self) -> Load {
        let Shared { reading, writing, desk, verification, places, .. } = &*self.shared;
        let pool = |name, pool: &Pool| {
            let status = pool.status();
            PoolLoad { name, open: status.size, idle: status.available, waiting: status.waiting }
        };
        let readers = PoolLoad { waiting: places.waiting(), ..pool("readers", reading) };
        let others = [("writer", writing), ("desk", desk), ("verification", verification)];
        let mut pools = vec![readers];
        pools.extend(others.map(|(name, connections)| pool(name, connections)));
        Load { writes_waiting: self.lane.waiting(), pools }
    }
}
