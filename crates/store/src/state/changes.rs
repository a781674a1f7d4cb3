//! The list of changes in an audit entry, and what all lists of the log come to.
//!
//! ```text
//! a row that was written   its key, 16 bytes | its mac, 16 bytes
//! a row that was removed   its key, 16 bytes | 16 zero bytes
//! all rows at an entry     24 zero bytes | the entry's number, 8 bytes, big-endian; the rows follow up to the end
//! ```

use super::key::{RowKey, RowMac};
use super::tables::table_named;
use crate::StoreError;
use std::collections::BTreeMap;

const REMOVED: RowMac = [0; 16];
const ITEM: usize = 32;

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub row: RowKey,
    /// `None` where it was removed.
    pub mac: Option<RowMac>,
}

impl Change {
    fn write(&self, list: &mut Vec<u8>) {
        list.extend_from_slice(&self.row);
        list.extend_from_slice(&self.mac.unwrap_or(REMOVED));
    }
}

/// The changes of one entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub own: Vec<Change>,
    /// Every row as it was when the log ended with this entry, for a log that does not tell from its beginning.
    pub all: Option<(u64, Vec<Change>)>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.all.is_none()
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut list = Vec::with_capacity(ITEM * self.own.len());
        self.own.iter().for_each(|change| change.write(&mut list));
        if let Some((seq, rows)) = &self.all {
            list.extend_from_slice(&[0; 24]);
            list.extend_from_slice(&seq.to_be_bytes());
            rows.iter().for_each(|change| change.write(&mut list));
        }
        list
    }

    pub fn decode(list: &[u8]) -> Result<Self, StoreError> {
        let (items, rest) = list.as_chunks::<ITEM>();
        if !rest.is_empty() {
            return Err(StoreError::corrupt("a list of changes", "its length is no multiple of 32"));
        }
        let mut changes = Self::default();
        for item in items {
            let (row, rest) = item.split_first_chunk().unwrap_or((&[0; 16], &[]));
            let (row, mac): (RowKey, RowMac) = (*row, rest.first_chunk().copied().unwrap_or_default());
            if row == RowKey::default() {
                let seq = mac.last_chunk().copied().unwrap_or_default();
                changes.all = Some((u64::from_be_bytes(seq), Vec::new()));
                continue;
            }
            let change = Change { row, mac: (mac != REMOVED).then_some(mac) };
            match &mut changes.all {
                Some((_, rows)) => rows.push(change),
                None => changes.own.push(change),
            }
        }
        Ok(changes)
    }
}

/// Where the log says that a row was last written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    pub mac: RowMac,
    pub entry: u64,
}

/// The mac that each row must have, by the log up to some entry.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    rows: BTreeMap<RowKey, Written>,
    /// The entry that the rows were last listed at; what it and those before it say is known already.
    listed: u64,
}

impl Ledger {
    /// Begins with the last list of all rows that the log holds. Without one, the log must tell from its first entry on.
    pub fn new(all: Option<(u64, Vec<Change>)>) -> Self {
        let mut ledger = Self::default();
        if let Some((seq, rows)) = all {
            ledger.apply(seq, &rows);
            ledger.listed = seq;
        }
        ledger
    }

    /// Takes in the next entry.
    pub fn take(&mut self, entry: u64, own: &[Change]) {
        if entry > self.listed {
            self.apply(entry, own);
        }
    }

    fn apply(&mut self, entry: u64, changes: &[Change]) {
        for Change { row, mac } in changes {
            match mac {
                Some(mac) => self.rows.insert(*row, Written { mac: *mac, entry }),
                None => self.rows.remove(row),
            };
        }
    }

    /// What the log says of the row, which is then no longer among those that are left.
    pub fn meet(&mut self, row: &RowKey) -> Option<Written> {
        self.rows.remove(row)
    }

    /// Every row, for the entry that lists all of them.
    pub fn all(&self) -> Vec<Change> {
        self.rows.iter().map(|(row, written)| Change { row: *row, mac: Some(written.mac) }).collect()
    }

    /// The rows that were not met: where each belongs, and the entry that last wrote it.
    pub fn missing(&self) -> impl Iterator<Item = (&'static str, &RowKey, u64)> {
        self.rows.iter().filter_map(|(row, written)| {
            let table = table_named(*row.first()?)?;
            Some((table, row, written.entry))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Changes, Ledger};

    fn row(n: u8, mac: u8) -> Change {
        Change { row: [n; 16], mac: (mac > 0).then_some([mac; 16]) }
    }

    #[test]
    fn a_list_reads_as_it_was_written() {
        for all in [None, Some((7, vec![row(3, 3), row(4, 4)]))] {
            let changes = Changes { own: vec![row(1, 1), row(2, 0)], all };
            assert_eq!(Changes::decode(&changes.encode()).unwrap(), changes);
        }
        assert!(Changes::decode(&[1; 33]).is_err());
    }

    #[test]
    fn the_last_word_on_a_row_counts() {
        let mut ledger = Ledger::new(None);
        ledger.take(1, &[row(1, 1), row(2, 1), row(3, 1)]);
        ledger.take(2, &[row(1, 2), row(2, 0)]);
        assert_eq!(ledger.meet(&[1; 16]).map(|written| (written.mac, written.entry)), Some(([2; 16], 2)));
        assert_eq!(ledger.meet(&[2; 16]), None);
        let missing: Vec<_> = ledger.missing().map(|(table, _, entry)| (table, entry)).collect();
        assert_eq!(missing, [("statement", 1)]);
    }

    #[test]
    fn a_list_of_all_rows_stands_for_the_entries_before_it() {
        let mut ledger = Ledger::new(Some((4, vec![row(1, 1), row(3, 1)])));
        ledger.take(4, &[row(3, 0)]);
        ledger.take(5, &[row(1, 5)]);
        assert_eq!(ledger.all(), [row(1, 5), row(3, 1)]);
    }
}
