//! Some rows of one table on their way.

use super::tables::{ColumnType, Key, Table};
use crate::StoreError;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use tokio_postgres::types::ToSql;

/// Rows that are read, sent and committed together: large enough that the round trips do not count, small enough that
/// an interruption costs little.
pub(crate) const BATCH: usize = 500;

/// Rows turned into columns, as one statement of PostgreSQL takes them.
#[derive(Debug)]
pub(crate) struct Batch {
    pub table: &'static Table,
    /// Whose rows they are, where the table is divided.
    pub tenant: Option<String>,
    pub rows: usize,
    pub columns: Vec<Column>,
}

#[derive(Debug)]
pub(crate) enum Column {
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

impl Batch {
    pub fn new(table: &'static Table, tenant: Option<&str>) -> Self {
        let column = |kind: ColumnType| match kind {
            ColumnType::Integer => Column::Integers(Vec::new()),
            ColumnType::Text => Column::Texts(Vec::new()),
            ColumnType::Bytes => Column::Bytes(Vec::new()),
        };
        let columns = table.columns.iter().map(|(_, kind)| column(*kind)).collect();
        Self { table, tenant: tenant.map(str::to_owned), rows: 0, columns }
    }

    /// The value in a column of a row; null beyond the last of either.
    pub fn value(&self, column: usize, row: usize) -> ValueRef<'_> {
        match self.columns.get(column).and_then(|column| column.value(row)) {
            Some(ToSqlOutput::Borrowed(value)) => value,
            _ => ValueRef::Null,
        }
    }

    /// Takes a row over from PostgreSQL.
    pub fn take(&mut self, row: &tokio_postgres::Row) -> Result<(), StoreError> {
        for (at, column) in self.columns.iter_mut().enumerate() {
            column.take(row, at)?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Takes over what SQLite found.
    pub fn take_all(&mut self, rows: &mut rusqlite::Rows<'_>) -> Result<(), StoreError> {
        while let Some(row) = rows.next()? {
            for (at, column) in self.columns.iter_mut().enumerate() {
                column.push(row.get_ref(at)?)?;
            }
            self.rows += 1;
        }
        Ok(())
    }

    /// The key of the last row.
    pub fn last(&self) -> Option<Key> {
        let last = self.rows.checked_sub(1)?;
        let from = self.table.key - self.table.order().len();
        let key = self.columns.get(from..self.table.key)?;
        key.iter().map(|column| column.owned(last)).collect()
    }
}

impl Column {
    /// Takes a value over from SQLite, whose columns may hold anything that somebody put there.
    pub fn push(&mut self, value: ValueRef<'_>) -> Result<(), StoreError> {
        let other = |what: &str| StoreError::corrupt("a column", format!("it holds no {what}"));
        match (self, value) {
            (Self::Integers(held), ValueRef::Integer(number)) => held.push(Some(number)),
            (Self::Texts(held), ValueRef::Text(text)) => {
                let text = std::str::from_utf8(text).map_err(|_| other("text in UTF-8"))?;
                held.push(Some(text.to_owned()));
            }
            (Self::Bytes(held), ValueRef::Blob(bytes)) => held.push(Some(bytes.to_owned())),
            (Self::Integers(held), ValueRef::Null) => held.push(None),
            (Self::Texts(held), ValueRef::Null) => held.push(None),
            (Self::Bytes(held), ValueRef::Null) => held.push(None),
            (Self::Integers(_), _) => return Err(other("number")),
            (Self::Texts(_), _) => return Err(other("text")),
            (Self::Bytes(_), _) => return Err(other("bytes")),
        }
        Ok(())
    }

    /// Takes a value over from PostgreSQL.
    pub fn take(&mut self, row: &tokio_postgres::Row, at: usize) -> Result<(), StoreError> {
        match self {
            Self::Integers(held) => held.push(row.try_get(at)?),
            Self::Texts(held) => held.push(row.try_get(at)?),
            Self::Bytes(held) => held.push(row.try_get(at)?),
        }
        Ok(())
    }

    /// Takes over what a trigger of PostgreSQL noted of a key.
    pub fn push_noted(&mut self, value: &serde_json::Value) -> Result<(), StoreError> {
        let other = || StoreError::corrupt("a noted row", "its key is malformed");
        match self {
            Self::Integers(held) => held.push(Some(value.as_i64().ok_or_else(other)?)),
            Self::Texts(held) => held.push(Some(value.as_str().ok_or_else(other)?.to_owned())),
            Self::Bytes(held) => {
                let bytes = value.as_str().and_then(|text| hex::decode(text).ok());
                held.push(Some(bytes.ok_or_else(other)?));
            }
        }
        Ok(())
    }

    /// As SQLite takes it; `None` beyond the last row.
    pub fn value(&self, row: usize) -> Option<ToSqlOutput<'_>> {
        let value = match self {
            Self::Integers(held) => held.get(row)?.map_or(ValueRef::Null, ValueRef::Integer),
            Self::Texts(held) => {
                held.get(row)?.as_ref().map_or(ValueRef::Null, |text| ValueRef::Text(text.as_bytes()))
            }
            Self::Bytes(held) => held.get(row)?.as_deref().map_or(ValueRef::Null, ValueRef::Blob),
        };
        Some(ToSqlOutput::Borrowed(value))
    }

    /// As it is kept for the next page.
    pub fn owned(&self, row: usize) -> Option<Value> {
        Some(match self {
            Self::Integers(held) => held.get(row)?.map_or(Value::Null, Value::Integer),
            Self::Texts(held) => held.get(row)?.clone().map_or(Value::Null, Value::Text),
            Self::Bytes(held) => held.get(row)?.clone().map_or(Value::Null, Value::Blob),
        })
    }

    /// As PostgreSQL takes a whole column.
    pub fn array(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Integers(held) => held,
            Self::Texts(held) => held,
            Self::Bytes(held) => held,
        }
    }
}
