//! The mac of a row, and the name that it has in the log.

use super::tables::table_of;
use crate::copy::{Batch, Table};
use hmac::{Hmac, KeyInit, Mac};
use rusqlite::types::ValueRef;
use sha2::Sha256;
use std::fmt;

/// HMAC-SHA-256 under a key of its own.
#[derive(Clone)]
pub struct StateKey(Hmac<Sha256>);

/// Which row it is: the number of its table, and a keyed hash of the table and the primary key.
pub(crate) type RowKey = [u8; 16];

/// A keyed hash of all columns.
pub(crate) type RowMac = [u8; 16];

impl StateKey {
    pub const BYTES: usize = 64;

    pub fn new(secret: &[u8; Self::BYTES]) -> Self {
        Self(Hmac::new(secret.into()))
    }

    /// The values of the primary key.
    pub(crate) fn row_key<'v>(&self, table: &Table, key: impl Iterator<Item = ValueRef<'v>>) -> RowKey {
        let mut mac = self.begin("key", table);
        key.for_each(|value| mix(&mut mac, value));
        let mut name = cut(mac);
        if let (Some(first), Some(number)) = (name.first_mut(), table_of(table.name)) {
            *first = number;
        }
        name
    }

    /// The columns that hold something, with their names: a column that a later version adds, and that is null in the row,
    /// leaves the mac as it is.
    pub(crate) fn row_mac<'v>(
        &self,
        table: &Table,
        columns: impl Iterator<Item = (&'v str, ValueRef<'v>)>,
    ) -> RowMac {
        let mut mac = self.begin("row", table);
        for (name, value) in columns.filter(|(_, value)| !matches!(value, ValueRef::Null)) {
            part(&mut mac, name.as_bytes());
            mix(&mut mac, value);
        }
        cut(mac)
    }

    /// The name of a row of a batch. Only the columns of its key need be there.
    pub(crate) fn key_of(&self, batch: &Batch, row: usize) -> RowKey {
        self.row_key(batch.table, (0..batch.table.key).map(|column| batch.value(column, row)))
    }

    /// The mac of a row of a batch.
    pub(crate) fn mac_of(&self, batch: &Batch, row: usize) -> RowMac {
        let named = batch.table.columns.iter().enumerate();
        self.row_mac(batch.table, named.map(|(column, (name, _))| (*name, batch.value(column, row))))
    }

    fn begin(&self, purpose: &str, table: &Table) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        part(&mut mac, purpose.as_bytes());
        part(&mut mac, table.name.as_bytes());
        mac
    }
}

/// Each length comes before its bytes: ("ab", "c") and ("a", "bc") are different rows.
fn part(mac: &mut Hmac<Sha256>, bytes: &[u8]) {
    mac.update(&(bytes.len() as u64).to_be_bytes());
    mac.update(bytes);
}

/// The kind of the value counts: the number 1 is not the text "1".
fn mix(mac: &mut Hmac<Sha256>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => mac.update(b"n"),
        ValueRef::Integer(number) => {
            mac.update(b"i");
            mac.update(&number.to_be_bytes());
        }
        ValueRef::Real(number) => {
            mac.update(b"r");
            mac.update(&number.to_be_bytes());
        }
        ValueRef::Text(text) => {
            mac.update(b"t");
            part(mac, text);
        }
        ValueRef::Blob(bytes) => {
            mac.update(b"b");
            part(mac, bytes);
        }
    }
}

fn cut(mac: Hmac<Sha256>) -> [u8; 16] {
    let full: [u8; 32] = mac.finalize().into_bytes().into();
    full.first_chunk().copied().unwrap_or_default()
}

impl fmt::Debug for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateKey(..)")
    }
}
