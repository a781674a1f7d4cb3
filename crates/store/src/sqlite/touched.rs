//! Which rows a transaction has touched. Triggers of the writing connection itself note them, so that no statement can be
//! forgotten, and nothing of it is in the file.

use super::db::SqliteDb;
use crate::StoreError;
use crate::copy::Table;
use crate::script::StoreResult;
use crate::state::{Change, covered, table_of};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

const TOUCHED: &str = "CREATE TEMP TABLE touched (tbl INTEGER NOT NULL, a NOT NULL, b NOT NULL, c NOT NULL,
    PRIMARY KEY (tbl, a, b, c)) WITHOUT ROWID;";

/// Notes from now on what this connection writes to the tables that the log commits to.
pub(crate) fn watch(db: &Connection) -> Result<(), StoreError> {
    // Not with temp_store = MEMORY: SQLite then keeps in memory, too, what a statement can be undone with, as a list that
    // it walks from the start after each statement. A large erasure took seconds in which nobody else could write.
    db.execute_batch(TOUCHED)?;
    for table in covered() {
        let number = table_of(table.name).unwrap_or_default();
        for (event, row) in [("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")] {
            let part = |at: usize| match table.columns.get(at).filter(|_| at < table.key) {
                Some((column, _)) => format!("{row}.{column}"),
                None => "''".to_owned(),
            };
            // Not INSERT OR IGNORE: an upsert that fires the trigger decides on conflicts within it too, and would fail
            // where it touches a row a second time.
            db.execute_batch(&format!(
                "CREATE TEMP TRIGGER touched_{0}_{event} AFTER {event} ON main.{0} BEGIN
                 INSERT INTO touched SELECT {number}, {1}, {2}, {3} WHERE NOT EXISTS (
                 SELECT 1 FROM touched WHERE tbl = {number} AND a = {1} AND b = {2} AND c = {3}); END",
                table.name,
                part(0),
                part(1),
                part(2),
            ))?;
        }
    }
    Ok(())
}

impl SqliteDb<'_> {
    /// What became of the rows that were touched since this was last asked.
    pub fn changes(&mut self) -> StoreResult<Vec<Change>> {
        let Some(key) = self.secrets.state.as_ref() else { return Ok(Vec::new()) };
        let mut changes = Vec::new();
        {
            let mut touched = self.sql.prepare_cached("SELECT tbl, a, b, c FROM temp.touched")?;
            let mut rows = touched.query([])?;
            while let Some(row) = rows.next()? {
                let number: u8 = row.get(0)?;
                let Some(table) = covered().find(|table| table_of(table.name) == Some(number)) else {
                    continue;
                };
                let parts =
                    (1..=table.key).map(|at| row.get::<_, Value>(at)).collect::<Result<Vec<_>, _>>()?;
                let name = key.row_key(table, parts.iter().map(ValueRef::from));
                let mut read = self.sql.prepare_cached(&by_key(table))?;
                let mut found = read.query(params_from_iter(&parts))?;
                let mac = match found.next()? {
                    Some(row) => Some(key.row_mac(table, columns(table, row)?.into_iter())),
                    None => None,
                };
                changes.push(Change { row: name, mac });
            }
        }
        self.execute("DELETE FROM temp.touched", &[])?;
        Ok(changes)
    }
}

fn by_key(table: &Table) -> String {
    let key = table.columns.iter().take(table.key).enumerate();
    let conditions: Vec<String> = key.map(|(at, (name, _))| format!("{name} = ?{}", at + 1)).collect();
    format!("SELECT {} FROM {} WHERE {}", table.names(), table.name, conditions.join(" AND "))
}

fn columns<'r>(table: &Table, row: &'r Row<'_>) -> StoreResult<Vec<(&'static str, ValueRef<'r>)>> {
    let named = table.columns.iter().enumerate();
    named.map(|(at, (name, _))| Ok((*name, row.get_ref(at)?))).collect()
}
