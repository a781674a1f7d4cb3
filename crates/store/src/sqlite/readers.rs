//! Connections for reading, which in WAL mode never wait for a writer.

use super::connection::{self, Meter};
use super::db::Db;
use crate::StoreError;
use crate::secrets::Secrets;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads that run at once are as many as there are blocking threads at work; idle connections beyond this are closed.
const IDLE_CONNECTIONS: usize = 8;

#[derive(Clone)]
pub(crate) struct Readers {
    path: PathBuf,
    meter: Option<Meter>,
    secrets: Arc<Secrets>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub fn new(path: PathBuf, secrets: Arc<Secrets>, meter: Option<Meter>) -> Self {
        Self { path, meter, secrets, idle: Arc::default() }
    }

    /// Runs `work` on a consistent snapshot of the database.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Db<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let this = self.clone();
        match tokio::task::spawn_blocking(move || this.run_blocking(work)).await {
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
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_CONNECTIONS {
            idle.push(connection);
        }
        result
    }
}
