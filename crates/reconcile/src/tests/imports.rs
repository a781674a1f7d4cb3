//! Records of another memory: what they come to follows neither their order nor how often they are brought.

use super::database::{Database, raw};
use crate::SlotSchema;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A value of the one slot, from its time on, until a time where it ended before another took its place.
#[derive(Debug, Clone)]
struct Period {
    begin: i64,
    end: Option<i64>,
}

impl Period {
    fn value(&self) -> String {
        format!("value {}", self.begin)
    }

    /// The record as it was before it ended, or as it is.
    fn tell(&self, database: &mut Database, with_end: bool) {
        let id = self.begin.to_string();
        let end = self.end.filter(|_| with_end);
        let last = if end.is_some() { None } else { Some(None) };
        database.tell_step(&id, raw("home city", &self.value(), "ADD"), self.begin, last);
        if let Some(end) = end {
            database.tell(&id, raw("home city", &self.value(), "RETRACT"), end);
        }
    }
}

/// What was current then: what began last before, where it had not ended.
fn truth(periods: &[Period], then: i64) -> Vec<String> {
    let last = periods.iter().filter(|period| period.begin <= then).max_by_key(|period| period.begin);
    last.filter(|period| period.end.is_none_or(|end| end > then)).map(Period::value).into_iter().collect()
}

fn any_periods() -> impl Strategy<Value = Vec<Period>> {
    let period = (1..40_i64, prop::option::weighted(0.4, 1..20_i64));
    prop::collection::vec(period, 1..7).prop_map(|periods| {
        let mut begins = BTreeSet::new();
        let new = periods.into_iter().filter(|(begin, _)| begins.insert(*begin));
        new.map(|(begin, long)| Period { begin: begin * 10, end: long.map(|long| begin * 10 + long * 3) })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_the_files_does_not_matter(
        periods in any_periods().prop_shuffle(),
        known_late in prop::collection::vec(prop::bool::ANY, 7),
    ) {
        let mut database = Database::new(SlotSchema::default());
        for (period, late) in periods.iter().zip(&known_late) {
            period.tell(&mut database, !late);
        }
        // In a later export, some have ended.
        for (period, _) in periods.iter().zip(&known_late).filter(|(_, late)| **late) {
            period.tell(&mut database, true);
        }
        for then in 0..500 {
            prop_assert_eq!(database.as_of(then), truth(&periods, then), "{} of {:?}", then, database.facts);
        }
    }
}

/// A record that its memory changes in place.
#[derive(Debug, Clone, PartialEq)]
struct Record {
    subject: usize,
    value: i64,
    created: i64,
    changed: i64,
    is_over: bool,
    says_when: bool,
}

impl Record {
    fn says(&self) -> (usize, i64, bool) {
        (self.subject, self.value, self.is_over)
    }

    fn current(&self) -> (String, String) {
        (format!("subject {}", self.subject), format!("value {}", self.value))
    }

    /// What is told of it, by its times: how it began, and how it ended.
    fn steps(&self, id: usize) -> Vec<(i64, bool, usize, Self)> {
        let begins = (self.created, false, id, self.clone());
        if self.is_over { vec![begins, (self.changed, true, id, self.clone())] } else { vec![begins] }
    }

    fn tell(&self, is_end: bool, id: usize, database: &mut Database) {
        let (subject, value) = self.current();
        let (action, at) = if is_end { ("RETRACT", self.changed) } else { ("ADD", self.created) };
        let is_last = is_end == self.is_over;
        let changed = Some(self.changed).filter(|_| self.says_when && !is_end);
        database.tell_step(&id.to_string(), raw(&subject, &value, action), at, is_last.then_some(changed));
    }
}

/// What happens to one of the records.
#[derive(Debug, Clone)]
enum Change {
    Edit,
    Move(usize),
    End,
    /// It holds again after all.
    Reopen,
    /// Another record takes its place.
    Next,
    /// All are brought, those that have changed.
    Export,
}

fn any_change() -> impl Strategy<Value = (usize, Change, bool)> {
    let change = prop_oneof![
        3 => Just(Change::Edit),
        2 => (0..4_usize).prop_map(Change::Move),
        2 => Just(Change::End),
        2 => Just(Change::Reopen),
        2 => Just(Change::Next),
        4 => Just(Change::Export),
    ];
    (0..12_usize, change, prop::bool::ANY)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_records_say_now_is_what_is_current(
        changes in prop::collection::vec(any_change(), 1..30),
    ) {
        let mut database = Database::new(SlotSchema::default());
        let mut records: Vec<Record> = (0..3)
            .map(|n| Record {
                subject: n as usize, value: n, created: n + 1, changed: n + 1, is_over: false, says_when: false,
            })
            .collect();
        let mut brought = Vec::new();
        let export = || [(0, Change::Export, false)];
        for (n, (which, change, says_when)) in export().into_iter().chain(changes).chain(export()).enumerate() {
            let at = 10 * (n as i64 + 1);
            let is_free = |subject| records.iter().all(|record| record.is_over || record.subject != subject);
            let which = which % records.len();
            let (record, before) = (&records[which], records[which].clone());
            let after = match change {
                Change::Edit if !record.is_over => Record { value: at, ..before },
                Change::Move(subject) if !record.is_over && is_free(subject) => Record { subject, ..before },
                Change::End if !record.is_over => Record { is_over: true, ..before },
                Change::Reopen if record.is_over && is_free(record.subject) => Record { is_over: false, ..before },
                Change::Next if record.is_over && is_free(record.subject) => {
                    let next = Record { is_over: false, value: at, created: at, changed: at, ..before.clone() };
                    records.push(next);
                    before
                }
                _ => before,
            };
            // What came and went between two exports was in neither.
            let is_as_exported = brought.get(which).is_some_and(|then: &Record| then.says() == after.says());
            if after != records[which] && !is_as_exported {
                records[which] = Record { changed: at, says_when, ..after };
            }
            if !matches!(change, Change::Export) {
                continue;
            }
            database.clock = at;
            let changed = records.iter().enumerate().filter(|(id, record)| brought.get(*id) != Some(*record));
            let mut steps: Vec<_> = changed.flat_map(|(id, record)| record.steps(id)).collect();
            steps.sort_by_key(|(at, is_end, ..)| (*at, *is_end));
            for (_, is_end, id, record) in steps {
                record.tell(is_end, id, &mut database);
            }
            brought.clone_from(&records);
            let current: BTreeSet<(String, String)> =
                database.active().map(|fact| (fact.subject.clone(), fact.value.clone())).collect();
            let said: BTreeSet<(String, String)> =
                records.iter().filter(|record| !record.is_over).map(Record::current).collect();
            prop_assert_eq!(&current, &said, "{:?}", database.facts);
        }
    }
}
