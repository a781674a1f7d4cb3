//! Connections for reading, which in WAL mode never wait for a writer.

use super::connection::{self, Meter};
use super::db::{SqliteDb, at_once};
use crate::StoreError;
use crate::load::{PoolLoad, Waiting};
use crate::script::{Query, StoreResult};
use crate::secrets::Secrets;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Reads that run at once, each on a thread and a connection of its own. More would not be faster on any machine that
/// this runs on, and every thread keeps memory for itself.
const AT_ONCE: usize = 4;

#[derive(Clone)]
pub(crate) struct Readers {
    path: PathBuf,
    meter: Option<Meter>,
    secrets: Arc<Secrets>,
    idle: Arc<Mutex<Vec<Connection>>>,
    places: Arc<Semaphore>,
    waiting: Waiting,
}

impl Readers {
    pub fn new(path: PathBuf, secrets: Arc<Secrets>, meter: Option<Meter>) -> Self {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        Self { path, meter, secrets, idle: Arc::default(), places, waiting: Waiting::default() }
    }

    pub fn load(&self) -> PoolLoad {
        let (idle, busy) = (self.idle.lock().len(), AT_ONCE - self.places.available_permits().min(AT_ONCE));
        PoolLoad { name: "readers", open: idle + busy, idle, waiting: self.waiting.count() }
    }

    pub async fn ask<Q: Query>(&self, query: Q) -> StoreResult<Q::Output> {
        self.run(move |db| at_once(query.run(db))).await
    }

    /// Runs `work` on a consistent snapshot of the database.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteDb<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let waiter = self.waiting.begin();
        let place = self.places.clone().acquire_owned().await.map_err(|_| StoreError::Closed)?;
        drop(waiter);
        let this = self.clone();
        let run = move || {
            let result = this.run_blocking(work);
            drop(place);
            result
        };
        match tokio::task::spawn_blocking(run).await {
            Ok(result) => result,
            Err(error) if error.is_panic() => Err(StoreError::Panicked),
            Err(_) => Err(StoreError::Closed),
        }
    }

    /// A connection whose snapshot did not end well is not used again.
    fn run_blocking<T>(&self, work: impl FnOnce(&mut SqliteDb<'_>) -> StoreResult<T>) -> StoreResult<T> {
        let idle = self.idle.lock().pop();
        let mut sql = match idle {
            Some(connection) => connection,
            None => connection::open(&self.path, self.meter.as_ref())?,
        };
        sql.execute_batch("BEGIN")?;
        let result = work(&mut SqliteDb { sql: &mut sql, secrets: &self.secrets });
        if sql.execute_batch("ROLLBACK").is_ok() {
            self.idle.lock().push(sql);
        }
        result
    }
}
