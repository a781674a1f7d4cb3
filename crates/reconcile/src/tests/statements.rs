//! What one statement does to undeclared subjects and single-valued slots.

use super::database::{Database, SOMEONE, Speaker, aimed, at, by, doubted, event, gone, raw, unsure, within};
use crate::{SlotSchema, Trust};
use domain::{Action, FactId, PolicyMode, RawFact, SourcePolicy, Status, Wording};
use serde_json::json;

fn plain() -> Database {
    Database::new(SlotSchema::none())
}

fn holding(subject: &str, value: &str) -> Database {
    let mut db = plain();
    assert_eq!(db.say(raw(subject, value, "ADD")), Action::Add);
    db
}

#[test]
fn a_new_value_supersedes_the_old_whatever_the_action() {
    for action in ["SUPERSEDE", "ADD", "COEXIST"] {
        let mut db = holding("database", "MySQL");
        assert_eq!(db.say(raw("database", "Postgres", action)), Action::Supersede, "{action}");
        assert_eq!(db.shown(), ["#2 Postgres"]);
        assert_eq!(db.fact(FactId(1)).status, Status::Superseded);
        assert_eq!(db.fact(FactId(2)).supersedes, Some(FactId(1)));
    }
}

#[test]
fn the_same_value_in_another_spelling_writes_nothing() {
    let mut db = holding("plan", "Free");
    for (action, value) in [("ADD", "Free"), ("SUPERSEDE", "free."), ("FLAG", " FREE "), ("REFINE", "Free")] {
        assert_eq!(db.say(raw("Plan", value, action)), Action::Dedup, "{action}");
    }
    assert_eq!(db.facts.len(), 1);
}

#[test]
fn the_future_is_flagged_once_whatever_the_action() {
    for action in ["ADD", "SUPERSEDE", "DEDUP", "REFINE", "COEXIST", "ARCHIVE", "FLAG", "RETRACT"] {
        let mut db = holding("plan", "Free");
        let statement = || at("future", raw("plan", "free", action));
        assert_eq!(db.say(statement()), Action::Flag, "{action}");
        assert_eq!(db.say(statement()), Action::Dedup, "{action}");
        assert_eq!(db.shown(), ["#1 Free"]);
        assert!(db.confirm(FactId(2)).is_ok(), "{action}");
    }
    let mut db = holding("plan", "Free");
    assert_eq!(db.say(at("future", raw("plan", "Pro", "ARCHIVE"))), Action::Flag);
    assert_eq!(db.say(at("future", event(raw("trip", "Oslo", "ARCHIVE")))), Action::Flag);
    assert_eq!(db.say(at("future", raw("plan", "Pro", "RETRACT"))), Action::Skip, "Pro is not current");
    assert_eq!(db.say(at("future", raw("plan", "Free", "SKIP"))), Action::Skip);
}

#[test]
fn a_removal_that_is_yet_to_come_is_flagged_as_one() {
    let mut db = holding("apm", "Sentry");
    let future = |action| at("future", raw("apm", "Sentry", action));
    assert_eq!(db.seen(gone(), future("SKIP"))[0].action, Action::Skip);
    assert_eq!(db.seen(gone(), future("ADD"))[0].action, Action::Flag);
    assert_eq!(db.fact(FactId(2)).pending.as_ref().unwrap().action, Action::Retract);
    assert_eq!(db.shown(), ["#1 Sentry"]);
}

#[test]
fn a_verbatim_slot_tells_spellings_apart() {
    let mut db = Database::new(SlotSchema::preset("coding").unwrap());
    db.say(raw("build_command", "make All", "ADD"));
    assert_eq!(db.say(raw("build command", " make All ", "ADD")), Action::Dedup);
    assert_eq!(db.say(raw("build command", "make all", "ADD")), Action::Supersede);
}

#[test]
fn a_refinement_keeps_its_row_and_the_former_value() {
    let mut db = holding("db", "Postgres");
    db.metadata.insert("team".to_owned(), json!("core"));
    let fact = aimed(FactId(1), RawFact { confidence: Some(0.8), ..raw("db", "Postgres 16", "REFINE") });
    assert_eq!(db.remember("now 16", &[fact], by("ops"))[0].action, Action::Refine);
    assert_eq!(db.shown(), ["#1 Postgres 16"]);
    let row = db.fact(FactId(1));
    assert_eq!((row.confidence, &*row.text, row.source.as_deref()), (0.8, "now 16", Some("ops")));
    assert_eq!(row.metadata["team"], json!("core"));
    assert_eq!(row.earlier.iter().map(|e| e.value.as_str()).collect::<Vec<_>>(), ["Postgres"]);
    assert!(row.changed > row.created);
    assert_eq!(db.say(raw("cache", "Redis", "REFINE")), Action::Add);
}

#[test]
fn each_scope_has_its_own_value() {
    for action in ["COEXIST", "ADD", "SUPERSEDE"] {
        let mut db = holding("db", "Postgres");
        assert_eq!(db.say(within("mobile", raw("db", "SQLite", action))), Action::Coexist, "{action}");
        assert_eq!(db.shown(), ["#1 Postgres", "#2 SQLite"]);
        assert_eq!(db.say(within("Mobile", raw("db", "Realm", "COEXIST"))), Action::Supersede);
        assert_eq!(db.shown(), ["#1 Postgres", "#3 Realm"]);
    }
    assert_eq!(plain().say(raw("db", "Postgres", "COEXIST")), Action::Add);
}

#[test]
fn the_past_is_archived_once_and_never_current() {
    let mut db = plain();
    assert_eq!(db.say(at("past", raw("billing", "monthly", "ADD"))), Action::Archive);
    assert_eq!(db.fact(FactId(1)).status, Status::Historical);
    assert_eq!(db.say(at("past", raw("billing", "Monthly", "ADD"))), Action::Dedup);
    db.say(raw("billing", "annual", "ADD"));
    assert_eq!(db.say(at("past", raw("billing", "weekly", "SUPERSEDE"))), Action::Archive);
    assert_eq!(db.say(raw("billing", "daily", "ARCHIVE")), Action::Archive);
    assert_eq!(db.say(at("past", raw("billing", "annual", "ADD"))), Action::Archive, "current or not");
    assert_eq!(db.say(raw("billing", "annual", "ARCHIVE")), Action::Dedup);
    assert_eq!(db.shown(), ["#2 annual"]);
    assert_eq!(db.say(at("past", raw("billing", "annual", "RETRACT"))), Action::Retract);
    assert_eq!(db.say(at("past", raw("billing", "annual", "RETRACT"))), Action::Dedup);
    assert_eq!(db.say(at("past", raw("billing", "hourly", "RETRACT"))), Action::Archive);
    assert_eq!(db.active().count(), 0);
    let twice = [at("past", raw("x", "1", "ADD")), at("past", within("mobile", raw("x", "1", "ADD")))];
    let outcomes = db.remember("then", &twice, SOMEONE);
    assert_eq!((outcomes[0].action, outcomes[1].action), (Action::Archive, Action::Dedup));
}

#[test]
fn unsure_and_future_facts_are_flagged() {
    let mut db = holding("lead", "Alice");
    assert_eq!(db.say(at("future", raw("lead", "Bob", "SUPERSEDE"))), Action::Flag);
    assert_eq!(db.say(unsure(raw("lead", "Carol", "SUPERSEDE"))), Action::Flag);
    assert_eq!(db.say(raw("lead", "Dan", "FLAG")), Action::Flag);
    assert_eq!(db.say(raw("lead", "Eve", "PONDER")), Action::Flag);
    assert_eq!(db.say(unsure(raw("lead", "Fay", "ADD"))), Action::Flag);
    assert_eq!(db.shown(), ["#1 Alice"]);
    let flag = db.fact(FactId(3));
    assert_eq!(flag.status, Status::FlaggedConflict);
    let pending = flag.pending.as_ref().unwrap();
    assert_eq!((pending.action, pending.target, pending.gated), (Action::Supersede, Some(FactId(1)), false));
    assert!(flag.metadata["flag_reason"].as_str().unwrap().contains("0.4"));
    assert_eq!(db.say(unsure(raw("lead", "carol", "SUPERSEDE"))), Action::Dedup);
}

#[test]
fn a_first_value_is_kept_however_unsure() {
    let mut db = plain();
    assert_eq!(db.say(unsure(raw("cache", "Redis", "ADD"))), Action::Add);
    assert_eq!(db.say(unsure(within("mobile", raw("cache", "None", "COEXIST")))), Action::Flag);
    assert_eq!(db.say(unsure(raw("queue", "Kafka", "SUPERSEDE"))), Action::Flag);
}

#[test]
fn a_removal_leaves_a_tombstone() {
    let mut db = holding("apm", "Sentry");
    assert_eq!(db.say(aimed(FactId(1), raw("apm", "Sentry", "RETRACT"))), Action::Retract);
    assert_eq!(db.fact(FactId(1)).status, Status::Superseded);
    let tombstone = db.fact(FactId(2));
    assert_eq!((tombstone.value.as_str(), tombstone.status), ("(retracted: Sentry)", Status::Historical));
    assert_eq!(tombstone.supersedes, Some(FactId(1)));
    assert_eq!(db.say(raw("apm", "Sentry", "RETRACT")), Action::Skip);
    assert_eq!(db.facts.len(), 2);
}

#[test]
fn a_removal_finds_what_it_means_or_nothing() {
    let mut db = holding("db", "Postgres");
    db.say(within("mobile", raw("db", "SQLite", "COEXIST")));
    assert_eq!(db.say(raw("db", "Oracle", "RETRACT")), Action::Skip);
    assert_eq!(db.say(aimed(FactId(99), raw("db", "Oracle", "RETRACT"))), Action::Skip);
    let outcome = &db.remember("gone", &[raw("db", "sqlite", "RETRACT")], SOMEONE)[0];
    assert_eq!((outcome.action, outcome.value.as_str()), (Action::Retract, "SQLite"));
    assert_eq!(db.fact(FactId(3)).scope, "mobile");
    let outcome = &db.remember("gone", &[raw("db", "n/a", "RETRACT")], SOMEONE)[0];
    assert_eq!((outcome.action, outcome.value.as_str()), (Action::Retract, "Postgres"));
    assert_eq!(db.say(raw("db", "", "RETRACT")), Action::Skip);
    let mut db = holding("db", "Postgres");
    db.say(raw("cache", "Redis", "ADD"));
    assert_eq!(
        db.say(aimed(FactId(1), raw("cache", "Memcached", "RETRACT"))),
        Action::Skip,
        "#1 is another subject's"
    );
}

#[test]
fn an_unsure_removal_is_flagged_once() {
    let mut db = holding("apm", "Sentry");
    assert_eq!(db.say(unsure(aimed(FactId(1), raw("apm", "Sentry", "RETRACT")))), Action::Flag);
    assert_eq!(db.say(unsure(raw("apm", "", "RETRACT"))), Action::Dedup);
    assert_eq!(db.say(at("future", raw("apm", "Sentry", "RETRACT"))), Action::Dedup);
    assert_eq!((db.shown(), db.fact(FactId(2)).value.as_str()), (vec!["#1 Sentry".to_owned()], "Sentry"));
}

#[test]
fn removal_words_retract_unless_the_model_disagrees() {
    for (action, done) in [
        ("ADD", Action::Retract),
        ("SUPERSEDE", Action::Retract),
        ("DEDUP", Action::Flag),
        ("REFINE", Action::Flag),
        ("COEXIST", Action::Flag),
        ("FLAG", Action::Flag),
        ("ARCHIVE", Action::Archive),
        ("SKIP", Action::Skip),
    ] {
        let mut db = holding("apm", "Sentry");
        assert_eq!(db.seen(gone(), raw("apm", "Sentry", action))[0].action, done, "{action}");
        if done == Action::Flag {
            assert_eq!(db.fact(FactId(2)).pending.as_ref().unwrap().action, Action::Retract, "{action}");
        }
    }
    let mut db = holding("apm", "Rollbar");
    let hedged = Wording { removal: true, ..doubted() };
    assert_eq!(db.seen(hedged, raw("apm", "Rollbar", "ADD"))[0].action, Action::Dedup);
    assert_eq!(db.seen(gone(), raw("apm", "Sentry", "ADD"))[0].action, Action::Supersede, "Sentry is new");
}

#[test]
fn events_coexist_and_change_nothing() {
    let mut db = plain();
    db.say(event(raw("race", "10k in May", "ADD")));
    assert_eq!(db.say(event(raw("race", "5k in June", "SUPERSEDE"))), Action::Add);
    assert_eq!(db.say(event(raw("race", "5K in June", "ADD"))), Action::Dedup);
    assert_eq!(db.say(raw("race", "none planned", "ADD")), Action::Add);
    assert_eq!(db.say(event(raw("race", "none planned", "RETRACT"))), Action::Flag);
    assert_eq!(db.active().count(), 3);
}

#[test]
fn an_event_on_a_declared_slot_replaces_nothing() {
    let mut db = Database::new(SlotSchema::preset("coding").unwrap());
    assert_eq!(db.say(event(raw("db", "Postgres", "ADD"))), Action::Add);
    assert_eq!(db.fact(FactId(1)).kind, domain::FactKind::State);
    assert_eq!(db.say(event(raw("database", "MySQL", "ADD"))), Action::Flag);
    assert_eq!(db.shown(), ["#1 Postgres"]);
}

#[test]
fn after_its_first_value_a_gated_slot_takes_proposals() {
    let mut db = Database::clinical();
    assert_eq!(db.say(raw("code_status", "full code", "ADD")), Action::Add);
    assert_eq!(db.fact(FactId(1)).category(), Some("code_status"));
    for action in ["SUPERSEDE", "REFINE", "ADD"] {
        let mut db = Database::clinical();
        db.say(raw("code_status", "full code", "ADD"));
        assert_eq!(db.say(raw("code_status", "DNR", action)), Action::Flag, "{action}");
        assert_eq!(db.say(raw("code_status", "dnr", action)), Action::Dedup, "{action}");
        assert!(db.fact(FactId(2)).pending.as_ref().unwrap().gated);
        assert_eq!(db.say(raw("code_status", "full code", "RETRACT")), Action::Flag);
        assert_eq!(db.shown(), ["#1 full code"]);
    }
    let words = db.seen(gone(), raw("code_status", "full code", "ADD"));
    assert_eq!(words[0].action, Action::Flag);
    let trusted = Speaker(Some("fhir"), Trust::Trusted);
    let outcome = db.remember("said", &[raw("code_status", "DNI", "SUPERSEDE")], trusted);
    assert_eq!(outcome[0].action, Action::Supersede);
}

#[test]
fn naming_another_scope_does_not_pass_the_gate() {
    let mut db = Database::clinical();
    db.say(raw("code_status", "full code", "ADD"));
    let elsewhere = || within("hospice", raw("code_status", "DNR", "ADD"));
    assert_eq!(db.say(elsewhere()), Action::Flag);
    assert_eq!(db.say(elsewhere()), Action::Dedup);
    let pending = db.fact(FactId(2)).pending.as_ref().unwrap();
    assert_eq!((pending.action, pending.target, pending.gated), (Action::Coexist, None, true));
    let trusted = Speaker(Some("fhir"), Trust::Trusted);
    assert_eq!(db.remember("said", &[elsewhere()], trusted)[0].action, Action::Coexist);

    db.say(raw("active_medication", "Warfarin 5 mg", "ADD"));
    let ward = |value| within("ward", raw("active_medication", value, "ADD"));
    assert_eq!(db.say(ward("Warfarin 7 mg")), Action::Flag);
    assert_eq!(db.say(ward("Aspirin 100 mg")), Action::Add, "a new item of the list");
}

#[test]
fn a_source_policy_flags_what_another_source_changes() {
    let mut db = plain();
    db.policy = SourcePolicy {
        mode: PolicyMode::Authority,
        authority: [("hr".into(), 10), ("bot".into(), 1)].into(),
    };
    db.remember("said", &[raw("title", "CTO", "ADD")], by("HR"));
    let mut change = |value: &str, action: &str, voice| {
        db.remember("said", &[raw("title", value, action)], voice)[0].action
    };
    assert_eq!(change("Intern", "SUPERSEDE", by("bot")), Action::Flag);
    assert_eq!(change("Clerk", "SUPERSEDE", SOMEONE), Action::Flag);
    assert_eq!(change("CTO", "RETRACT", by("bot")), Action::Flag);
    assert_eq!(change("CEO", "SUPERSEDE", by("hr")), Action::Supersede);
    db.policy.mode = PolicyMode::Review;
    assert_eq!(db.remember("said", &[raw("title", "Dr CEO", "REFINE")], by("boss"))[0].action, Action::Flag);
    assert_eq!(db.remember("said", &[raw("office", "Oslo", "ADD")], by("boss"))[0].action, Action::Add);
    assert_eq!(db.shown(), ["#5 CEO", "#7 Oslo"]);
}

#[test]
fn facts_of_one_statement_see_each_other() {
    let mut db = plain();
    let facts = [
        raw("DB", "MySQL", "ADD"),
        within("mobile", raw("db", "SQLite", "ADD")),
        raw("d b", "Oracle", "ADD"),
        event(raw("DB", "moved", "ADD")),
        event(raw("db", "Moved", "ADD")),
    ];
    let outcomes = db.remember("said", &facts, SOMEONE);
    let seen: Vec<_> = outcomes.iter().map(|o| (o.action, o.subject.as_str(), o.id)).collect();
    assert_eq!(
        seen,
        [
            (Action::Add, "DB", Some(FactId(1))),
            (Action::Coexist, "DB", Some(FactId(2))),
            (Action::Add, "d b", Some(FactId(3))),
            (Action::Add, "DB", Some(FactId(4))),
            (Action::Dedup, "DB", Some(FactId(4))),
        ]
    );
}

#[test]
fn metadata_overrides_the_category_but_claims_no_approval() {
    let mut db = Database::clinical();
    db.metadata = json!({"category": "mine", "n": 1, "approved_by": "me"}).as_object().unwrap().clone();
    db.say(raw("weight", "80 kg", "ADD"));
    assert_eq!(
        serde_json::Value::Object(db.fact(FactId(1)).metadata.clone()),
        json!({"category": "mine", "n": 1})
    );
}
