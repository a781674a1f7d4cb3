//! Writing a deployment into a new SQLite file.

use super::{Batch, Table};
use crate::StoreError;
use rusqlite::{Connection, params_from_iter};

pub(crate) struct SqliteFile<'a>(pub &'a Connection);

impl SqliteFile<'_> {
    pub fn insert(&self, batch: &Batch) -> Result<(), StoreError> {
        let table = batch.table;
        let marks = vec!["?"; table.columns.len()].join(", ");
        let sql = format!("INSERT INTO {} ({}) VALUES ({marks})", table.name, table.names());
        let mut statement = self.0.prepare_cached(&sql)?;
        for row in 0..batch.rows {
            statement
                .execute(params_from_iter(batch.columns.iter().filter_map(|column| column.value(row))))?;
        }
        Ok(())
    }

    pub fn set(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        self.0.execute(
            "INSERT INTO deployment (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, value),
        )?;
        Ok(())
    }

    pub fn count(&self, table: &Table) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM {}", table.name);
        let rows: i64 = self.0.query_row(&sql, [], |row| row.get(0))?;
        Ok(u64::try_from(rows).unwrap_or(0))
    }
}
