//! What people do: forget, update, confirm, reject.

use super::database::{Database, Speaker, aimed, at, by, raw, unsure, within};
use crate::{Editor, Refusal, SlotSchema, Trust};
use domain::{Action, FactId, PolicyMode, Status};
use serde_json::json;

const STALE: fn(i64) -> Refusal = |id| Refusal::Stale { id: FactId(id) };

fn medicated() -> Database {
    let mut db = Database::clinical();
    db.say(raw("active_medication", "Warfarin 5 mg daily", "ADD"));
    db
}

#[test]
fn a_gated_replacement_is_applied_when_confirmed() {
    let mut db = medicated();
    let switch = || aimed(FactId(1), raw("active_medication", "Apixaban 5 mg", "SUPERSEDE"));
    assert_eq!(db.say(switch()), Action::Flag);
    assert_eq!(db.say(switch()), Action::Dedup);
    let outcome = db.confirm(FactId(2)).unwrap();
    assert_eq!((outcome.action, outcome.id), (Action::Supersede, Some(FactId(2))));
    assert_eq!(db.shown(), ["#2 Apixaban 5 mg"]);
    let row = db.fact(FactId(2));
    assert_eq!((row.supersedes, row.pending.is_none()), (Some(FactId(1)), true));
    assert_eq!(row.metadata["approved_by"], json!("prin_1"));
    assert_eq!(row.metadata["decided_by"], json!("the chief"));
    assert_eq!(row.metadata["decided_at"], json!("1970-01-01T00:00:04Z"));
    assert_eq!(
        db.confirm(FactId(2)).unwrap_err(),
        Refusal::NotPending { id: FactId(2), status: Status::Active }
    );
    assert_eq!(
        db.reject(FactId(1)).unwrap_err(),
        Refusal::NotPending { id: FactId(1), status: Status::Superseded }
    );
    assert_eq!(db.confirm(FactId(77)).unwrap_err(), Refusal::Unknown(FactId(77)));
}

#[test]
fn forgetting_what_is_gated_proposes_a_removal_once() {
    let mut db = medicated();
    let drug = || raw("active_medication", "Warfarin 5 mg daily", "ADD");
    assert_eq!(db.forget(drug()).action, Action::Flag);
    assert_eq!(db.forget(drug()).action, Action::Dedup);
    assert_eq!(db.reject(FactId(2)).unwrap().action, Action::Retract);
    let row = db.fact(FactId(2));
    assert_eq!(
        (row.value.as_str(), row.status),
        ("(rejected removal: Warfarin 5 mg daily)", Status::Historical)
    );
    assert_eq!(row.metadata["rejected_by"], json!("prin_1"));
    assert_eq!(db.shown(), ["#1 Warfarin 5 mg daily"]);
    assert_eq!(db.forget(drug()).action, Action::Flag);
    let outcome = db.confirm(FactId(3)).unwrap();
    assert_eq!((outcome.action, outcome.value.as_str()), (Action::Retract, "Warfarin 5 mg daily"));
    assert_eq!(
        (db.fact(FactId(3)).value.as_str(), db.fact(FactId(3)).status),
        ("(retracted: Warfarin 5 mg daily)", Status::Historical)
    );
    assert!(db.shown().is_empty());
}

#[test]
fn forgetting_ignores_confidence_and_tense_but_not_the_policy() {
    let mut db = Database::new(SlotSchema::none());
    db.policy.mode = PolicyMode::Review;
    db.remember("said", &[raw("queue", "Kafka", "ADD")], by("ops"));
    assert_eq!(db.forget(raw("queue", "Kafka", "RETRACT")).action, Action::Flag);
    assert_eq!(db.update(FactId(1), "NATS", Editor::Approver).unwrap().action, Action::Flag);
    assert_eq!(db.shown(), ["#1 Kafka"]);
    db.say(raw("cache", "Redis", "ADD"));
    assert_eq!(db.forget(raw("cache", "Memcached", "RETRACT")).action, Action::Skip);
    assert_eq!(db.forget(unsure(at("past", raw("cache", "redis", "SKIP")))).action, Action::Retract);
    assert_eq!(db.forget(raw("cache", "Redis", "ADD")).action, Action::Skip);
    db.say(raw("cache", "Valkey", "ADD"));
    assert_eq!(db.forget(raw("cache", "", "ADD")).value, "Valkey", "the only value there is");
}

#[test]
fn a_proposal_is_settled_once_its_target_has_gone() {
    let mut db = Database::clinical();
    db.say(raw("code_status", "full code", "ADD"));
    db.say(raw("code_status", "DNR", "SUPERSEDE"));
    db.update(FactId(1), "DNI", Editor::Approver).unwrap();
    assert!(matches!(db.confirm(FactId(2)), Err(Refusal::Settled { .. })));
    assert_eq!(db.shown(), ["#3 DNI"]);
    assert_eq!(db.fact(FactId(2)).status, Status::Historical);
    assert!(db.fact(FactId(2)).metadata["settled"].is_string());
}

#[test]
fn a_proposal_is_stale_once_its_target_was_refined() {
    let mut db = Database::clinical();
    db.say(raw("code_status", "DNR", "ADD"));
    db.say(raw("code_status", "full code", "SUPERSEDE"));
    let trusted = Speaker(Some("fhir"), Trust::Trusted);
    db.remember("said", &[raw("code_status", "DNR and DNI", "REFINE")], trusted);
    assert_eq!(db.confirm(FactId(2)).unwrap_err(), STALE(2));
    assert_eq!(db.shown(), ["#1 DNR and DNI"]);
}

#[test]
fn a_proposal_of_a_slow_call_can_be_confirmed() {
    let mut db = Database::clinical();
    db.clock = 100;
    db.say(raw("code_status", "full code", "ADD"));
    db.clock = 50;
    assert_eq!(db.say(raw("code_status", "DNR", "SUPERSEDE")), Action::Flag);
    assert!(db.fact(FactId(2)).created < db.fact(FactId(1)).changed);
    assert_eq!(db.fact(FactId(2)).pending.as_ref().unwrap().target_value.as_deref(), Some("full code"));
    assert_eq!(db.confirm(FactId(2)).unwrap().action, Action::Supersede);
    assert_eq!(db.shown(), ["#2 DNR"]);
}

#[test]
fn a_new_proposal_does_not_repeat_a_stale_one() {
    let mut db = Database::clinical();
    db.say(raw("code_status", "DNR", "ADD"));
    let full = || raw("code_status", "full code", "SUPERSEDE");
    db.say(full());
    db.forget(raw("code_status", "DNR", "RETRACT"));
    db.update(FactId(1), "comfort care", Editor::Writer).unwrap();
    let trusted = Speaker(Some("fhir"), Trust::Trusted);
    db.remember("said", &[raw("code_status", "DNR and DNI", "REFINE")], trusted);

    assert_eq!(db.say(full()), Action::Flag);
    assert_eq!(db.forget(raw("code_status", "", "RETRACT")).action, Action::Flag);
    assert_eq!(db.update(FactId(1), "comfort care", Editor::Writer).unwrap().action, Action::Flag);
    assert_eq!(db.say(full()), Action::Dedup);
    for (old, new) in [(2, 5), (3, 6), (4, 7)] {
        assert_eq!(db.confirm(FactId(old)).unwrap_err(), STALE(old));
        assert_eq!(
            db.fact(FactId(new)).pending.as_ref().unwrap().target_value.as_deref(),
            Some("DNR and DNI")
        );
    }
    assert_eq!(db.confirm(FactId(5)).unwrap().action, Action::Supersede);
}

#[test]
fn a_gated_value_is_stale_once_its_slot_is_taken() {
    let mut db = Database::clinical();
    db.say(raw("code_status", "full code", "ADD"));
    let hospice = |value| within("hospice", raw("code_status", value, "ADD"));
    db.say(hospice("DNR"));
    db.say(hospice("DNI"));
    assert_eq!(db.confirm(FactId(2)).unwrap().action, Action::Coexist);
    assert_eq!(db.shown(), ["#1 full code", "#2 DNR"]);
    assert_eq!(db.confirm(FactId(3)).unwrap_err(), STALE(3));
    assert_eq!(db.say(hospice("DNI")), Action::Flag, "as a replacement of #2");
    assert_eq!(db.confirm(FactId(4)).unwrap().action, Action::Supersede);
    assert_eq!(db.shown(), ["#1 full code", "#4 DNI"]);
}

#[test]
fn a_confirmed_flag_replaces_whatever_is_current_now() {
    let mut db = Database::new(SlotSchema::none());
    db.say(raw("lead", "Bob", "FLAG"));
    db.say(raw("lead", "Alice", "ADD"));
    assert_eq!(db.confirm(FactId(1)).unwrap().action, Action::Supersede);
    assert_eq!((db.shown(), db.fact(FactId(1)).supersedes), (vec!["#1 Bob".to_owned()], Some(FactId(2))));
    db.say(raw("site", "Oslo", "FLAG"));
    assert_eq!(db.confirm(FactId(3)).unwrap().action, Action::Add);
}

#[test]
fn a_confirmed_refinement_changes_its_target_in_place() {
    let mut db = Database::clinical();
    db.say(raw("code_status", "DNR", "ADD"));
    db.say(raw("code_status", "DNR since May", "REFINE"));
    assert_eq!(db.confirm(FactId(2)).unwrap().action, Action::Refine);
    assert_eq!(db.shown(), ["#1 DNR since May"]);
    assert_eq!(db.fact(FactId(1)).earlier[0].value, "DNR");
    assert_eq!(db.fact(FactId(1)).metadata["approved_by"], json!("prin_1"));
    assert!(!db.fact(FactId(1)).metadata.contains_key("flag_reason"));
    assert_eq!(db.fact(FactId(2)).status, Status::Historical);
}

#[test]
fn a_flagged_removal_of_what_has_gone_is_settled() {
    let mut db = Database::new(SlotSchema::none());
    db.say(raw("apm", "Sentry", "ADD"));
    db.say(unsure(raw("apm", "Sentry", "RETRACT")));
    db.say(raw("apm", "Rollbar", "SUPERSEDE"));
    assert!(matches!(db.confirm(FactId(2)), Err(Refusal::Settled { .. })));
    assert_eq!(db.shown(), ["#3 Rollbar"]);
}

#[test]
fn an_update_has_a_new_id_and_the_editors_name() {
    let mut db = Database::new(SlotSchema::none());
    db.metadata = json!({"team": "core", "asserted_by": "prin_1"}).as_object().unwrap().clone();
    db.remember("said", &[raw("lead", "Alice", "ADD")], by("hr"));
    let outcome = db.update(FactId(1), " Alicia ", Editor::Writer).unwrap();
    assert_eq!((outcome.action, outcome.id), (Action::Supersede, Some(FactId(2))));
    let row = db.fact(FactId(2));
    assert_eq!((row.value.as_str(), &*row.text, row.supersedes), ("Alicia", "Alicia", Some(FactId(1))));
    assert_eq!((row.source.as_deref(), &row.metadata["asserted_by"]), (None, &json!("prin_2")));
    assert_eq!((db.fact(FactId(1)).source.as_deref(), &row.metadata["team"]), (Some("hr"), &json!("core")));
    assert_eq!(db.update(FactId(2), "Alicia", Editor::Writer).unwrap().action, Action::Dedup);
    assert_eq!(
        db.update(FactId(2), "alicia", Editor::Writer).unwrap().action,
        Action::Supersede,
        "a spelling can be mended"
    );
    assert_eq!(
        db.update(FactId(1), "x", Editor::Writer).unwrap_err(),
        Refusal::NotActive { id: FactId(1), status: Status::Superseded }
    );
    assert_eq!(db.update(FactId(9), "x", Editor::Writer).unwrap_err(), Refusal::Unknown(FactId(9)));
    assert_eq!(db.update(FactId(3), "\u{7} \n", Editor::Writer).unwrap_err(), Refusal::EmptyValue);
    assert_eq!(db.update(FactId(3), &"x".repeat(9000), Editor::Writer).unwrap_err(), Refusal::LongValue);
}

#[test]
fn an_update_of_a_gated_slot_waits_for_an_approver() {
    let mut db = medicated();
    assert_eq!(db.update(FactId(1), "Warfarin 3 mg", Editor::Writer).unwrap().action, Action::Flag);
    let repeat = db.update(FactId(1), "Warfarin 3 mg", Editor::Writer).unwrap();
    assert_eq!(
        (repeat.action, repeat.id, repeat.value.as_str()),
        (Action::Dedup, Some(FactId(2)), "Warfarin 3 mg")
    );
    let same = db.update(FactId(1), "Warfarin 5 mg daily", Editor::Writer).unwrap();
    assert_eq!(
        (same.action, same.id, same.value.as_str()),
        (Action::Dedup, Some(FactId(1)), "Warfarin 5 mg daily")
    );
    assert_ne!(repeat.reason, same.reason);
    assert_eq!(
        (db.fact(FactId(2)).source.as_deref(), &db.fact(FactId(2)).metadata["asserted_by"]),
        (None, &json!("prin_2"))
    );
    assert_eq!(db.shown(), ["#1 Warfarin 5 mg daily"]);
    assert_eq!(db.confirm(FactId(2)).unwrap().action, Action::Supersede);
    assert_eq!(db.update(FactId(2), "Warfarin 4 mg", Editor::Approver).unwrap().action, Action::Supersede);
    assert_eq!(db.shown(), ["#3 Warfarin 4 mg"]);
    assert!(!db.fact(FactId(3)).metadata.contains_key("approved_by"));
}

#[test]
fn an_update_does_not_put_an_item_into_a_list_twice() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "Latex", "ADD"));
    db.say(raw("allergy", "Penicillin", "ADD"));
    assert_eq!(
        db.update(FactId(1), "Penicillin — rash", Editor::Approver).unwrap_err(),
        Refusal::Taken { by: FactId(2) }
    );
}
