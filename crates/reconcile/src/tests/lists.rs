//! Slots that hold many values.

use super::database::{Database, SOMEONE, aimed, raw, unsure, within};
use domain::Action;

#[test]
fn items_stand_beside_each_other_and_change_by_identity() {
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
fn a_change_that_meets_no_item_is_a_new_item() {
    let mut db = Database::clinical();
    assert_eq!(db.say(raw("allergy", "Nuts", "SUPERSEDE")), Action::Add);
    assert_eq!(db.say(raw("allergy", "Eggs", "REFINE")), Action::Add);
    assert_eq!(db.say(unsure(raw("allergy", "Soy", "ADD"))), Action::Add);
    assert_eq!(db.say(within("skin", raw("allergy", "Nuts", "ADD"))), Action::Coexist);
    assert_eq!(db.say(within("skin", raw("allergy", "Wool", "ADD"))), Action::Add);
    assert_eq!(db.active().count(), 5);
}

#[test]
fn a_target_names_the_item_unless_the_value_is_an_item_already() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "Nuts", "ADD"));
    db.say(raw("allergy", "Eggs", "ADD"));
    assert_eq!(
        db.say(aimed(1, raw("allergy", "Peanuts", "REFINE"))),
        Action::Supersede,
        "another item is no detail"
    );
    assert_eq!(db.shown(), ["#2 Eggs", "#3 Peanuts"]);
    assert_eq!(db.say(aimed(3, raw("allergy", "Eggs — severe", "SUPERSEDE"))), Action::Supersede);
    assert_eq!(db.shown(), ["#3 Peanuts", "#4 Eggs — severe"]);
    assert_eq!(db.say(aimed(1, raw("allergy", "Soy", "SUPERSEDE"))), Action::Add, "#1 is no longer current");
}

#[test]
fn a_removal_meets_the_item_of_the_same_identity() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "Penicillin — rash", "ADD"));
    db.say(raw("allergy", "Latex", "ADD"));
    assert_eq!(db.say(raw("allergy", "", "RETRACT")), Action::Skip, "it does not say which");
    assert_eq!(db.say(raw("allergy", "Penicillin", "RETRACT")), Action::Retract);
    assert_eq!(db.fact(3).value, "(retracted: Penicillin — rash)");
    assert_eq!(db.shown(), ["#2 Latex"]);
}

#[test]
fn removal_words_meet_a_bare_item_but_not_a_changed_one() {
    let mut db = Database::clinical();
    db.say(raw("allergy", "Penicillin — rash", "ADD"));
    let changed = raw("allergy", "Penicillin — hives", "SUPERSEDE");
    assert_eq!(db.remember("the rash is no longer there", &[changed], SOMEONE)[0].action, Action::Supersede);
    let bare = raw("allergy", "Penicillin", "ADD");
    assert_eq!(db.remember("Penicillin was removed", &[bare], SOMEONE)[0].action, Action::Retract);
}
