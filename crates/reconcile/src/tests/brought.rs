//! Facts that a caller brings: what it says outright is believed.

use super::database::{Database, SOMEONE, aimed, at, doubted, event, raw, unsure, with_wording, within};
use crate::{Refusal, SlotSchema};
use domain::{Action, FactId, FactKind, RawFact, Status, Timestamp, When};
use proptest::prelude::*;

/// 2 January 2024.
const NOW: i64 = 1_704_153_600;

fn database() -> Database {
    with_slots(SlotSchema::none())
}

fn with_slots(slots: SlotSchema) -> Database {
    let mut db = Database::new(slots);
    db.clock = NOW;
    db
}

/// A subject and a value, and nothing else.
fn bare(subject: &str, value: &str) -> RawFact {
    RawFact { subject: Some(subject.to_owned()), value: Some(value.to_owned()), ..RawFact::default() }
}

fn over(subject: &str) -> RawFact {
    RawFact { value: None, action: Some("RETRACT".to_owned()), ..bare(subject, "") }
}

fn over_item(subject: &str, value: &str) -> RawFact {
    RawFact { action: Some("RETRACT".to_owned()), ..bare(subject, value) }
}

fn dated(from: &str, until: &str, fact: RawFact) -> RawFact {
    let date = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    RawFact { valid_from: date(from), valid_until: date(until), ..fact }
}

fn listed(fact: RawFact) -> RawFact {
    RawFact { list: true, ..fact }
}

/// What became of one fact that is brought today.
fn brought(db: &mut Database, fact: RawFact) -> Action {
    brought_on(db, "", fact)
}

fn brought_on(db: &mut Database, said: &str, fact: RawFact) -> Action {
    let said = Some(said).filter(|said| !said.is_empty());
    db.bring(said, &[fact]).unwrap()[0].action
}

fn refused(db: &mut Database, fact: RawFact) -> String {
    match db.bring(None, &[fact]) {
        Err(refusal @ Refusal::NoTarget { .. }) => refusal.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_second_value_makes_a_list_where_the_caller_says_so() {
    let mut db = database();
    brought(&mut db, bare("Bob's languages", "German"));
    assert_eq!(brought(&mut db, raw("Bob's languages", "Greek", "COEXIST")), Action::Coexist);
    assert_eq!(brought(&mut db, bare("Bob's languages", "Latin")), Action::Add, "it is a list by now");
    assert_eq!(brought(&mut db, bare("Bob's languages", "greek")), Action::Dedup);
    assert_eq!(db.shown(), ["#1 German", "#2 Greek", "#3 Latin"]);
    assert_eq!(brought(&mut db, over("Bob's languages")), Action::Skip, "it does not say which");
    assert_eq!(brought(&mut db, over_item("Bob's languages", "Greek")), Action::Retract);
    assert_eq!(brought(&mut db, aimed(FactId(1), over("Bob's languages"))), Action::Retract);
    assert_eq!(db.shown(), ["#3 Latin"]);
    assert_eq!(brought(&mut db, over_item("Bob's languages", "Dutch")), Action::Skip);
    assert_eq!(brought(&mut db, listed(bare("colours", "red"))), Action::Add);
    assert_eq!(brought(&mut db, bare("colours", "blue")), Action::Add);
    assert_eq!(db.shown(), ["#3 Latin", "#6 red", "#7 blue"]);
}

#[test]
fn a_further_value_replaces_where_nobody_speaks_of_a_list() {
    let mut db = database();
    brought(&mut db, bare("editor", "vim"));
    assert_eq!(brought(&mut db, bare("editor", "emacs")), Action::Supersede);
    assert_eq!(brought(&mut db, raw("editor", "emacs 30", "REFINE")), Action::Refine);
    assert_eq!(brought(&mut db, within("work", bare("editor", "helix"))), Action::Coexist);
    assert_eq!(db.shown(), ["#2 emacs 30", "#3 helix"]);
}

#[test]
fn an_event_stays_beside_others_of_its_subject() {
    let mut db = database();
    assert_eq!(brought(&mut db, at("past", event(bare("race", "ran Lisbon")))), Action::Add);
    assert_eq!(brought(&mut db, event(bare("race", "ran Porto"))), Action::Add);
    assert_eq!(brought(&mut db, event(bare("race", "ran Porto"))), Action::Dedup);
    assert_eq!(brought(&mut db, dated("2023-05-02", "", event(bare("race", "ran Faro")))), Action::Add);
    assert_eq!(
        brought(&mut db, dated("2023-10-02", "", event(bare("race", "ran Faro")))),
        Action::Add,
        "on another day"
    );
    assert_eq!(
        brought(&mut db, at("past", bare("shoes", "size 41"))),
        Action::Archive,
        "a state that is over"
    );
    assert_eq!(db.active().count(), 4);
    assert_eq!(
        brought(&mut db, event(raw("race", "ran Evora", "SUPERSEDE"))),
        Action::Skip,
        "which of four?"
    );
    assert_eq!(brought(&mut db, aimed(FactId(2), event(bare("race", "ran Braga")))), Action::Supersede);
    assert_eq!(brought(&mut db, event(over_item("race", "ran Lisbon"))), Action::Retract);
    assert_eq!(db.shown(), ["#3 ran Faro", "#4 ran Faro", "#6 ran Braga"]);
}

#[test]
fn a_target_is_replaced_under_the_subject_that_the_caller_gives() {
    let mut db = database();
    brought(&mut db, bare("Bob's flat", "Rome"));
    assert_eq!(brought(&mut db, aimed(FactId(1), bare("Bob's home", "Bern"))), Action::Supersede);
    assert_eq!(
        (db.fact(FactId(1)).status, db.fact(FactId(2)).subject.as_str()),
        (Status::Superseded, "Bob's home")
    );
    let before = db.facts.clone();
    assert!(
        refused(&mut db, aimed(FactId(999), bare("Bob's home", "Basel"))).contains("no memory of this space")
    );
    assert!(
        refused(&mut db, aimed(FactId(1), bare("Bob's home", "Basel"))).contains("SUPERSEDED, not current")
    );
    let two = [bare("Bob's car", "red"), aimed(FactId(1), bare("Bob's home", "Basel"))];
    db.bring(None, &two).unwrap_err();
    assert_eq!(db.facts, before, "nothing of a refused call is stored");
}

#[test]
fn a_correction_of_an_event_is_that_event_on_its_day() {
    let mut db = database();
    let day: When = "2024-05-07".parse().unwrap();
    let trip = RawFact { valid_from: Some(day), ..event(bare("Bob's trip", "Rome, alone")) };
    brought(&mut db, trip);
    brought(&mut db, aimed(FactId(1), bare("Bob's trip", "Rome, with Ana")));
    let corrected = db.fact(FactId(2));
    assert_eq!((corrected.kind, corrected.times.from), (FactKind::Event, Some(day)));
    assert_eq!(db.fact(FactId(1)).status, Status::Superseded);
}

#[test]
fn a_retraction_ends_the_one_current_value_whatever_it_calls_it() {
    let mut db = database();
    for value in ["", "none", "sold", "red"] {
        brought(&mut db, bare("Ana's car", "red"));
        let outcome = db.bring(None, &[over_item("Ana's car", value)]).unwrap().remove(0);
        assert_eq!((outcome.action, outcome.value.as_str()), (Action::Retract, "red"), "{value}");
    }
    assert_eq!(brought(&mut db, over("Ana's car")), Action::Skip, "nothing is there to end");
    assert_eq!(db.active().count(), 0);
}

#[test]
fn a_doubt_counts_against_a_held_value_and_only_if_the_caller_says_nothing() {
    let mut db = database();
    let bring = |db: &mut Database, fact| {
        db.bring_worded(SOMEONE, None, &[with_wording(doubted(), fact)]).unwrap()[0].action
    };
    assert_eq!(bring(&mut db, bare("home", "Rome")), Action::Add, "a first value is never held back");
    assert_eq!(bring(&mut db, bare("home", "Bern")), Action::Flag);
    assert_eq!(bring(&mut db, bare("home", "Bern")), Action::Dedup, "it waits already");
    let sure = RawFact { confidence: Some(0.9), ..bare("home", "Basel") };
    assert_eq!(bring(&mut db, sure), Action::Supersede);
    assert_eq!(bring(&mut db, aimed(FactId(3), bare("home", "Lugano"))), Action::Supersede);
    assert_eq!(bring(&mut db, raw("home", "Genoa", "SUPERSEDE")), Action::Supersede);
    assert_eq!(brought(&mut db, unsure(raw("home", "Turin", "SUPERSEDE"))), Action::Flag);
    assert_eq!(db.shown(), ["#5 Genoa"]);
}

#[test]
fn an_older_statement_goes_to_history_in_its_place() {
    let mut db = database();
    brought_on(&mut db, "2023-06-01", bare("home", "Rome"));
    assert_eq!(brought_on(&mut db, "2022-06-01", bare("home", "Bern")), Action::Archive);
    assert_eq!(brought_on(&mut db, "2023-03-01", over("home")), Action::Skip, "Rome was told later");
    assert_eq!(brought_on(&mut db, "2023-11-01", bare("home", "Oslo")), Action::Supersede);
    let second = |date: &str| format!("{date}T12:00:00Z").parse::<Timestamp>().unwrap().as_second();
    for (date, home) in [("2022-07-01", "Bern"), ("2023-07-01", "Rome"), ("2023-12-01", "Oslo")] {
        assert_eq!(db.as_of(second(date)), [home], "{date}");
    }
    assert!(db.as_of(second("2022-01-01")).is_empty());
}

#[test]
fn what_was_refined_since_is_younger_than_a_statement_of_before() {
    let mut db = database();
    brought_on(&mut db, "2023-02-01", bare("car", "VW"));
    brought_on(&mut db, "2023-04-01", raw("car", "VW Golf", "REFINE"));
    assert_eq!(brought_on(&mut db, "2023-03-01", raw("car", "VW Polo", "REFINE")), Action::Archive);
    assert_eq!(brought_on(&mut db, "2023-03-01", bare("car", "Opel")), Action::Archive);
    assert_eq!(db.shown(), ["#1 VW Golf"]);
}

#[test]
fn an_older_statement_does_not_bring_back_what_has_ended() {
    let mut db = database();
    brought_on(&mut db, "2022-06-01", bare("home", "Rome"));
    brought_on(&mut db, "2023-06-01", over("home"));
    assert_eq!(brought_on(&mut db, "2022-08-01", bare("home", "rome")), Action::Skip);
    assert_eq!(brought_on(&mut db, "2023-02-01", bare("home", "Bern")), Action::Archive);
    assert_eq!(brought_on(&mut db, "2021-02-01", bare("home", "Rome")), Action::Archive);
    let second = |date: &str| format!("{date}T12:00:00Z").parse::<Timestamp>().unwrap().as_second();
    for (date, home) in [("2021-07-01", "Rome"), ("2022-07-01", "Rome"), ("2023-03-01", "Bern")] {
        assert_eq!(db.as_of(second(date)), [home], "{date}");
    }
    assert!(db.as_of(second("2023-07-01")).is_empty() && db.active().next().is_none());
    assert_eq!(brought_on(&mut db, "2023-02-01", dated("2023-08", "", bare("home", "Oslo"))), Action::Add);
}

#[test]
fn what_has_run_out_is_over_and_what_begins_later_waits() {
    let mut db = database();
    assert_eq!(brought(&mut db, dated("", "2023", bare("pass", "zone 1"))), Action::Archive);
    assert_eq!(brought(&mut db, dated("2024", "2024-02", bare("pass", "zone 2"))), Action::Add);
    let later = dated("2024-03", "", bare("pass", "zone 3"));
    assert_eq!(brought(&mut db, later.clone()), Action::Flag, "zone 2 holds until then");
    // 2 March 2024.
    db.clock = NOW + 60 * 86_400;
    assert_eq!(brought(&mut db, later), Action::Add, "zone 2 has run out");
    assert_eq!(brought(&mut db, dated("2024-03", "2024-12", bare("pass", "zone 3"))), Action::Refine);
    let held: Vec<(i64, Status)> = db.facts.iter().map(|fact| (fact.id.0, fact.status)).collect();
    assert_eq!(
        held,
        [(1, Status::Historical), (2, Status::Historical), (3, Status::Historical), (4, Status::Active)]
    );
    assert_eq!(db.fact(FactId(4)).times.until.unwrap().to_string(), "2024-12");
}

#[test]
fn what_waits_is_settled_once_it_has_come_about() {
    let mut db = with_slots(SlotSchema::preset("clinical").unwrap());
    db.bring(None, &[bare("code_status", "full code")]).unwrap();
    assert_eq!(brought(&mut db, bare("code_status", "DNR")), Action::Flag);
    assert_eq!(brought(&mut db, bare("code_status", "DNI")), Action::Flag);
    db.confirm(FactId(2)).unwrap();
    assert!(matches!(db.confirm(FactId(3)), Err(Refusal::Settled { .. })));
    assert_eq!(db.shown(), ["#2 DNR"]);
    // The next write in the space puts what is settled into history.
    assert_eq!(brought(&mut db, bare("code_status", "DNR")), Action::Dedup);
    assert_eq!(db.fact(FactId(3)).status, Status::Historical);
}

#[test]
fn entries_of_one_statement_never_end_each_other() {
    let mut db = database();
    let pair = [bare("dinner", "soup"), bare("dinner", "bread")];
    db.bring(None, &pair).unwrap();
    assert_eq!(db.shown(), ["#1 soup, bread"]);
}

#[test]
fn dated_values_of_one_statement_hold_one_after_the_other() {
    let mut db = database();
    let moves =
        [dated("2015", "2019", bare("Ann home", "Kyiv")), dated("2019", "", bare("Ann home", "Oslo"))];
    db.bring(None, &moves).unwrap();
    assert_eq!(db.shown(), ["#2 Oslo"]);
}

#[test]
fn an_end_that_has_passed_ends_what_is_held() {
    let mut db = database();
    db.bring(None, &[bare("Ann home", "Kyiv")]).unwrap();
    let done = db.bring(None, &[dated("", "2020", bare("Ann home", "Kyiv"))]).unwrap();
    assert_eq!((done[0].action, db.shown()), (Action::Archive, Vec::<String>::new()));
}

#[test]
fn what_a_caller_calls_coexist_makes_a_list_from_its_first_value_on() {
    let mut db = database();
    let coexists = |value: &str| RawFact { action: Some("COEXIST".to_owned()), ..bare("Bob speaks", value) };
    db.bring(None, &[coexists("Greek"), coexists("German")]).unwrap();
    db.bring(None, &[bare("Bob speaks", "Dutch")]).unwrap();
    assert_eq!(db.shown(), ["#1 Greek", "#2 German", "#3 Dutch"]);
}

#[test]
fn two_targets_of_one_statement_are_both_replaced() {
    let mut db = database();
    db.bring(None, &[bare("desk", "left"), bare("chair", "right")]).unwrap();
    let aims = |value: &str, id| RawFact { target_id: Some(id), ..bare("seat", value) };
    db.bring(None, &[aims("window", 1), aims("door", 2)]).unwrap();
    assert_eq!(db.shown(), ["#3 window", "#4 door"]);
}

#[test]
fn a_removal_of_the_future_waits_for_its_day() {
    let mut db = database();
    db.bring(None, &[bare("gym", "Oase")]).unwrap();
    let ends = RawFact { action: Some("RETRACT".to_owned()), ..dated("", "2999", bare("gym", "")) };
    let done = db.bring(None, &[ends]).unwrap();
    assert_eq!((done[0].action, db.shown()), (Action::Refine, vec!["#1 Oase".to_owned()]));
}

#[test]
fn an_event_that_is_told_with_its_day_gets_it_and_one_of_another_day_stands_beside() {
    let mut db = database();
    let run = || RawFact { kind: Some("event".to_owned()), ..bare("Jo run", "5k") };
    db.bring(Some("2023-05-07"), &[run()]).unwrap();
    db.bring(Some("2023-05-14"), &[run()]).unwrap();
    assert_eq!(db.shown(), ["#1 5k", "#2 5k"]);
}

/// One fact of a random life.
fn any_fact() -> impl Strategy<Value = (Option<&'static str>, RawFact)> {
    let action = prop::sample::select(vec![
        "",
        "ADD",
        "SUPERSEDE",
        "REFINE",
        "COEXIST",
        "RETRACT",
        "FLAG",
        "ARCHIVE",
        "DEDUP",
    ]);
    let year = prop::option::weighted(
        0.2,
        prop::sample::select(vec!["2021", "2022-05", "2023-05-07", "2024-06", "2025"]),
    );
    (
        prop::sample::select(vec!["a", "b"]),
        prop::sample::select(vec!["1", "2", "3"]),
        action,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
        prop::option::weighted(0.15, 1..6_i64),
        (
            year.clone(),
            year,
            prop::option::weighted(0.3, prop::sample::select(vec!["2021-05-01", "2023-12-31"])),
        ),
    )
        .prop_map(|(subject, value, action, happened, list, target_id, (from, until, said))| {
            let fact = RawFact {
                action: Some(action.to_owned()).filter(|action| !action.is_empty()),
                kind: happened.then(|| "event".to_owned()),
                list,
                target_id,
                ..dated(from.unwrap_or_default(), until.unwrap_or_default(), bare(subject, value))
            };
            (said, fact)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The database checks after each step that no place is held twice and that nothing is gone from history.
    #[test]
    fn nothing_is_lost_and_said_again_changes_nothing(
        life in prop::collection::vec((any_fact(), prop::option::weighted(0.3, any_fact())), 1..12)
    ) {
        let mut db = database();
        for ((said, fact), beside) in life {
            let active = |db: &Database| db.active().map(|fact| fact.id).collect::<Vec<_>>();
            let before = active(&db);
            if let Some((_, beside)) = beside {
                // What the database checks holds for several at once too.
                let _ = db.bring(said, &[fact, beside]);
                continue;
            }
            match db.bring(said, std::slice::from_ref(&fact)) {
                Err(_) => prop_assert_eq!(active(&db), before, "a refused fact changes nothing"),
                Ok(outcomes) => {
                    let ended: Vec<FactId> = before.into_iter().filter(|id| db.fact(*id).status != Status::Active).collect();
                    let is_over = fact.valid_until.is_some() || fact.target_id.is_some();
                    let ends = |action| match action {
                        Action::Supersede | Action::Retract => true,
                        Action::Archive => is_over,
                        _ => false,
                    };
                    let may_end = outcomes.iter().any(|o| ends(o.action));
                    prop_assert!(ended.is_empty() || may_end, "{ended:?} ended by {outcomes:?}");
                    let stored = outcomes.iter().all(|o| matches!(o.action, Action::Add | Action::Coexist | Action::Supersede));
                    let is_aimed = fact.target_id.is_some();
                    if stored && !is_aimed {
                        let again = db.bring(said, &[fact]).unwrap();
                        prop_assert!(matches!(again[0].action, Action::Dedup | Action::Skip), "{again:?}");
                    }
                }
            }
        }
    }

    /// In whatever order dated statements are told, what one of them has ended is not current.
    #[test]
    fn an_end_holds_in_whatever_order_it_is_told(
        days in Just((1..=6_u8).collect::<Vec<_>>()).prop_shuffle(),
        end in 2..=6_u8,
    ) {
        let mut db = database();
        let mut told = 0;
        for day in days {
            let fact = if day == end { over("home") } else { bare("home", &format!("town {day}")) };
            // A removal that nothing precedes ends nothing, and is not kept.
            if day == end && told == 0 {
                return Ok(());
            }
            told += usize::from(day < end);
            db.bring(Some(&format!("2023-05-0{day}")), &[fact]).unwrap();
        }
        prop_assert_eq!(db.active().count(), usize::from(end < 6), "{:?}", db.shown());
    }

    /// In whatever order dated statements are told, the one that was made last is current.
    #[test]
    fn the_order_of_telling_does_not_matter(mut days in Just((1..=9_u8).collect::<Vec<_>>()).prop_shuffle()) {
        let mut db = database();
        for day in &days {
            db.bring(Some(&format!("2023-05-0{day}")), &[bare("home", &format!("town {day}"))]).unwrap();
        }
        prop_assert_eq!(db.active().map(|fact| fact.value.clone()).collect::<Vec<_>>(), ["town 9"]);
        days.sort_unstable();
        for day in days {
            let then = format!("2023-05-0{day}T12:00:00Z").parse::<Timestamp>().unwrap().as_second();
            prop_assert_eq!(db.as_of(then), [format!("town {day}")]);
        }
    }
}
