//! What a check of the database says of a row.

use crate::copy::Table;
use rusqlite::types::Value;
use std::fmt;

/// Something that is not as the service would have left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The row as `svc fsck --erase` takes it; `None` for what is of no row.
    pub row: Option<RowName>,
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.row {
            Some(row) => write!(f, "{row}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// A table and the values of its primary key, as in `fact/default/12`. Bytes are in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowName(pub(crate) String);

impl RowName {
    pub(crate) fn new(table: &Table, key: &[Value]) -> Self {
        let shown = key.iter().map(|value| match value {
            Value::Integer(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            Value::Blob(bytes) => hex::encode(bytes),
            Value::Null | Value::Real(_) => String::new(),
        });
        Self(std::iter::once(table.name.to_owned()).chain(shown).collect::<Vec<_>>().join("/"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
