//! The handle on the database.

use super::lane::Lane;
use super::shared::Shared;
use crate::load::{Load, PoolLoad};
use deadpool_postgres::Pool;
use std::sync::Arc;

/// Clones share the database.
#[derive(Clone)]
pub(crate) struct Postgres {
    pub shared: Arc<Shared>,
    pub lane: Lane,
}

impl Postgres {
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
