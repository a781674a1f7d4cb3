//! Whether it is safe to act on what is held.

use super::database::{Database, raw, unsure};
use crate::{Bar, SlotSchema, judge};
use domain::{Fact, Timestamp};

const DAY: i64 = 86_400;

fn concerns(db: &Database, bar: &Bar, days: i64) -> Vec<String> {
    let facts: Vec<&Fact> = db.facts.iter().collect();
    let now = Timestamp::from_second(days * DAY).unwrap();
    judge(&facts, bar, now).iter().map(ToString::to_string).collect()
}

fn holding(value: &str) -> Database {
    let mut db = Database::new(SlotSchema::none());
    db.say(raw("lead", value, "ADD"));
    db
}

#[test]
fn a_sure_undisputed_fact_is_safe() {
    assert!(concerns(&holding("Alice"), &Bar::default(), 1000).is_empty());
}

#[test]
fn nothing_known_is_a_concern_unless_nothing_is_required() {
    let empty = Database::new(SlotSchema::none());
    assert_eq!(concerns(&empty, &Bar::default(), 0), ["nothing known: no active fact"]);
    assert!(concerns(&empty, &Bar { require_active: false, ..Bar::default() }, 0).is_empty());
}

#[test]
fn a_flag_is_a_concern_unless_flags_are_ignored() {
    let mut db = holding("Alice");
    db.say(raw("lead", "Bob", "FLAG"));
    assert_eq!(concerns(&db, &Bar::default(), 0), ["disputed: #2 lead = Bob awaits confirmation"]);
    assert!(concerns(&db, &Bar { block_on_flagged: false, ..Bar::default() }, 0).is_empty());
}

#[test]
fn confidence_must_reach_the_bar() {
    let mut db = Database::new(SlotSchema::none());
    db.say(unsure(raw("lead", "Alice", "ADD")));
    assert_eq!(concerns(&db, &Bar::default(), 0), ["confidence of #1 lead is 0.4, below the bar of 0.7"]);
    assert!(concerns(&db, &Bar { min_confidence: 0.4, ..Bar::default() }, 0).is_empty());
}

#[test]
fn age_counts_from_the_last_change() {
    let bar = Bar { max_staleness_days: 30.0, block_on_recent_change_days: 2.0, ..Bar::default() };
    let mut db = holding("Alice");
    assert!(concerns(&db, &bar, 1).is_empty(), "a first value is no change");
    assert_eq!(concerns(&db, &bar, 40), ["stale: #1 lead is 40.0 days old, more than 30"]);
    db.say(raw("lead", "Bob", "SUPERSEDE"));
    let facts: Vec<Fact> = db.active().cloned().collect();
    db.facts = facts;
    assert_eq!(concerns(&db, &bar, 1), ["recently changed: #2 lead changed 1.0 days ago, less than 2"]);
    assert!(concerns(&db, &bar, 3).is_empty());
}
