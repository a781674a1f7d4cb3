//! Which records hold now, and which are history: what can only be told by looking at the clock, or at other records.

use super::record::{Record, State};
use domain::keys::{subject_key, value_key};
use domain::{DEFAULT_USER, Timestamp};
use std::collections::HashMap;

/// In a record's metadata: when it will end, where that is still to come.
const ENDS_AT: &str = "imported_ends_at";

/// What ends later than now holds until then. What the end of a record must not take back is told as history alone.
pub fn settle(records: &mut [Record], now: Timestamp) {
    for record in records.iter_mut() {
        if let State::Ended(Some(at)) = record.state
            && at > now
        {
            record.state = State::Current;
            record.keep(ENDS_AT, Some(&at.to_string().into()));
        }
    }
    for n in outlived(records) {
        if let Some(record) = records.get_mut(n) {
            record.is_history = true;
        }
    }
    for record in records {
        record.is_history |= match record.state {
            State::Current => false,
            // Words that wait say nothing of what they would change.
            State::Waiting => record.subject.is_none(),
            // An event cannot be taken back: any number of them hold beside each other.
            State::Ended(Some(_)) => record.subject.is_none() || record.kind == Some("event"),
            // Nobody knows for how long it held.
            State::Ended(None) | State::Past => true,
        };
    }
}

/// Those whose value goes on to hold by another record when they end.
fn outlived(records: &[Record]) -> Vec<usize> {
    let mut same: HashMap<_, Vec<(usize, &Record)>> = HashMap::new();
    for (n, record) in records.iter().enumerate() {
        if let Some(subject) = &record.subject {
            let user = record.user.as_deref().unwrap_or(DEFAULT_USER);
            let place = (user, &record.agent, &record.run, subject_key(subject), value_key(&record.value));
            same.entry(place).or_default().push((n, record));
        }
    }
    let of = |places: Vec<(usize, &Record)>| -> Vec<usize> {
        let is = |record| places.iter().any(|(_, other)| outlives(other, record));
        places.iter().filter(|(_, record)| is(record)).map(|(n, _)| *n).collect()
    };
    same.into_values().flat_map(of).collect()
}

/// Whether the value goes on to hold by another record when this one ends.
fn outlives(other: &Record, record: &Record) -> bool {
    let State::Ended(Some(end)) = record.state else { return false };
    other.created.is_none_or(|begin| begin <= end)
        && match other.state {
            State::Current => true,
            State::Ended(Some(at)) => at > end,
            State::Ended(None) | State::Past | State::Waiting => false,
        }
}
