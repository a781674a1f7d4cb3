//! Relations of which several hold at once, such as `knows`. Told one after the other as the value of one subject, each
//! would replace the one before.

use crate::cli::import::record::{Record, State};
use domain::Timestamp;
use domain::keys::subject_key;
use std::collections::BTreeMap;

/// Marks those relations as events, of which any number hold beside each other.
pub fn mark_lists<'a>(records: impl Iterator<Item = &'a mut Record>) {
    let mut groups: BTreeMap<(Option<String>, String), Vec<&'a mut Record>> = BTreeMap::new();
    for record in records {
        if let Some(subject) = record.subject.as_deref().filter(|_| record.kind.is_none()) {
            let group = (record.user.clone(), subject_key(subject));
            groups.entry(group).or_default().push(record);
        }
    }
    for mut group in groups.into_values() {
        group.sort_by_key(|record| record.created);
        let overlaps = group.windows(2).any(|pair| match pair {
            [first, second] => ends(first).is_none_or(|end| second.created.is_none_or(|begin| begin < end)),
            _ => false,
        });
        if overlaps {
            group.iter_mut().for_each(|record| record.kind = Some("event"));
        }
    }
}

/// When it stopped to hold; `None` where it still does.
fn ends(record: &Record) -> Option<Timestamp> {
    match record.state {
        State::Ended(at) => Some(at.or(record.created).unwrap_or(Timestamp::MIN)),
        State::Current | State::Past | State::Waiting => None,
    }
}
