//! What holds whatever a model proposes: which facts may be changed, depending on what is aimed at and how it is said.

use super::database::{
    Database, SOMEONE, aimed, at, by_subject, by_value, doubted, event, gone, raw, unsure, with_wording,
    within,
};
use crate::SlotSchema;
use domain::{Action, FactId, FactKind, Status, Wording};

fn holding(subject: &str, value: &str) -> Database {
    let mut db = Database::new(SlotSchema::none());
    assert_eq!(db.say(raw(subject, value, "ADD")), Action::Add);
    db
}

fn actions(outcomes: &[crate::Outcome]) -> Vec<Action> {
    outcomes.iter().map(|o| o.action).collect()
}

#[test]
fn a_target_that_the_words_do_not_name_is_not_changed() {
    for (subject, other) in [
        ("region 1 manager", "region 10 manager"),
        ("audit service owner", "queue service owner"),
        ("port of alpha", "port of beta"),
    ] {
        for action in ["SUPERSEDE", "REFINE"] {
            let mut db = holding(subject, "one");
            assert_eq!(db.say(aimed(FactId(1), raw(other, "two", action))), Action::Add, "{other}");
            assert_eq!(db.shown(), ["#1 one", "#2 two"]);
        }
    }
}

#[test]
fn a_named_target_changes_under_its_own_subject() {
    for wording in [by_value("user's gym"), by_subject("user's gym")] {
        let mut db = holding("user's gym", "Fit4U");
        assert_eq!(
            db.seen(wording.clone(), aimed(FactId(1), raw("fitness club", "Oase", "SUPERSEDE")))[0].action,
            Action::Supersede
        );
        assert_eq!(
            (db.shown(), db.fact(FactId(2)).subject.as_str()),
            (vec!["#2 Oase".to_owned()], "user's gym")
        );
        assert_eq!(
            db.seen(wording.clone(), aimed(FactId(2), raw("club", "Oase Mitte", "REFINE")))[0].action,
            Action::Refine
        );
        assert_eq!(
            db.seen(wording.clone(), aimed(FactId(2), raw("the club", "Oase Mitte", "DEDUP")))[0].action,
            Action::Dedup
        );
        assert_eq!(
            db.seen(wording, aimed(FactId(2), raw("sports", "", "RETRACT")))[0].action,
            Action::Retract
        );
        assert_eq!(db.active().count(), 0);
    }
}

#[test]
fn a_past_value_of_a_named_target_is_archived_once() {
    let mut db = holding("gym", "Fit4U");
    assert_eq!(db.say(raw("gym", "Oase", "SUPERSEDE")), Action::Supersede);
    let past = at("past", aimed(FactId(2), raw("club", "Fit4U", "SUPERSEDE")));
    assert_eq!(db.seen(by_subject("gym"), past)[0].action, Action::Dedup);
}

#[test]
fn some_changes_are_refused_even_to_a_named_target() {
    let named = || by_value("gym");
    let change = || aimed(FactId(1), raw("club", "Oase", "SUPERSEDE"));
    for fact in [
        within("work", change()),
        event(change()),
        raw("club", "Oase", "SUPERSEDE"),
        aimed(FactId(9), change()),
    ] {
        let mut db = holding("gym", "Fit4U");
        assert_eq!(db.seen(named(), fact)[0].action, Action::Add);
        assert_eq!(db.active().count(), 2);
    }
    let mut db = holding("gym", "Fit4U");
    db.say(raw("club", "Rowing", "ADD"));
    assert_eq!(db.seen(named(), change())[0].action, Action::Supersede);
    assert_eq!(db.shown(), ["#1 Fit4U", "#3 Oase"]);
    let mut db = holding("gym", "Fit4U");
    let moved = by_value("studio");
    assert_eq!(db.seen(moved, change())[0].action, Action::Add, "the target has become another fact");
}

#[test]
fn a_repeated_value_moves_to_the_named_target() {
    let mut db = holding("gate colour", "blue");
    assert_eq!(db.say(raw("colour of the gate", "red", "ADD")), Action::Add);
    let by_its_value =
        db.seen(by_value("gate colour"), aimed(FactId(1), raw("colour of the gate", "red", "SUPERSEDE")));
    assert_eq!(by_its_value[0].action, Action::Dedup);
    let again =
        db.seen(by_subject("gate colour"), aimed(FactId(1), raw("colour of the gate", "red", "SUPERSEDE")));
    assert_eq!((again[0].action, again[0].subject.as_str()), (Action::Supersede, "gate colour"));
    assert_eq!(db.shown(), ["#3 red"]);
}

#[test]
fn a_named_target_in_a_declared_slot_obeys_the_slot() {
    let mut db = Database::clinical();
    db.say(raw("code_status", "full code", "ADD"));
    let outcome =
        db.seen(by_value("code_status"), aimed(FactId(1), raw("resuscitation wish", "DNR", "SUPERSEDE")));
    assert_eq!((outcome[0].action, outcome[0].subject.as_str()), (Action::Flag, "code_status"));
    assert!(db.fact(FactId(2)).pending.as_ref().unwrap().gated);

    db.say(raw("allergy", "Latex", "ADD"));
    db.say(raw("allergy", "Nuts", "ADD"));
    let by_the_lists_name = by_subject("allergy");
    assert_eq!(
        db.seen(by_the_lists_name, aimed(FactId(3), raw("reaction", "Eggs", "SUPERSEDE")))[0].action,
        Action::Add
    );
    let outcome = db.seen(by_value("allergy"), aimed(FactId(3), raw("trouble", "nuts — mild", "SUPERSEDE")));
    assert_eq!((outcome[0].action, outcome[0].subject.as_str()), (Action::Supersede, "allergy"));
    assert_eq!(
        db.fact(FactId(3)).status,
        Status::Active,
        "Latex; the item of the same identity goes before the target"
    );
    assert_eq!(db.fact(FactId(4)).status, Status::Superseded);

    let mut db = Database::clinical();
    db.say(raw("colour", "blue", "ADD"));
    let astray = db.seen(by_value("colour"), aimed(FactId(1), raw("code_status", "DNR", "SUPERSEDE")));
    assert_eq!((astray[0].action, astray[0].subject.as_str()), (Action::Add, "code_status"));
}

#[test]
fn an_unnamed_removal_waits_or_finds_nothing() {
    let mut db = holding("user's gym", "Fit4U");
    assert_eq!(db.say(aimed(FactId(1), raw("club", "Rowing", "RETRACT"))), Action::Skip, "another value");
    let waits = &db.remember("said", &[aimed(FactId(1), raw("club", "Fit4U", "RETRACT"))], SOMEONE)[0];
    assert_eq!((waits.action, waits.subject.as_str()), (Action::Flag, "user's gym"));
    assert_eq!(db.shown(), ["#1 Fit4U"]);
    assert_eq!(db.confirm(FactId(2)).unwrap().action, Action::Retract);
}

#[test]
fn a_dedup_needs_an_equal_value() {
    let mut db = holding("db", "MySQL");
    assert_eq!(db.say(raw("db", "Postgres", "DEDUP")), Action::Flag);
    assert_eq!(db.say(aimed(FactId(1), raw("db", "Postgres", "DEDUP"))), Action::Dedup, "it waits already");
    assert_eq!(db.say(aimed(FactId(1), raw("cache", "Redis", "DEDUP"))), Action::Add);
    assert_eq!(
        db.say(aimed(FactId(1), raw("store", "MySQL", "DEDUP"))),
        Action::Add,
        "the words do not name #1"
    );
    assert_eq!(db.shown(), ["#1 MySQL", "#3 Redis", "#4 MySQL"]);
    assert_eq!(db.confirm(FactId(2)).unwrap().action, Action::Supersede);
}

#[test]
fn values_of_one_statement_are_one_value() {
    let mut db = Database::new(SlotSchema::none());
    let told = [raw("office", "third floor", "ADD"), raw("Office", "room 12", "SUPERSEDE")];
    assert_eq!(actions(&db.remember("said", &told, SOMEONE)), [Action::Add]);
    assert_eq!(db.shown(), ["#1 third floor, room 12"]);
    assert_eq!(actions(&db.remember("said", &told, SOMEONE)), [Action::Dedup]);
    let more = [raw("office", "third floor, room 12", "DEDUP"), raw("office", "by the lift", "ADD")];
    assert_eq!(actions(&db.remember("said", &more, SOMEONE)), [Action::Supersede]);
    assert_eq!(db.shown(), ["#2 third floor, room 12, by the lift"]);
    let detail = [raw("db", "Postgres", "ADD"), raw("db", "Postgres 16", "REFINE")];
    db.remember("said", &detail, SOMEONE);
    assert_eq!(db.shown()[1], "#3 Postgres 16");
}

#[test]
fn what_one_entry_says_no_other_takes_away() {
    let mut db = holding("port of alpha", "1");
    let told = [
        with_wording(Wording::default(), raw("port of alpha", "1", "DEDUP")),
        with_wording(by_subject("port of alpha"), aimed(FactId(1), raw("port of beta", "2", "SUPERSEDE"))),
        with_wording(Wording::default(), aimed(FactId(1), raw("port of alpha", "1", "RETRACT"))),
        with_wording(Wording::default(), aimed(FactId(2), raw("port of beta", "2", "RETRACT"))),
    ];
    let done = actions(&db.reconcile("said", &told, SOMEONE));
    assert_eq!(done, [Action::Dedup, Action::Add, Action::Flag, Action::Skip]);
    assert_eq!(db.shown(), ["#1 1", "#2 2"]);

    let mut db = holding("office", "Oslo");
    let unsure_and_sure = [unsure(raw("office", "Rome", "ADD")), raw("office", "Bonn", "ADD")];
    assert_eq!(actions(&db.remember("said", &unsure_and_sure, SOMEONE)), [Action::Flag, Action::Supersede]);
    let gone_and_new = [
        with_wording(gone(), raw("office", "Bonn", "ADD")),
        with_wording(Wording::default(), raw("office", "Kyiv", "ADD")),
    ];
    assert_eq!(actions(&db.reconcile("said", &gone_and_new, SOMEONE)), [Action::Supersede, Action::Dedup]);
    assert_eq!(db.active().map(|f| f.value.as_str()).collect::<Vec<_>>(), ["Kyiv"]);
}

#[test]
fn the_target_decides_between_event_and_state() {
    let mut db = holding("oncall", "Ada");
    assert_eq!(
        db.say(event(raw("oncall", "Bo takes over", "ADD"))),
        Action::Add,
        "without a target it is an event"
    );
    assert_eq!(db.say(event(aimed(FactId(1), raw("oncall", "Bo", "SUPERSEDE")))), Action::Supersede);
    assert_eq!(db.fact(FactId(3)).kind, FactKind::State);
    assert_eq!(db.say(event(aimed(FactId(3), raw("oncall", "Bo", "RETRACT")))), Action::Retract);
    assert_eq!(
        db.say(aimed(FactId(2), raw("oncall", "Cy", "SUPERSEDE"))),
        Action::Supersede,
        "a state aims at the event"
    );
    assert_eq!(db.fact(FactId(2)).status, Status::Superseded);
    let mut db = Database::new(SlotSchema::none());
    db.say(event(raw("race", "10k", "ADD")));
    assert_eq!(
        db.say(event(aimed(FactId(1), raw("race", "5k", "SUPERSEDE")))),
        Action::Add,
        "both are events"
    );
}

#[test]
fn every_doubtful_change_waits() {
    for (action, done) in [
        ("ADD", Action::Flag),
        ("SUPERSEDE", Action::Flag),
        ("REFINE", Action::Flag),
        ("COEXIST", Action::Flag),
        ("DEDUP", Action::Flag),
        ("FLAG", Action::Flag),
        ("ARCHIVE", Action::Archive),
        ("SKIP", Action::Skip),
    ] {
        let mut db = holding("ci", "Jenkins");
        assert_eq!(db.seen(doubted(), raw("ci", "Buildkite", action))[0].action, done, "{action}");
        assert_eq!(db.shown(), ["#1 Jenkins"]);
    }
    let mut db = holding("ci", "Jenkins");
    assert_eq!(db.seen(doubted(), raw("ci", "Jenkins", "RETRACT"))[0].action, Action::Flag);
    assert_eq!(db.seen(doubted(), raw("ci", "jenkins", "ADD"))[0].action, Action::Dedup);
    assert_eq!(db.seen(doubted(), at("past", raw("ci", "Travis", "ADD")))[0].action, Action::Archive);
    assert_eq!(db.seen(doubted(), raw("cd", "Argo", "ADD"))[0].action, Action::Flag, "a first value too");
    assert_eq!(db.shown(), ["#1 Jenkins"]);
}

#[test]
fn a_copied_date_is_no_part_of_a_value() {
    let mut db = holding("db", "Postgres [since 2026-01-02]");
    assert_eq!(db.shown(), ["#1 Postgres"]);
    assert_eq!(db.say(raw("db", "Postgres [Since May]", "ADD")), Action::Dedup);
    assert_eq!(db.say(raw("list", "a [b]", "ADD")), Action::Add);
    assert_eq!(db.shown()[1], "#2 a [b]");
}

#[test]
fn a_guarded_slot_cannot_be_stood_beside() {
    let mut db = Database::clinical();
    db.say(raw("code_status", "full code", "ADD"));
    for imitation in ["c\u{43e}de_status", "ｃｏｄｅ ｓｔａｔｕｓ", "code\u{200b}_sta\u{ad}tus"] {
        assert!(matches!(db.say(raw(imitation, "DNR", "ADD")), Action::Flag | Action::Dedup), "{imitation}");
    }
    assert_eq!(db.say(within("gl\u{43e}bal", raw("code_status", "full code", "ADD"))), Action::Dedup);
    assert_eq!(db.shown(), ["#1 full code"]);
}
