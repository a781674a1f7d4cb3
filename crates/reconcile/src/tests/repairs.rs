//! What becomes of a model's answer before the rules see it.

use super::database::{Database, SOMEONE, raw, with_wording};
use crate::{Proposal, SlotSchema};
use domain::{Action, FactKind, RawFact, TimeRef, Wording, limits};
use proptest::prelude::*;

fn repair(facts: &[RawFact], slots: &SlotSchema) -> Vec<Proposal> {
    let facts: Vec<_> = facts.iter().map(|fact| with_wording(Wording::default(), fact.clone())).collect();
    crate::repair(&facts, domain::Proposer::Model, slots)
}

#[test]
fn missing_fields_get_safe_defaults() {
    let bare = RawFact { subject: Some("db".into()), value: Some("x".into()), ..RawFact::default() };
    let p = &repair(&[bare], &SlotSchema::none())[0];
    assert_eq!((p.scope.as_str(), p.kind, p.time_ref), ("global", FactKind::State, TimeRef::Unknown));
    assert_eq!((p.action, p.confidence, p.target), (Action::Flag, 0.5, None));
}

#[test]
fn confidence_is_a_number_from_zero_to_one() {
    for (said, kept) in [(f64::NAN, 0.5), (f64::INFINITY, 0.5), (-1.0, 0.0), (95.0, 1.0), (0.3, 0.3)] {
        let fact = RawFact { confidence: Some(said), ..raw("a", "b", "ADD") };
        assert_eq!(repair(&[fact], &SlotSchema::none())[0].confidence, kept);
    }
}

#[test]
fn texts_are_trimmed_and_free_of_control_characters() {
    let p = &repair(&[raw(" d\u{0}b\u{1b} ", "one\ntwo\u{2028}three", " add ")], &SlotSchema::none())[0];
    assert_eq!((p.subject.as_str(), p.value.as_str(), p.action), ("db", "one two three", Action::Add));
}

#[test]
fn what_cannot_be_kept_whole_is_skipped() {
    let mut db = Database::new(SlotSchema::none());
    let long = |n: usize| "ü".repeat(n);
    for fact in [
        raw("", "x", "ADD"),
        raw("a", "  ", "ADD"),
        raw("a", "", "FLAG"),
        raw(&long(limits::SUBJECT_BYTES), "x", "ADD"),
        raw("a", &long(limits::VALUE_BYTES), "ADD"),
        RawFact { scope: Some(long(limits::SCOPE_BYTES)), ..raw("a", "x", "ADD") },
    ] {
        let outcome = &db.remember("said", &[fact], SOMEONE)[0];
        assert_eq!(outcome.action, Action::Skip);
        assert!(!outcome.reason.is_empty() && outcome.value.len() < 200 && outcome.subject.len() < 200);
    }
    assert!(db.facts.is_empty());
}

#[test]
fn too_many_facts_are_cut_and_reported() {
    let facts: Vec<RawFact> = (0..70).map(|i| raw(&format!("s{i}"), "x", "ADD")).collect();
    let mut db = Database::new(SlotSchema::none());
    let outcomes = db.remember("said", &facts, SOMEONE);
    assert_eq!((db.facts.len(), outcomes.len()), (64, 65));
    let last = outcomes.last().unwrap();
    assert_eq!((last.action, last.value.as_str()), (Action::Skip, "6 dropped"));
}

#[test]
fn a_fact_listed_twice_counts_once() {
    let slots = SlotSchema::preset("clinical").unwrap();
    let facts =
        [raw("allergy", "Latex", "ADD"), raw("Allergies", " Latex", "ADD"), raw("allergy", "Nuts", "ADD")];
    let proposals = repair(&facts, &slots);
    assert_eq!(proposals.iter().map(|p| p.value.as_str()).collect::<Vec<_>>(), ["Latex", "Nuts"]);
    assert!(proposals.iter().all(|p| p.subject == "allergy"));
}

proptest! {
    #[test]
    fn no_answer_of_a_model_breaks_the_rules(
        subject in prop::option::of(any::<String>()),
        value in prop::option::of(any::<String>()),
        scope in prop::option::of(any::<String>()),
        action in prop::option::of(any::<String>()),
        confidence in prop::option::of(any::<f64>()),
        target_id in prop::option::of(any::<i64>()),
        text in any::<String>(),
    ) {
        let fact = RawFact { subject, value, scope, action, confidence, target_id, ..RawFact::default() };
        let mut db = Database::clinical();
        let first = db.remember(&text, std::slice::from_ref(&fact), SOMEONE)[0].action;
        let again = db.remember(&text, &[fact], SOMEONE)[0].action;
        prop_assert!(matches!((first, again), (Action::Skip, Action::Skip) | (_, Action::Dedup | Action::Retract)));
        for fact in &db.facts {
            prop_assert!((0.0..=1.0).contains(&fact.confidence));
            prop_assert!(!fact.subject.is_empty() && !fact.value.is_empty() && !fact.scope.is_empty());
            prop_assert!(!fact.subject.contains(char::is_control) && !fact.value.contains(char::is_control));
        }
    }
}
