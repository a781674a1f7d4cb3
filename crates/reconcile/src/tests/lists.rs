//! Slots that hold many values.

use super::database::{Database, SOMEONE, Speaker, aimed, by_value, gone, raw, unsure, with_wording, within};
use crate::Trust;
use domain::{Action, FactId, Wording};

#[test]
fn an_item_replaces_only_the_item_of_its_identity() {
    let mut db = Database::clinical();
    assert_eq!(db.say(raw("allergies", "Penicillin — rash", "ADD")), Action::Add);
    assert_eq!(db.say(raw("drug_allergy", "Latex", "COEXIST")), Action::Add);
    assert_eq!(db.say(raw("allergy", "penicillin — rash", "ADD")), Action::Dedup);
    assert_eq!(db.say(raw("allergy", "Penicillin — anaphylaxis", "SUPERSEDE")), Action::Supersede);
    assert_eq!(db.shown(), ["#2 Latex", "#3 Penicillin — anaphylaxis"]);
    assert_eq!(db.say(raw("allergy", "Penicillin — hives", "ADD")), Action::Supersede);
    assert_eq!(db.say(raw("allergy", "Latex - gloves", "REFINE")), Action::Refine);
    assert_eq!(db.shown(), ["#2 Latex - gloves", "#4 Penicillin — hives"]);
    assert!(db.active().all(|f| f.subject == "allergy" && f.list_item && f.category() == Some("allergy")));
}

#[test]
fn a_change_without_a_matching_item_adds_one() {
    let mut db = Database::clinical();
    assert_eq!(db.say(raw("allergy", "Nuts", "SUPERSEDE")), Action::Add);
    assert_eq!(db.say(raw("allergy", "Eggs", "REFINE")), Action::Add);
    assert_eq!(db.say(unsure(raw("allergy", "Soy", "ADD"))), Action::Add);
    assert_eq!(db.say(within("skin", raw("allergy", "Nuts", "ADD"))), Action::Coexist);
    assert_eq!(db.say(within("skin", raw("allergy", "Wool", "ADD"))), Action::Add);
    assert_eq!(db.active().count(), 5);
}

#[test]
fn a_named_item_is_replaced_by_a_new_value() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "Nuts", "ADD"));
    db.say(raw("allergy", "Eggs", "ADD"));
    let named = |target, fact| with_wording(by_value("allergy"), aimed(target, fact));
    let mut say = |fact| db.reconcile("said", &[fact], SOMEONE)[0].action;
    assert_eq!(
        say(named(FactId(1), raw("allergy", "Peanuts", "REFINE"))),
        Action::Supersede,
        "another item is no detail"
    );
    assert_eq!(say(named(FactId(3), raw("allergy", "Eggs — severe", "SUPERSEDE"))), Action::Supersede);
    assert_eq!(
        say(named(FactId(1), raw("allergy", "Soy", "SUPERSEDE"))),
        Action::Add,
        "#1 is no longer current"
    );
    assert_eq!(db.shown(), ["#3 Peanuts", "#4 Eggs — severe", "#5 Soy"]);
}

#[test]
fn an_unnamed_item_stays_and_its_removal_waits() {
    for action in ["SUPERSEDE", "REFINE"] {
        let mut db = Database::clinical();
        db.say(raw("allergy", "Latex", "ADD"));
        let outcomes = db.remember("said", &[aimed(FactId(1), raw("allergy", "Iodine", action))], SOMEONE);
        assert_eq!(outcomes.iter().map(|o| o.action).collect::<Vec<_>>(), [Action::Add, Action::Flag]);
        assert_eq!(outcomes[1].value, "Latex");
        assert_eq!(db.shown(), ["#1 Latex", "#2 Iodine"]);
        assert_eq!(db.confirm(FactId(3)).unwrap().action, Action::Retract);
        assert_eq!(db.shown(), ["#2 Iodine"]);
    }
    let mut db = Database::clinical();
    db.say(raw("allergy", "Latex", "ADD"));
    assert_eq!(db.say(unsure(aimed(FactId(1), raw("allergy", "Iodine", "SUPERSEDE")))), Action::Flag);
    assert_eq!(db.fact(FactId(2)).pending.as_ref().unwrap().target, Some(FactId(1)), "one decision on both");
    assert_eq!(db.say(aimed(FactId(1), raw("allergy", "Wool", "RETRACT"))), Action::Flag);
    assert_eq!(
        db.say(aimed(FactId(1), raw("allergy", "", "RETRACT"))),
        Action::Retract,
        "the only one that is held"
    );
}

#[test]
fn a_gated_item_is_replaced_by_a_proposal() {
    let mut db = Database::clinical();
    db.say(raw("active_medication", "Warfarin 5 mg", "ADD"));
    let change = || [aimed(FactId(1), raw("active_medication", "Apixaban 5 mg", "SUPERSEDE"))];
    assert_eq!(db.remember("said", &change(), SOMEONE)[0].action, Action::Flag);
    let pending = db.fact(FactId(2)).pending.as_ref().unwrap();
    assert_eq!((pending.action, pending.target, pending.gated), (Action::Supersede, Some(FactId(1)), true));
    let trusted = db.remember("said", &change(), Speaker(Some("fhir"), Trust::Trusted));
    assert_eq!(trusted.iter().map(|o| o.action).collect::<Vec<_>>(), [Action::Add, Action::Flag]);
}

#[test]
fn a_list_told_in_one_statement_adds_and_never_empties() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "Latex", "ADD"));
    let told = [
        aimed(FactId(1), raw("allergy", "Iodine", "SUPERSEDE")),
        raw("allergy", "latex", "DEDUP"),
        aimed(FactId(1), raw("allergy", "Eggs", "REFINE")),
    ];
    let outcomes = db.remember("said", &told, SOMEONE);
    assert_eq!(
        outcomes.iter().map(|o| o.action).collect::<Vec<_>>(),
        [Action::Add, Action::Dedup, Action::Add]
    );
    assert_eq!(db.shown(), ["#1 Latex", "#2 Iodine", "#3 Eggs"]);
    let details = [raw("allergy", "Soy — rash", "ADD"), raw("allergy", "Soy — hives", "ADD")];
    db.remember("said", &details, SOMEONE);
    assert_eq!(db.shown()[3], "#4 Soy — rash, Soy — hives", "one item, told twice");
}

#[test]
fn a_removal_finds_the_item_of_the_same_identity() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "Penicillin — rash", "ADD"));
    db.say(raw("allergy", "Latex", "ADD"));
    assert_eq!(db.say(raw("allergy", "", "RETRACT")), Action::Skip, "it does not say which");
    assert_eq!(db.say(raw("allergy", "Penicillin", "RETRACT")), Action::Retract);
    assert_eq!(db.fact(FactId(3)).value, "(retracted: Penicillin — rash)");
    assert_eq!(db.shown(), ["#2 Latex"]);
}

#[test]
fn removal_words_remove_a_bare_item_but_not_a_changed_one() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "Penicillin — rash", "ADD"));
    let changed = raw("allergy", "Penicillin — hives", "SUPERSEDE");
    assert_eq!(db.seen(gone(), changed)[0].action, Action::Supersede);
    let bare = raw("allergy", "Penicillin", "ADD");
    assert_eq!(db.seen(gone(), bare)[0].action, Action::Retract);
}

fn current(db: &Database, subject: &str) -> Vec<String> {
    db.active().filter(|fact| fact.subject == subject).map(|fact| fact.value.clone()).collect()
}

fn denied() -> Wording {
    Wording { denied: true, ..Wording::default() }
}

#[test]
fn a_denial_stores_nothing_that_it_denies() {
    let mut db = Database::clinical();
    let say = |db: &mut Database, subject: &str, value: &str| -> Vec<(Action, String)> {
        let told = with_wording(denied(), raw(subject, value, "ADD"));
        db.reconcile("said", &[told], SOMEONE).into_iter().map(|o| (o.action, o.subject)).collect()
    };
    let apart = vec![(Action::Add, "allergy is not".to_owned())];
    assert_eq!(say(&mut db, "allergies", "latex"), apart);
    db.say(raw("allergy", "codeine", "ADD"));
    let ended = vec![(Action::Add, "allergy is not".to_owned()), (Action::Retract, "allergy".to_owned())];
    assert_eq!(say(&mut db, "allergy", "codeine"), ended);
    assert_eq!(current(&db, "allergy"), Vec::<String>::new());
    assert_eq!(current(&db, "allergy is not"), ["latex", "codeine"]);
    // A guarded slot changes only by approval.
    db.say(raw("code status", "full code", "ADD"));
    let waits =
        vec![(Action::Add, "code_status is not".to_owned()), (Action::Flag, "code_status".to_owned())];
    assert_eq!(say(&mut db, "code status", "full code"), waits);
    assert_eq!(current(&db, "code_status"), ["full code"]);
}

#[test]
fn what_is_somebody_elses_touches_no_slot() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "codeine", "ADD"));
    let father = Wording { owner: Some("patient father".to_owned()), ..Wording::default() };
    let told = |value: &str| with_wording(father.clone(), raw("allergies", value, "ADD"));
    db.reconcile("said", &[told("latex")], SOMEONE);
    db.reconcile("said", &[told("eggs")], SOMEONE);
    assert_eq!(current(&db, "allergy"), ["codeine"]);
    assert_eq!(current(&db, "patient father allergy"), ["latex", "eggs"]);
}
