//! Which tables are covered.

use crate::copy::{TABLES, Table};

/// The tables whose rows the log commits to. The number of a table is its place here, from 1 on, and never changes.
/// Vectors are not among them: they are a cache, and sealed. Nor are counters, which can be counted again.
const COVERED: [&str; 9] =
    ["space", "fact", "statement", "statement_text", "decision", "belief", "receipt", "principal", "erasure"];

pub(crate) fn covered() -> impl Iterator<Item = &'static Table> {
    COVERED.iter().filter_map(|name| TABLES.iter().find(|table| table.name == *name))
}

/// The number of the table, if it is covered.
pub(crate) fn table_of(name: &str) -> Option<u8> {
    let place = COVERED.iter().position(|covered| *covered == name)?;
    u8::try_from(place + 1).ok()
}

/// The name of the table of that number.
pub(crate) fn table_named(number: u8) -> Option<&'static str> {
    COVERED.get(usize::from(number).checked_sub(1)?).copied()
}
