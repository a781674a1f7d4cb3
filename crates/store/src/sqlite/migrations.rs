//! Applying the changes of the schema.

use crate::StoreError;
use crate::rows::schema::{Migration, Migrations, pending, refuse_newer};
use rusqlite::{Connection, TransactionBehavior};

const MIGRATIONS: Migrations = [
    include_str!("schema_v1.sql"),
    include_str!("schema_v2.sql"),
    include_str!("schema_v3.sql"),
    include_str!("schema_v4.sql"),
    include_str!("schema_v5.sql"),
    include_str!("schema_v6.sql"),
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

/// Applies what is pending, all of it or nothing, and safely beside other processes that start at the same time.
pub(crate) fn up(db: &mut Connection, now: &str) -> Result<Vec<i64>, StoreError> {
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
