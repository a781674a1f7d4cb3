//! The numbered list of schema changes, and applying them.

use crate::StoreError;
use rusqlite::{Connection, TransactionBehavior};

pub(crate) struct Migration {
    pub version: i64,
    pub name: &'static str,
    sql: &'static str,
}

/// A migration that has been released is never edited; a change is a new one at the end.
pub(crate) const MIGRATIONS: [Migration; 2] = [
    Migration { version: 1, name: "the memory engine", sql: include_str!("schema_v1.sql") },
    Migration {
        version: 2,
        name: "keys that expire and rotate, and indexes of the audit log",
        sql: include_str!("schema_v2.sql"),
    },
];

pub(crate) const KNOWN: i64 = MIGRATIONS.len() as i64;

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

pub(crate) fn refuse_newer(found: i64) -> Result<i64, StoreError> {
    if found > KNOWN { Err(StoreError::NewerSchema { found, known: KNOWN }) } else { Ok(found) }
}

/// Applies what is pending, all of it or nothing, and safely beside other processes that start at the same time.
pub(crate) fn up(db: &mut Connection, now: &str) -> Result<Vec<i64>, StoreError> {
    if refuse_newer(version(db)?)? == KNOWN {
        return Ok(Vec::new());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = refuse_newer(version(&tx)?)?;
    let mut applied = Vec::new();
    for migration in MIGRATIONS.iter().filter(|m| m.version > from) {
        tx.execute_batch(migration.sql)?;
        tx.execute(
            "INSERT INTO schema_migration (version, name, applied) VALUES (?1, ?2, ?3)",
            (migration.version, migration.name, now),
        )?;
        applied.push(migration.version);
    }
    tx.commit()?;
    Ok(applied)
}
