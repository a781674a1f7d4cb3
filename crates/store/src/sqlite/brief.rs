//! Connections for reads of a row or two, which are carried out where they are asked. To hand such a read to another
//! thread and to be woken by it costs more than the read itself.

use super::connection::{self, Meter};
use super::db::{SqliteDb, at_once};
use crate::StoreError;
use crate::script::{Query, StoreResult};
use crate::secrets::Secrets;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone)]
pub(crate) struct Brief(Arc<Inner>);

struct Inner {
    path: PathBuf,
    meter: Option<Meter>,
    secrets: Arc<Secrets>,
    idle: Mutex<Vec<Connection>>,
    open: AtomicUsize,
    /// As many as there are threads that may ask at once.
    most: usize,
}

impl Brief {
    pub fn new(path: PathBuf, secrets: Arc<Secrets>, meter: Option<Meter>) -> Self {
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let inner = Inner { path, meter, secrets, idle: Mutex::default(), open: AtomicUsize::new(0), most };
        Self(Arc::new(inner))
    }

    /// `None` where there is no connection for it, where SQLite would have to wait, or where it fails: then the query is
    /// to be asked on a thread that may wait.
    pub fn ask<Q: Query>(&self, query: &Q) -> Option<StoreResult<Q::Output>> {
        let mut sql = self.0.idle.lock().pop()?;
        let answer = self.answer(&mut sql, query);
        if sql.is_autocommit() || sql.execute_batch("ROLLBACK").is_ok() {
            self.0.idle.lock().push(sql);
        } else {
            self.0.open.fetch_sub(1, Ordering::Relaxed);
        }
        match answer {
            Err(StoreError::Sqlite { .. }) => None,
            answer => Some(answer),
        }
    }

    fn answer<Q: Query>(&self, sql: &mut Connection, query: &Q) -> StoreResult<Q::Output> {
        if !query.is_lookup() {
            sql.prepare_cached("BEGIN")?.execute([])?;
        }
        let answer = at_once(query.run(&mut SqliteDb { sql: &mut *sql, secrets: &self.0.secrets }));
        if !query.is_lookup() {
            sql.prepare_cached("ROLLBACK")?.execute([])?;
        }
        answer
    }

    pub fn is_growing(&self) -> bool {
        self.0.open.load(Ordering::Relaxed) < self.0.most
    }

    /// Opens one more, unless there are enough. It takes a moment, so it is done where waiting is allowed.
    pub fn grow(&self) {
        let inner = &self.0;
        let more = |open: usize| (open < inner.most).then_some(open + 1);
        if inner.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            return;
        }
        match connection::open_impatient(&inner.path, inner.meter.as_ref()) {
            Ok(sql) => inner.idle.lock().push(sql),
            Err(error) => {
                inner.open.fetch_sub(1, Ordering::Relaxed);
                tracing::debug!(%error, "no further connection for brief reads");
            }
        }
    }
}
