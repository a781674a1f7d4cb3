//! Applying the changes of the schema, to a schema that is ours.

use super::connection::{self, uneven_pause};
use crate::rows::schema::{Migration, Migrations, pending, refuse_newer};
use crate::rows::schema_objects::{SchemaObject, refuse_other};
use crate::{Part, StoreError};
use rusqlite::{Connection, TransactionBehavior};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long an upgrade waits for others to close the file. Those that only look which version it has do so soon.
const ALONE: Duration = Duration::from_secs(5);
/// How long it waits for the upgrade of another process.
const TURN: Duration = Duration::from_secs(60);

const MIGRATIONS: Migrations = [
    include_str!("schema_v1.sql"),
    include_str!("schema_v2.sql"),
    include_str!("schema_v3.sql"),
    include_str!("schema_v4.sql"),
    include_str!("schema_v5.sql"),
    include_str!("schema_v6.sql"),
    include_str!("schema_v7.sql"),
    include_str!("schema_v8.sql"),
];

/// The version of the schema in the database; 0 where there is none.
pub(crate) fn version(db: &Connection) -> Result<i64, StoreError> {
    let tables: i64 = db.query_row(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'",
        [],
        |row| row.get(0),
    )?;
    if tables == 0 {
        return Ok(0);
    }
    Ok(db.query_row("SELECT coalesce(max(version), 0) FROM schema_migration", [], |row| row.get(0))?)
}

/// Refuses a schema that is not exactly what the migrations up to its version make. Nothing may be written before this:
/// a trigger could take part.
pub(crate) fn refuse_foreign(db: &mut Connection) -> Result<(), StoreError> {
    // Version and objects are read from one snapshot: another process may be migrating.
    let tx = db.transaction()?;
    let version = refuse_newer(version(&tx)?)?;
    let found = objects(&tx)?;
    let made = Connection::open_in_memory()?;
    for step in pending(&MIGRATIONS, 0).filter(|step| step.version <= version) {
        made.execute_batch(step.sql)?;
    }
    refuse_other(&objects(&made)?, &found)
}

/// All that the schema holds, but for what SQLite makes for itself and never takes away: the tables of `AUTOINCREMENT`
/// and of `ANALYZE`, which change no answer.
fn objects(db: &Connection) -> Result<Vec<SchemaObject>, StoreError> {
    let mut read = db.prepare(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master
         WHERE NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))",
    )?;
    let objects = read.query_map([], |row| {
        let (of, sql): (String, String) = (row.get(2)?, row.get(3)?);
        Ok(SchemaObject { kind: row.get(0)?, name: row.get(1)?, definition: format!("{of}: {sql}") })
    })?;
    Ok(objects.collect::<Result<_, _>>()?)
}

/// Brings the database in this file up to this version; returns what was applied. A process of an earlier version that
/// has the file open would go on writing what this version does not understand, so an upgrade needs the file to itself.
pub(crate) fn upgrade(path: &Path, now: &str) -> Result<Vec<i64>, StoreError> {
    if let Some(applied) = up_unless_older(path, now)? {
        return Ok(applied);
    }
    // Processes of this version that start at once take turns, with the file closed, and would otherwise keep each other
    // from having it alone. The folder is locked: of the file itself, SQLite would lose its own locks.
    let _turn = turn(path.parent().filter(|parent| !parent.as_os_str().is_empty()))?;
    if let Some(applied) = up_unless_older(path, now)? {
        return Ok(applied);
    }
    let until = Instant::now() + ALONE;
    loop {
        match connection::open_alone(path).and_then(|mut alone| up(&mut alone, now)) {
            Err(StoreError::Sqlite { part: Part::Lock, .. }) if Instant::now() < until => {
                thread::sleep(uneven_pause());
            }
            Err(StoreError::Sqlite { part: Part::Lock, .. }) => return Err(in_use(path)),
            ended => return ended,
        }
    }
}

/// What was applied to a new database, nothing to one of this version; `None` for one of an earlier version.
fn up_unless_older(path: &Path, now: &str) -> Result<Option<Vec<i64>>, StoreError> {
    let mut db = connection::open(path, None)?;
    refuse_foreign(&mut db)?;
    match refuse_newer(version(&db)?)? {
        0 => up(&mut db, now).map(Some),
        found => Ok(pending(&MIGRATIONS, found).next().is_none().then(Vec::new)),
    }
}

/// Ours until the file is dropped.
fn turn(folder: Option<&Path>) -> Result<File, StoreError> {
    let folder = folder.unwrap_or(Path::new("."));
    let failed =
        |e: std::io::Error| StoreError::Startup(format!("SVC_DB: cannot lock {}: {e}", folder.display()));
    let file = File::open(folder).map_err(failed)?;
    let until = Instant::now() + TURN;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(uneven_pause()),
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Startup(format!(
                    "SVC_DB: another process has been upgrading a database in {} for a minute; wait for it to end, and \
                     start again",
                    folder.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Ok(()) => return Ok(file),
        }
    }
}

fn in_use(path: &Path) -> StoreError {
    StoreError::Startup(format!(
        "SVC_DB: {} is of an earlier version and has to be upgraded, and another process has it open. Stop every process \
         that uses it, also the svc-mcp of each desktop client, and start again",
        path.display()
    ))
}

/// Applies what is pending, all of it or nothing, and safely beside other processes that start at the same time.
pub(crate) fn up(db: &mut Connection, now: &str) -> Result<Vec<i64>, StoreError> {
    refuse_foreign(db)?;
    let found = refuse_newer(version(db)?)?;
    let Some(_) = pending(&MIGRATIONS, found).next() else { return Ok(Vec::new()) };
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let steps: Vec<Migration> = pending(&MIGRATIONS, refuse_newer(version(&tx)?)?).collect();
    for step in &steps {
        tx.execute_batch(step.sql)?;
        tx.execute(
            "INSERT INTO schema_migration (version, name, applied) VALUES (?1, ?2, ?3)",
            (step.version, step.name, now),
        )?;
    }
    tx.commit()?;
    Ok(steps.iter().map(|step| step.version).collect())
}
