//! Reading a deployment out of SQLite, all of it as it was at one moment.

use super::{BATCH, Batch, Key, TABLES, Table};
use crate::StoreError;
use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, TransactionBehavior, params_from_iter};
use std::collections::BTreeMap;

/// Within a transaction that only reads: nothing that others write meanwhile is seen.
pub(crate) struct SqliteRows<'a>(Transaction<'a>);

impl<'a> SqliteRows<'a> {
    pub fn of(connection: &'a mut Connection) -> Result<Self, StoreError> {
        let rows = Self(connection.transaction_with_behavior(TransactionBehavior::Deferred)?);
        // The first read is what fixes the moment.
        rows.deployment()?;
        Ok(rows)
    }

    /// What is there now, and nobody writes to it until this is dropped.
    pub fn held(connection: &'a mut Connection) -> Result<Self, StoreError> {
        Ok(Self(connection.transaction_with_behavior(TransactionBehavior::Immediate)?))
    }

    pub fn deployment(&self) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
        let mut statement = self.0.prepare("SELECT name, value FROM deployment")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn count(&self, table: &Table) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM {}", table.name);
        let rows: i64 = self.0.query_row(&sql, [], |row| row.get(0))?;
        Ok(u64::try_from(rows).unwrap_or(0))
    }

    /// Whoever has a row anywhere.
    pub fn tenants(&self) -> Result<Vec<String>, StoreError> {
        let tables = TABLES.iter().filter(|table| table.columns.iter().any(|(name, _)| *name == "tenant"));
        let all: Vec<String> = tables.map(|table| format!("SELECT tenant FROM {}", table.name)).collect();
        let mut statement = self.0.prepare(&format!("{} ORDER BY 1", all.join(" UNION ")))?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// The next rows of a part, none of them at its end.
    pub fn page(
        &self,
        table: &'static Table,
        tenant: Option<&str>,
        after: Option<&Key>,
    ) -> Result<Batch, StoreError> {
        page(&self.0, table, tenant, after)
    }
}

/// The next rows of a part of a table, none of them at its end.
pub(crate) fn page(
    db: &Connection,
    table: &'static Table,
    tenant: Option<&str>,
    after: Option<&Key>,
) -> Result<Batch, StoreError> {
    let mut statement = db.prepare_cached(&table.page(table.name, after, '?'))?;
    let mut params: Vec<Value> = tenant.map(|tenant| Value::Text(tenant.to_owned())).into_iter().collect();
    params.extend(after.into_iter().flatten().cloned());
    params.push(Value::Integer(BATCH as i64));
    let mut rows = statement.query(params_from_iter(params))?;
    let mut batch = Batch::new(table, tenant);
    batch.take_all(&mut rows)?;
    Ok(batch)
}

/// The numbered rows of a tenant in a table whose key is the two.
pub(crate) fn numbered(
    db: &Connection,
    table: &'static Table,
    tenant: &str,
    numbers: &[i64],
) -> Result<Batch, StoreError> {
    let sql = format!("SELECT {} FROM {} WHERE tenant = ?1 AND id = ?2", table.names(), table.name);
    let mut statement = db.prepare_cached(&sql)?;
    let mut batch = Batch::new(table, Some(tenant));
    for number in numbers {
        batch.take_all(&mut statement.query((tenant, number))?)?;
    }
    Ok(batch)
}
