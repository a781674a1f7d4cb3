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
        let pool = |name, pool: &Pool| {
            let status = pool.status();
            PoolLoad { name, open: status.size, idle: status.available, waiting: status.waiting }
        };
        let pools = vec![pool("transactions", &self.shared.pool), pool("desk", &self.shared.desk)];
        Load { writes_waiting: self.lane.waiting(), pools }
    }
}
