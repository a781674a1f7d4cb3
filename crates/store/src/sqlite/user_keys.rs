//! The users' keys of a SQLite database, in a file beside it. Whoever has the write lock of the database may change the
//! file; the others learn of it from a row that changes with it.

use super::connection;
use super::engine::Sqlite;
use crate::StoreError;
use crate::apart::Apart;
use crate::keys::{read_apart, replace_apart};
use crate::rows::deployment::USER_KEYS_ID;
use crate::script::StoreResult;
use crate::seal::Sealer;
use crate::user_keys::{UserKeys, needed};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::path::Path;
use std::time::{Duration, Instant};

/// The keys that the database needs, made where it never had any; `None` where encryption is off. Of several processes that
/// open a new database at once, one makes them. `at` is the last change of keys before any of them were read.
pub(crate) fn load(
    db: &mut Connection,
    path: &Path,
    sealer: &Sealer,
    at: Option<&Vec<u8>>,
) -> Result<Option<UserKeys>, StoreError> {
    if !sealer.is_on() {
        return Ok(None);
    }
    let file = Apart::UserKeys.file(path);
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let id = value(&tx, USER_KEYS_ID)?;
    let written = read_apart(&file)?;
    let trees = needed(sealer, id.as_deref(), written.as_deref(), &file.display().to_string())?;
    if written.is_none() {
        replace_apart(&file, &trees.seal(sealer).map_err(|e| StoreError::Startup(e.to_string()))?)?;
    }
    if id.is_none() {
        tx.execute("INSERT INTO deployment (name, value) VALUES (?1, ?2)", (USER_KEYS_ID, trees.id))?;
    }
    tx.commit()?;
    Ok(Some(UserKeys::new(trees, at.cloned().unwrap_or_default())))
}

fn value(db: &Connection, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let sql = "SELECT value FROM deployment WHERE name = ?1";
    Ok(db.query_row(sql, [name], |row| row.get(0)).optional()?)
}

impl Sqlite {
    /// Copies the write-ahead log into the database and empties it. A reader that stays on an old view of the database
    /// keeps that from happening, and is not waited for longer than a moment: what the log holds is sealed.
    pub async fn log_truncate(&self) -> StoreResult<()> {
        let path = self.path.clone();
        match tokio::task::spawn_blocking(move || truncate(&path)).await {
            Ok(done) => done,
            Err(_) => Err(StoreError::Panicked),
        }
    }
}

fn truncate(path: &Path) -> StoreResult<()> {
    const WAIT: Duration = Duration::from_secs(2);
    let db = connection::open(path, None)?;
    db.busy_timeout(WAIT)?;
    let until = Instant::now() + WAIT;
    // Writers go on during this one, and leave little for the next, for which they wait.
    db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    loop {
        let busy: i64 = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy == 0 {
            return Ok(());
        }
        if Instant::now() >= until {
            tracing::warn!("a long read keeps earlier pages in the write-ahead log; they are sealed");
            return Ok(());
        }
    }
}
