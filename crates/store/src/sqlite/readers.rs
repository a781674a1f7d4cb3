//! Connections for reading, which in WAL mode never wait for a writer.

use super::connection::{self, Meter};
use super::db::Db;
use crate::StoreError;
use crate::load::{PoolLoad, Waiting};
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

    /// Runs `work` on a consistent snapshot of the database.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Db<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
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

    fn run_blocking<T>(&self, work: impl FnOnce(&Db<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connection::open(&self.path, self.meter.as_ref())?,
        };
        let snapshot = connection.unchecked_transaction()?;
        let result = work(&Db { sql: &snapshot, secrets: &self.secrets });
        drop(snapshot);
        self.idle.lock().push(connection);
        result
    }
}
