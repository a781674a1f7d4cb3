//! Which rows a transaction has touched. Triggers note them in a setting of the transaction.

use super::db::PostgresDb;
use crate::StoreError;
use crate::copy::{Batch, ColumnType, Table};
use crate::script::StoreResult;
use crate::state::{Change, StateKey, covered};
use futures_util::future::try_join_all;
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::types::ToSql;

/// What was noted since this was last asked.
const TOUCHED: &str =
    "SELECT coalesce(current_setting('svc.touched', true), ''), set_config('svc.touched', '', true)";

/// The values of a primary key, as a trigger notes them.
type Noted = Vec<serde_json::Value>;

impl PostgresDb<'_> {
    /// What became of the rows that were touched since this was last asked.
    pub async fn changes(&self) -> StoreResult<Vec<Change>> {
        let Some(key) = self.secrets.state.as_ref() else { return Ok(Vec::new()) };
        let read = self.client.prepare_cached(TOUCHED).await?;
        let noted: String = self.client.query_one(&read, &[]).await?.try_get(0)?;
        let touched = noted_rows(&noted)?;
        let read = touched.iter().map(|(table, keys)| self.changes_in(key, table, keys));
        Ok(try_join_all(read).await?.concat())
    }

    async fn changes_in(
        &self,
        state: &StateKey,
        table: &'static Table,
        keys: &BTreeSet<String>,
    ) -> StoreResult<Vec<Change>> {
        // A batch of bare keys: what is not found again was removed.
        let mut named = Batch::new(table, None);
        for key in keys {
            let parts: Noted =
                serde_json::from_str(key).map_err(|e| StoreError::corrupt("a noted row", e))?;
            for (column, value) in named.columns.iter_mut().zip(&parts) {
                column.push_noted(value)?;
            }
            named.rows += 1;
        }
        let arrays: Vec<&(dyn ToSql + Sync)> =
            named.columns.iter().take(table.key).map(|column| column.array()).collect();
        let statement = self.client.prepare_cached(&by_keys(table)).await?;
        let mut held = Batch::new(table, None);
        for row in self.client.query(&statement, &arrays).await? {
            held.take(&row)?;
        }
        let macs: BTreeMap<_, _> =
            (0..held.rows).map(|at| (state.key_of(&held, at), state.mac_of(&held, at))).collect();
        let rows = (0..named.rows).map(|at| state.key_of(&named, at));
        Ok(rows.map(|row| Change { row, mac: macs.get(&row).copied() }).collect())
    }
}

/// The rows that were noted, by their table, each key as one JSON list.
fn noted_rows(noted: &str) -> StoreResult<Vec<(&'static Table, BTreeSet<String>)>> {
    let mut touched: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in noted.lines() {
        let mut parts: Noted =
            serde_json::from_str(line).map_err(|e| StoreError::corrupt("a noted row", e))?;
        let table = if parts.is_empty() { serde_json::Value::Null } else { parts.remove(0) };
        let key = serde_json::Value::Array(parts).to_string();
        touched.entry(table.as_str().unwrap_or_default().to_owned()).or_default().insert(key);
    }
    let keys = |table: &'static Table| touched.remove(table.name).map(|keys| (table, keys));
    Ok(covered().filter_map(keys).collect())
}

fn by_keys(table: &Table) -> String {
    let key = table.columns.iter().take(table.key);
    let names: Vec<&str> = key.clone().map(|(name, _)| *name).collect();
    let arrays = key.enumerate().map(|(at, (_, kind))| {
        let kind = match kind {
            ColumnType::Integer => "BIGINT",
            ColumnType::Text => "TEXT",
            ColumnType::Bytes => "BYTEA",
        };
        format!("${}::{kind}[]", at + 1)
    });
    format!(
        "SELECT {} FROM {} WHERE ({}) IN (SELECT * FROM unnest({}))",
        table.names(),
        table.name,
        names.join(", "),
        arrays.collect::<Vec<_>>().join(", ")
    )
}
