//! Records of another memory come to the same whatever their order.

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
        database.tell(&id, raw("home city", &self.value(), "ADD"), self.begin);
        if let Some(end) = self.end.filter(|_| with_end) {
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
