use super::{Finding, Grade, findings, grade};
use crate::eval::exported_fact::ExportedFact;
use crate::eval::sequence::{Sequence, parse};
use domain::{FactId, FactKind, Status};
use serde_json::{Value, json};

fn sequence(labels: &Value) -> Sequence {
    let mut line = json!({ "id": "x", "trade": "coding", "kind": "switch", "say": ["It is so."] });
    line.as_object_mut().unwrap().extend(labels.as_object().unwrap().clone());
    parse(&line.to_string()).unwrap().remove(0)
}

fn fact(subject: &str, value: &str, status: Status) -> ExportedFact {
    ExportedFact {
        id: FactId(0),
        subject: subject.to_owned(),
        value: value.to_owned(),
        scope: "global".to_owned(),
        status,
        kind: FactKind::State,
        refined_from: Vec::new(),
        disputes: None,
        text: String::new(),
        supersedes: None,
    }
}

fn active(subject: &str, value: &str) -> ExportedFact {
    fact(subject, value, Status::Active)
}

fn scoped(subject: &str, value: &str, scope: &str) -> ExportedFact {
    ExportedFact { scope: scope.to_owned(), ..active(subject, value) }
}

#[track_caller]
fn check(labels: &Value, held: &[ExportedFact], expected: Grade) {
    check_answer(labels, held, None, expected);
}

#[track_caller]
fn check_answer(labels: &Value, held: &[ExportedFact], answer: Option<&str>, expected: Grade) {
    let found: Vec<Finding> = findings(&sequence(labels), held, answer);
    assert_eq!(grade(&found), expected, "{found:?}");
}

fn switched() -> Value {
    json!({
        "current": [{ "about": "database|db", "value": "Postgres|PostgreSQL" }],
        "not_current": ["MySQL"],
        "history": ["MySQL"],
    })
}

#[test]
fn a_memory_that_holds_every_label_is_correct() {
    let held = [active("billing db", "PostgreSQL 16"), fact("billing db", "MySQL", Status::Superseded)];
    check(&switched(), &held, Grade::Correct);
}

#[test]
fn a_missed_fact_is_safe() {
    check(&switched(), &[], Grade::Safe);
    check(&switched(), &[active("billing db", "Postgres")], Grade::Safe);
}

#[test]
fn a_fact_that_waits_needlessly_is_safe() {
    let held = [
        fact("database", "Postgres", Status::FlaggedConflict),
        fact("database", "MySQL", Status::Superseded),
    ];
    check(&switched(), &held, Grade::Safe);
}

#[test]
fn an_old_value_beside_the_new_one_is_silently_wrong() {
    check(&switched(), &[active("database", "Postgres"), active("store", "MySQL 8")], Grade::SilentlyWrong);
}

#[test]
fn an_invented_value_is_silently_wrong() {
    let labels = json!({ "current": [{ "about": "database", "value": "Postgres 16" }] });
    check(&labels, &[active("database", "Oracle")], Grade::SilentlyWrong);
    check(&labels, &[active("database", "Postgres")], Grade::Safe);
    check(
        &labels,
        &[active("database", "Postgres 16"), active("database backup", "nightly")],
        Grade::Correct,
    );
}

#[test]
fn a_current_hedge_is_silently_wrong() {
    let labels = json!({ "not_current": ["Kafka"], "flagged": ["Kafka"] });
    check(&labels, &[active("queue", "Kafka")], Grade::SilentlyWrong);
    check(&labels, &[fact("queue", "Kafka", Status::FlaggedConflict)], Grade::Correct);
    check(&labels, &[], Grade::Safe);
}

#[test]
fn only_an_event_that_happened_may_be_current() {
    let event = [ExportedFact { kind: FactKind::Event, ..active("trial", "tried Kafka in 2022") }];
    let labels = |kind: &str| json!({ "kind": kind, "not_current": ["Kafka"] });
    check(&labels("past"), &event, Grade::Correct);
    check(&labels("hypothetical"), &event, Grade::SilentlyWrong);
}

#[test]
fn a_value_in_the_wrong_scope_is_not_missing() {
    let labels = json!({ "current": [
        { "about": "theme", "value": "dark", "scope": "web" },
        { "about": "theme", "value": "light", "scope": "mobile" },
    ] });
    let both = [scoped("theme", "dark", "web"), active("mobile theme", "light")];
    check(&labels, &both, Grade::Correct);
    check(&labels, &[scoped("theme", "light", "mobile")], Grade::Safe);
    check(&labels, &[active("theme", "light")], Grade::SilentlyWrong);
}

#[test]
fn a_denial_holds_nothing_and_asserts_nothing() {
    let labels = json!({ "not_current": ["penicillin"] });
    check(&labels, &[active("penicillin allergy", "none")], Grade::Correct);
    let labels = json!({ "current": ["penicillin"] });
    check(&labels, &[active("penicillin allergy", "none")], Grade::Safe);
    check(&labels, &[active("penicillin allergy", "hives")], Grade::Correct);
}

#[test]
fn an_affirmed_subject_counts_as_its_value() {
    let labels = json!({ "not_current": ["Kafka"] });
    check(&labels, &[active("uses Kafka", "yes")], Grade::SilentlyWrong);
}

#[test]
fn an_answer_is_judged_by_what_it_asserts() {
    let labels = json!({
        "not_current": ["MySQL"],
        "ask": { "question": "Which database?", "answer": ["Postgres"] },
    });
    for (answer, expected) in [
        ("It is Postgres, moved from MySQL.", Grade::Correct),
        ("I do not know.", Grade::Safe),
        ("MySQL.", Grade::SilentlyWrong),
        ("Postgres and MySQL.", Grade::SilentlyWrong),
        ("Oracle.", Grade::SilentlyWrong),
    ] {
        check_answer(&labels, &[], Some(answer), expected);
    }
}

#[test]
fn where_nothing_is_known_only_saying_so_is_correct() {
    let labels = json!({ "ask": { "question": "Which bank?", "answer": [] } });
    check_answer(&labels, &[], Some("I don't know that."), Grade::Correct);
    check_answer(&labels, &[], Some("Your bank is Monzo."), Grade::SilentlyWrong);
}

#[test]
fn a_part_of_an_answer_is_safe() {
    let labels = json!({ "ask": { "question": "Which allergies?", "answer": ["sulfa", "latex"] } });
    check_answer(&labels, &[], Some("Latex."), Grade::Safe);
}

#[test]
fn a_flagged_false_value_is_not_silently_wrong() {
    let labels = json!({ "current": [{ "about": "host", "value": "Fly" }], "not_current": ["Heroku"],
        "ask": { "question": "Where is it hosted?", "answer": ["Fly"] } });
    let old = ExportedFact { id: FactId(7), ..active("host", "Heroku") };
    let flag = |target| ExportedFact {
        id: FactId(8),
        disputes: Some(target),
        ..fact("host", "Heroku", Status::FlaggedConflict)
    };
    check(&labels, &[old.clone(), flag(FactId(7))], Grade::Safe);
    check(&labels, &[old.clone(), flag(FactId(6))], Grade::SilentlyWrong);
    check(&labels, std::slice::from_ref(&old), Grade::SilentlyWrong);
    let held = [old, flag(FactId(7))];
    check_answer(&labels, &held, Some("Heroku."), Grade::SilentlyWrong);
    check_answer(&labels, &held, Some("Heroku. A change to this waits for confirmation."), Grade::Safe);
}
