//! Connections for reading, which in WAL mode never wait for a writer.

use super::connection::{self, Meter};
use super::db::{SqliteDb, at_once};
use crate::StoreError;
use crate::load::PoolLoad;
use crate::script::{Query, StoreResult};
use crate::secrets::Secrets;
use domain::{Account, Capacity, Places};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;

/// What a set of connections is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Whatever callers read.
    Reading,
    /// Reading that opens as many rows as there are, which takes long.
    Large,
    /// Single statements on what is of the whole deployment: the keys that callers show, and whether the database answers.
    /// However busy reading is, these do not wait for it.
    Desk,
    /// Checking the audit log, which takes seconds and is done once at a time.
    Verification,
}

impl Purpose {
    /// Each place is a thread and a connection. More than four for one caller would not be faster on any machine that
    /// this runs on; with the two more there is always one for another caller, and one for another tenant.
    const fn capacity(self) -> Capacity {
        match self {
            Self::Reading => Capacity { all: 6, tenant: 5, caller: 4 },
            Self::Large => Capacity { all: 3, tenant: 2, caller: 1 },
            Self::Desk => Capacity::of(2),
            Self::Verification => Capacity::of(1),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Reading => "readers",
            Self::Large => "large-readers",
            Self::Desk => "desk",
            Self::Verification => "verification",
        }
    }
}

#[derive(Clone)]
pub(crate) struct Readers {
    purpose: Purpose,
    path: PathBuf,
    meter: Option<Meter>,
    secrets: Arc<Secrets>,
    idle: Arc<Mutex<Vec<Connection>>>,
    places: Places,
}

impl Readers {
    pub fn new(purpose: Purpose, path: PathBuf, secrets: Arc<Secrets>, meter: Option<Meter>) -> Self {
        let places = Places::new(purpose.capacity());
        Self { purpose, path, meter, secrets, idle: Arc::default(), places }
    }

    pub fn load(&self) -> PoolLoad {
        let idle = self.idle.lock().len();
        let (name, open) = (self.purpose.name(), idle + self.places.taken());
        PoolLoad { name, open, idle, waiting: self.places.waiting() }
    }

    pub async fn ask<Q: Query>(&self, query: Q) -> StoreResult<Q::Output> {
        let account = query.account();
        self.run(&account, move |db| at_once(query.run(db))).await
    }

    /// Runs `work` on a consistent snapshot of the database.
    pub async fn run<T: Send + 'static>(
        &self,
        account: &Account,
        work: impl FnOnce(&mut SqliteDb<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let place = self.places.take(account).await;
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
        sql.prepare_cached("BEGIN")?.execute([])?;
        let result = work(&mut SqliteDb { sql: &mut sql, secrets: &self.secrets });
        if sql.prepare_cached("ROLLBACK").and_then(|mut end| end.execute([])).is_ok() {
            self.idle.lock().push(sql);
        }
        result
    }
}
