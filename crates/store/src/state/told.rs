//! What the log last said of rows, as far as this process has looked: back from the first time that a user was asked for, and
//! on from there as it grows. No entry of a user is read twice.

use super::changes::{Change, Changes};
use super::key::{RowKey, RowMac};
use super::tables::table_named;
use crate::StoreError;
use domain::Tenant;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rows that are remembered of a user, and about as many of all others together. For a row beyond them the whole log is
/// asked.
const MOST: usize = 1 << 18;

/// Whose entries they are: those of one user of a tenant.
pub(crate) type Teller = (Tenant, String);

/// The mac of a row; `None` where it was removed.
type Said = Option<RowMac>;

#[derive(Default)]
struct OfUser {
    /// The last entry that was looked at.
    upto: i64,
    /// The entries from this one on were looked at.
    down_to: i64,
    rows: HashMap<RowKey, Said>,
}

impl OfUser {
    /// Where there is room, which there never is again once there was none: what is said of a row before something that was
    /// not remembered is not remembered either.
    fn remember(&mut self, change: &Change) {
        if self.rows.len() < MOST {
            self.rows.insert(change.row, change.mac);
        }
    }
}

#[derive(Default)]
pub(crate) struct Told(Mutex<HashMap<Teller, OfUser>>);

impl Told {
    /// From which entry on the user's have been read, and up to which.
    pub fn read(&self, teller: &Teller) -> Option<(i64, i64)> {
        self.0.lock().get(teller).map(|user| (user.down_to, user.upto))
    }

    /// Begins with a user after this entry, looking back.
    pub fn begin(&self, teller: &Teller, upto: i64) {
        let mut users = self.0.lock();
        let held: usize = users.values().map(|user| user.rows.len()).sum();
        if held > MOST {
            users.clear();
        }
        let begun = OfUser { upto, down_to: upto.saturating_add(1), rows: HashMap::new() };
        users.insert(teller.clone(), begun);
    }

    /// Takes in what the entries between say that were written since, in their order. Nothing is taken in twice.
    pub fn go_on(&self, teller: &Teller, from: i64, upto: i64, changes: &[Change]) {
        if let Some(user) = self.0.lock().get_mut(teller).filter(|user| user.upto == from) {
            user.upto = upto;
            for change in changes.iter().filter(|change| is_followed(&change.row)) {
                match user.rows.get_mut(&change.row) {
                    Some(said) => *said = change.mac,
                    None => user.remember(change),
                }
            }
        }
    }

    /// Takes in what the entries between say that were written before, the newest first.
    pub fn look_back(&self, teller: &Teller, from: i64, down_to: i64, changes: &[Change]) {
        if let Some(user) = self.0.lock().get_mut(teller).filter(|user| user.down_to == from) {
            user.down_to = down_to;
            for change in changes.iter().filter(|change| is_followed(&change.row)) {
                if !user.rows.contains_key(&change.row) {
                    user.remember(change);
                }
            }
        }
    }

    /// What the whole log says of the row.
    pub fn set(&self, teller: &Teller, row: RowKey, mac: RowMac) {
        if let Some(user) = self.0.lock().get_mut(teller) {
            user.rows.insert(row, Some(mac));
        }
    }

    pub fn get(&self, teller: &Teller, row: &RowKey) -> Option<Said> {
        self.0.lock().get(teller)?.rows.get(row).copied()
    }
}

/// Only what is compared while the service answers is kept.
fn is_followed(row: &RowKey) -> bool {
    row.first().and_then(|number| table_named(*number)).is_some_and(|table| matches!(table, "space" | "fact"))
}

/// Looks for the last word on some rows, from the newest entry back.
pub(crate) struct LastWords {
    open: BTreeSet<RowKey>,
    found: BTreeMap<RowKey, Said>,
    /// What an entry listed of all rows as they were at another entry, which those in between come before.
    listed: Option<(u64, BTreeMap<RowKey, Said>)>,
}

impl LastWords {
    pub fn on(rows: BTreeSet<RowKey>) -> Self {
        Self { open: rows, found: BTreeMap::new(), listed: None }
    }

    pub fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes in the entry before the last one that was given.
    pub fn look_at(&mut self, seq: i64, list: &[u8]) -> Result<(), StoreError> {
        let seq = u64::try_from(seq).unwrap_or_default();
        if self.listed.as_ref().is_some_and(|(at, _)| seq <= *at) {
            self.take_listed();
            return Ok(());
        }
        let changes = Changes::decode(list)?;
        for Change { row, mac } in changes.own.into_iter().rev() {
            if self.open.remove(&row) {
                self.found.insert(row, mac);
            }
        }
        if self.listed.is_none()
            && let Some((at, rows)) = changes.all
        {
            let rows = rows.into_iter().filter(|change| self.open.contains(&change.row));
            self.listed = Some((at, rows.map(|change| (change.row, change.mac)).collect()));
        }
        Ok(())
    }

    /// What was said of each row; nothing of those that no entry names.
    pub fn said(mut self) -> BTreeMap<RowKey, Said> {
        self.take_listed();
        self.found
    }

    fn take_listed(&mut self) {
        let listed = self.listed.as_mut().map(|(_, rows)| std::mem::take(rows)).unwrap_or_default();
        self.found.extend(listed.into_iter().filter(|(row, _)| self.open.remove(row)));
        if self.listed.is_some() {
            self.open.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Changes, LastWords};

    fn list(own: &[(u8, u8)], all: Option<(u64, &[(u8, u8)])>) -> Vec<u8> {
        let rows = |rows: &[(u8, u8)]| -> Vec<Change> {
            let change =
                |(n, mac): &(u8, u8)| Change { row: [*n; 16], mac: (*mac > 0).then_some([*mac; 16]) };
            rows.iter().map(change).collect()
        };
        Changes { own: rows(own), all: all.map(|(at, listed)| (at, rows(listed))) }.encode()
    }

    fn last(entries: &[(i64, Vec<u8>)]) -> Vec<(u8, Option<u8>)> {
        let mut words = LastWords::on([[1; 16], [2; 16], [3; 16]].into());
        for (seq, list) in entries.iter().rev() {
            words.look_at(*seq, list).unwrap();
        }
        words.said().into_iter().map(|(row, mac)| (row[0], mac.map(|mac| mac[0]))).collect()
    }

    #[test]
    fn the_newest_entry_has_the_last_word() {
        let entries = [(1, list(&[(1, 1), (2, 1)], None)), (2, list(&[(1, 2), (2, 0)], None))];
        assert_eq!(last(&entries), [(1, Some(2)), (2, None)]);
    }

    #[test]
    fn a_list_of_all_rows_is_older_than_the_entries_after_its_own() {
        let entries = [
            (3, list(&[(3, 9)], None)),
            (4, list(&[(1, 4)], None)),
            (5, list(&[], Some((3, &[(1, 1), (2, 1)])))),
        ];
        assert_eq!(last(&entries), [(1, Some(4)), (2, Some(1))]);
    }
}
