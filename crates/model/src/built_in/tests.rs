//! The parts that cannot be seen through the front door: any input, equal answers, near and far vectors.

use super::{answer, embed, extract};
use crate::ask::{Answer, AnswerFact, Extract, Intent, SlotHint};
use domain::{Fact, Kind, Metadata, REJECTED_BY, RawFact, Status, Timestamp, Triple};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn fact(id: i64, subject: &str, value: &str, text: &str) -> Fact {
    Fact {
        id,
        subject: subject.to_owned(),
        value: value.to_owned(),
        scope: "global".to_owned(),
        kind: Kind::State,
        status: Status::Active,
        confidence: 0.95,
        source: None,
        list_item: false,
        supersedes: None,
        metadata: Metadata::new(),
        triple: Triple::default(),
        text: text.to_owned(),
        pending: None,
        earlier: Vec::new(),
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
    }
}

fn read(statement: &str, intent: Intent, held: &[&Fact]) -> Vec<RawFact> {
    extract(&Extract { statement, intent, held, slots: &[], now: Timestamp::UNIX_EPOCH })
}

fn asked(question: &str, facts: &[Fact]) -> String {
    let facts: Vec<AnswerFact<'_>> =
        facts.iter().map(|fact| AnswerFact { fact, retired: false, disputed: false }).collect();
    answer(&Answer { question, facts: &facts, now: Timestamp::UNIX_EPOCH })
}

fn near(a: &str, b: &str) -> f32 {
    let vectors = embed(&[a, b]);
    vectors[0].iter().zip(&vectors[1]).map(|(x, y)| x * y).sum()
}

#[test]
fn an_answer_names_the_fact_or_says_that_it_does_not_know() {
    let facts = [fact(1, "database", "Postgres 16", ""), fact(2, "office", "Leeds", "")];
    assert_eq!(asked("Which database do we use?", &facts), "Postgres 16 (database = Postgres 16).");
    assert!(asked("Who leads marketing?", &facts).starts_with("I do not know"));
    assert!(asked("Which database do we use?", &[]).starts_with("I do not know"));
}

#[test]
fn of_two_facts_that_answer_alike_both_are_named() {
    let facts = [
        fact(1, "backend owner", "Priya", "Priya owns the backend."),
        fact(2, "backend owner", "Tomas", "Tomas owns the backend as well."),
    ];
    let said = asked("Who owns the backend?", &facts);
    assert!(said.contains("Priya") && said.contains("Tomas"), "{said}");
}

#[test]
fn an_answer_is_found_by_words_of_the_same_meaning() {
    let facts = [
        fact(
            1,
            "mrs. amadi gets",
            "about with a walking stick",
            "Mrs. Amadi gets about with a walking stick.",
        ),
        fact(2, "user's automobile", "Skoda", "My automobile is a Skoda."),
        fact(3, "complaints handler", "Tilda", "Tilda handles the complaints."),
    ];
    assert!(asked("How does Mrs. Amadi move around?", &facts).contains("stick"));
    assert!(asked("Which car do I drive?", &facts).contains("Skoda"));
    assert!(asked("Who deals with complaints?", &facts).contains("Tilda"));
}

#[test]
fn what_is_merely_of_the_same_kind_is_no_answer() {
    let facts = [
        fact(1, "user's wife", "Dana", "My wife is Dana."),
        fact(2, "staging log level", "debug", "The log level on staging is debug."),
        fact(3, "ms. abara's diet", "vegan", "Ms. Abara's diet is vegan."),
    ];
    for question in [
        "Who is my husband?",
        "What is the log level in production?",
        "What diet is Mr. Sorley on?",
        "When is my wife's birthday?",
    ] {
        assert!(asked(question, &facts).starts_with("I do not know"), "{question}");
    }
}

#[test]
fn where_the_value_does_not_say_who_the_words_that_it_came_from_do() {
    let facts = [fact(1, "walks", "the dog on weekdays", "Fenna, our eldest, walks the dog on weekdays.")];
    let said = asked("Who walks the dog?", &facts);
    assert!(said.contains("Fenna"), "{said}");
}

#[test]
fn a_value_that_may_change_is_given_with_a_remark() {
    let held = fact(1, "code status", "full code", "Her code status is full code.");
    let question = "What is the code status?";
    for disputed in [false, true] {
        let facts = [AnswerFact { fact: &held, retired: false, disputed }];
        let said = answer(&Answer { question, facts: &facts, now: Timestamp::UNIX_EPOCH });
        assert!(said.starts_with("full code"), "{said}");
        assert_eq!(said.contains("waits for confirmation"), disputed, "{said}");
    }
}

#[test]
fn a_question_about_the_present_is_not_answered_from_history() {
    let old = fact(1, "office", "Leeds", "Our office was in Leeds.");
    let facts = [AnswerFact { fact: &old, retired: true, disputed: false }];
    let answer = |question| answer(&Answer { question, facts: &facts, now: Timestamp::UNIX_EPOCH });
    assert!(answer("Where was our office?").starts_with("Earlier: Leeds"));
    assert!(answer("Where is our office right now?").starts_with("I do not know"));
}

#[test]
fn a_question_about_an_earlier_time_is_answered_from_history_alone() {
    let (old, new) = (fact(1, "office", "Leeds", "Our office is in Leeds."), fact(2, "office", "Hull", ""));
    let now = AnswerFact { fact: &new, retired: false, disputed: false };
    let then = AnswerFact { fact: &old, retired: true, disputed: false };
    let question = "Where was our office before?";
    let answer = |facts: &[AnswerFact<'_>]| answer(&Answer { question, facts, now: Timestamp::UNIX_EPOCH });
    let said = answer(&[now, then]);
    assert!(said.starts_with("Earlier: Leeds") && !said.contains("Hull"), "{said}");
    let said = answer(&[now]);
    assert!(said.starts_with("I do not know") && said.contains("include_history"), "{said}");
    // A row that says that something has ended is no earlier value.
    let ended =
        Fact { supersedes: Some(2), ..fact(3, "office", "(retracted: Hull)", "Our office is in Hull.") };
    let ended = AnswerFact { fact: &ended, retired: true, disputed: false };
    assert!(answer(&[ended]).starts_with("I do not know"));
    // Nor is what a person rejected.
    let metadata = Metadata::from_iter([(REJECTED_BY.to_owned(), "prin_1".into())]);
    let rejected =
        Fact { status: Status::Historical, metadata, ..fact(4, "office", "Bath", "Our office is in Bath.") };
    let rejected = AnswerFact { fact: &rejected, retired: true, disputed: false };
    assert!(answer(&[rejected]).starts_with("I do not know"));
}

#[test]
fn an_answer_quotes_nothing_that_was_said_in_one_breath_and_has_gone_since() {
    let told = "Safe deposit box number 117, same branch.";
    let facts = [fact(1, "same branch", "same branch", told)];
    assert!(!asked("What is the number of the safe deposit box?", &facts).contains("117"));
    let both = [fact(1, "same branch", "same branch", told), fact(2, "safe deposit box number", "117", told)];
    assert!(asked("What is the number of the safe deposit box?", &both).contains("117"));
}

#[test]
fn what_only_repeats_the_question_is_no_answer() {
    let facts = [fact(1, "user learning", "instrument", "I'm learning an instrument.")];
    assert!(asked("Which instrument am I learning?", &facts).starts_with("I do not know"));
}

#[test]
fn a_value_may_be_a_word_that_elsewhere_says_nothing() {
    let read = read("My blood type is A.", Intent::Remember, &[]);
    assert!(read.iter().any(|fact| fact.value.as_deref() == Some("A")), "{read:?}");
    let facts = [fact(1, "user's blood type", "A", "My blood type is A.")];
    assert!(asked("What is my blood type?", &facts).contains(" A"));
}

#[test]
fn a_name_with_an_apostrophe_and_one_of_the_choices_are_answers() {
    let facts = [
        fact(1, "user's dentist", "O'Brien", "My dentist is O'Brien."),
        fact(2, "database", "Postgres", "Our database is Postgres."),
    ];
    assert!(asked("Who is my dentist?", &facts).contains("O'Brien"));
    assert!(asked("Which database do we use, Postgres or MySQL?", &facts).contains("Postgres"));
}

#[test]
fn another_figure_takes_the_place_of_the_first() {
    let held = fact(1, "user's rent", "900", "My rent is 900.");
    let read = read("My rent is 1000.", Intent::Remember, &[&held]);
    let replaces = |fact: &RawFact| fact.action.as_deref() == Some("SUPERSEDE") && fact.target_id == Some(1);
    assert!(read.iter().any(replaces), "{read:?}");
}

#[test]
fn a_figure_that_is_doubted_takes_no_place_for_sure() {
    let held = fact(1, "user's rent", "900", "My rent is 900.");
    for said in ["My rent might be 1000, not sure.", "I think my rent is 1000 but ask Dana."] {
        let read = read(said, Intent::Remember, &[&held]);
        let sure = |fact: &RawFact| fact.target_id == Some(1) && fact.confidence.is_none_or(|c| c > 0.5);
        assert!(!read.iter().any(sure), "{said}: {read:?}");
    }
}

#[test]
fn who_somebody_is_does_not_change_by_what_they_do() {
    let told = "I live in Leeds with my husband Tom and our daughter Iris.";
    let facts = [fact(1, "user's husband", "Tom", told), fact(2, "daughter", "Iris", told)];
    let held: Vec<&Fact> = facts.iter().collect();
    for said in ["Tom quit the band.", "Iris goes to St Mary's primary.", "Tom is 41 and Iris is 6."] {
        let read = read(said, Intent::Remember, &held);
        assert!(!read.is_empty() && read.iter().all(|fact| fact.target_id.is_none()), "{said}: {read:?}");
    }
    let home = fact(3, "user's sister clara home", "Vienna", "My sister Clara lives in Vienna.");
    let read = read("Clara moved to Graz.", Intent::Remember, &[&home]);
    assert!(read.iter().any(|fact| fact.target_id == Some(3)), "{read:?}");
}

#[test]
fn who_moves_no_longer_lives_for_sure_where_they_did() {
    let told = "I live in Hamburg with my husband Jonas.";
    let facts = [
        fact(1, "user's home", "Hamburg", told),
        fact(2, "user's sister clara home", "Vienna", "My sister Clara lives in Vienna."),
    ];
    let held: Vec<&Fact> = facts.iter().collect();
    let read = read("We moved to Berlin last month.", Intent::Remember, &held);
    assert!(read.iter().any(|fact| fact.target_id == Some(1)), "{read:?}");
}

#[test]
fn a_pet_is_not_the_one_who_asks() {
    let facts = [fact(1, "dog named", "Pablo", "We have a dog named Pablo.")];
    assert!(asked("What is my name?", &facts).starts_with("I do not know"));
    let facts = [fact(1, "user's name", "Lena", "I'm Lena."), facts[0].clone()];
    assert!(asked("What is my name?", &facts).starts_with("Lena"));
}

#[test]
fn a_question_without_its_mark_tells_nothing() {
    let held = fact(1, "user's rent", "900", "My rent is 900.");
    for said in
        ["what is my rent", "Tell me, did any of us promise them forty dollars", "is she still on metformin"]
    {
        assert_eq!(read(said, Intent::Remember, &[&held]), [], "{said}");
    }
    let told = [
        ("Dana, who is our landlady, lives in York.", "landlady"),
        ("Have I mentioned that I am allergic to nuts", "nuts"),
        ("How much I earn: 50k", "50k"),
    ];
    for (said, word) in told {
        let read = read(said, Intent::Remember, &[]);
        let tells = |fact: &RawFact| format!("{:?} {:?}", fact.subject, fact.value).contains(word);
        assert!(read.iter().any(tells), "{said}: {read:?}");
    }
}

#[test]
fn what_names_nothing_belongs_to_what_was_told_last() {
    let held = fact(1, "default editor theme", "dracula", "default editor theme = dracula");
    let read = read("its gruvbox", Intent::Remember, &[&held]);
    let new = read.iter().find(|fact| fact.value.as_deref().is_some_and(|value| value.contains("gruvbox")));
    assert!(new.is_some_and(|fact| fact.target_id == Some(1)), "{read:?}");
}

#[test]
fn what_shares_no_word_with_a_fact_does_not_change_it_for_sure() {
    let held = fact(1, "user's name", "Nadia", "My name is Nadia.");
    for said in ["I hired Dan.", "I opened my bakery, it's called Crumb."] {
        let read = read(said, Intent::Remember, &[&held]);
        let sure = |fact: &RawFact| fact.target_id == Some(1) && fact.confidence.is_none_or(|c| c > 0.5);
        assert!(!read.iter().any(sure), "{said}: {read:?}");
    }
}

#[test]
fn words_typed_in_haste_lead_to_the_fact_that_they_mean() {
    let facts = [
        fact(1, "user's rent", "900", "My rent is 900."),
        fact(2, "user's salary", "48k", "My salary is 48k."),
    ];
    let held: Vec<&Fact> = facts.iter().collect();
    let read = read("they uppd my salery to 55k", Intent::Remember, &held);
    let sure = |fact: &RawFact| fact.target_id == Some(1) && fact.confidence.is_none_or(|c| c > 0.5);
    assert!(!read.iter().any(sure), "{read:?}");
    assert!(read.iter().any(|fact| fact.target_id == Some(2)), "{read:?}");
}

fn slot(name: &str) -> SlotHint {
    SlotHint {
        name: name.to_owned(),
        aliases: Vec::new(),
        description: name.replace('_', " "),
        list: false,
        verbatim: false,
    }
}

fn filed(statement: &str, slots: &[&str]) -> Vec<(String, String)> {
    let slots: Vec<SlotHint> = slots.iter().map(|name| slot(name)).collect();
    filed_in(statement, &slots, &[])
}

fn filed_in(statement: &str, slots: &[SlotHint], held: &[&Fact]) -> Vec<(String, String)> {
    let intent = Intent::Remember;
    let found = extract(&Extract { statement, intent, held, slots, now: Timestamp::UNIX_EPOCH });
    found.into_iter().map(|raw| (raw.subject.unwrap_or_default(), raw.value.unwrap_or_default())).collect()
}

#[test]
fn what_is_filed_in_a_slot_is_not_told_once_more_beside_it() {
    let found = filed("The account has been suspended for non-payment.", &["account_status"]);
    assert_eq!(found, [("account_status".to_owned(), "suspended for non-payment".to_owned())]);
}

#[test]
fn what_names_a_slot_goes_there() {
    let found = filed("I'm Marguerite but please call me Mags.", &["preferred_name"]);
    let named: Vec<&str> =
        found.iter().filter(|(slot, _)| slot == "preferred_name").map(|(_, value)| value.as_str()).collect();
    assert_eq!(named, ["Mags"], "{found:?}");
    let found = filed("pnpm is our package manager.", &["package_manager"]);
    assert_eq!(found, [("package_manager".to_owned(), "pnpm".to_owned())]);
}

#[test]
fn a_slot_goes_by_its_other_names_too() {
    let owner = SlotHint { aliases: vec!["tech lead".to_owned()], ..slot("code_owner") };
    let found = filed_in("The tech lead is Radomir.", &[owner], &[]);
    assert_eq!(found, [("code_owner".to_owned(), "Radomir".to_owned())]);
}

#[test]
fn the_value_of_a_command_is_what_stands_in_quotes() {
    let command = SlotHint {
        verbatim: true,
        description: "The command that runs the tests.".to_owned(),
        ..slot("test_command")
    };
    let found = filed_in("`mix test` runs the suite.", &[command], &[]);
    assert_eq!(found, [("test_command".to_owned(), "mix test".to_owned())]);
}

#[test]
fn a_slot_is_not_filled_with_its_own_name_nor_with_a_thing_of_another_kind() {
    let statement = "Our main contact is Mrs. Quennell, and the escalation contact, for when a case is stuck, is Thaddeus Boone.";
    let found = filed(statement, &["primary_contact", "escalation_contact"]);
    let escalation = found.iter().filter(|(slot, _)| slot == "escalation_contact");
    assert!(escalation.clone().all(|(_, value)| value.contains("Thaddeus Boone")), "{found:?}");
    let statement = "About the repo you're inheriting: it's Elixir on Phoenix.";
    let found = filed(statement, &["primary_language", "framework"]);
    assert!(!found.contains(&("framework".to_owned(), "Elixir".to_owned())), "{found:?}");
    let contact = SlotHint { aliases: vec!["main contact".to_owned()], ..slot("primary_contact") };
    let version = SlotHint { verbatim: true, ..slot("product_version") };
    let statement =
        "Caller is Rosalind Achebe, main contact; Silver plan, version 7.3.0, wants to be reached by email.";
    let found = filed_in(statement, &[contact, version], &[]);
    let wrong = |(slot, value): &&(String, String)| match slot.as_str() {
        "primary_contact" => !value.contains("Rosalind Achebe"),
        "product_version" => !value.contains("7.3.0"),
        _ => false,
    };
    assert_eq!(found.iter().find(wrong), None, "{found:?}");
    let holder = SlotHint { aliases: vec!["legal name".to_owned()], ..slot("account_holder") };
    let statement = "Legal name Tobias Van Rossem, pays his taxes in Belgium.";
    let found = filed_in(statement, &[holder], &[]);
    let wrong = |(slot, value): &&(String, String)| slot == "account_holder" && !value.contains("Van Rossem");
    assert_eq!(found.iter().find(wrong), None, "{found:?}");
}

#[test]
fn what_only_a_plan_is_told_of_stays_as_it_is() {
    let held = fact(1, "showroom", "Antwerp", "The showroom is in Antwerp.");
    let statement = "We have signed for a space in Ghent and the showroom moves there in October.";
    let read = read(statement, Intent::Remember, &[&held]);
    let sure = |fact: &RawFact| fact.target_id == Some(1) && fact.confidence.is_none_or(|c| c > 0.5);
    assert!(!read.iter().any(sure), "{read:?}");
}

#[test]
fn one_figure_does_not_replace_two() {
    let allowance = "28 euros inside Germany and 50 abroad";
    let text = format!("The daily travel allowance is {allowance}.");
    let held = fact(1, "daily travel allowance", allowance, &text);
    let read = read("With the new policy people abroad get 58.", Intent::Remember, &[&held]);
    let sure = |fact: &RawFact| fact.confidence.is_none_or(|c| c > 0.5);
    assert!(!read.iter().any(sure), "{read:?}");
    assert!(read.iter().any(|fact| fact.target_id == Some(1)), "{read:?}");
}

#[test]
fn a_year_makes_no_second_figure() {
    let held = fact(1, "launch", "May 3, 2026", "The launch is on May 3, 2026.");
    let read = read("The launch moved to May 10.", Intent::Remember, &[&held]);
    let sure = |fact: &RawFact| fact.target_id == Some(1) && fact.confidence.is_none_or(|c| c > 0.5);
    assert!(read.iter().any(sure), "{read:?}");
}

#[test]
fn what_has_ended_of_somebody_leaves_the_rest_of_theirs() {
    let rebate = fact(1, "aldgate press rebate", "3 %", "Aldgate Press gets a loyalty rebate of 3 %.");
    let orders = fact(2, "aldgate orders", "batches of 500", "Aldgate orders in batches of 500.");
    let statement = "The rebate ended with the old price list, and Aldgate gets nothing in its place.";
    let read = read(statement, Intent::Remember, &[&rebate, &orders]);
    let ends = |fact: &RawFact, id: i64| {
        fact.target_id == Some(id)
            && fact.action.as_deref() == Some("RETRACT")
            && fact.confidence.is_none_or(|c| c > 0.5)
    };
    assert!(read.iter().any(|fact| ends(fact, 1)), "{read:?}");
    assert!(!read.iter().any(|fact| ends(fact, 2)), "{read:?}");
}

#[test]
fn a_value_keeps_what_it_needs() {
    let blood = filed("Her blood type is A positive.", &["blood_type"]);
    assert_eq!(blood, [("blood_type".to_owned(), "A positive".to_owned())]);
    let statement = "The legal name is Aurelio Banfi, and shares in arms makers are barred.";
    let barred = filed(statement, &["account_holder", "trading_restriction"]);
    let restriction: Vec<&str> = barred
        .iter()
        .filter(|(slot, _)| slot == "trading_restriction")
        .map(|(_, value)| value.as_str())
        .collect();
    assert!(restriction.iter().all(|value| value.contains("arms makers")), "{barred:?}");
    let often = read("The scanner stops now and then.", Intent::Remember, &[]);
    assert!(often.iter().all(|fact| fact.value.as_deref() != Some("and")), "{often:?}");
}

#[test]
fn what_is_hoped_is_not_so() {
    let read = read("I do so hope he goes on tour in our hallway.", Intent::Remember, &[]);
    assert!(read.iter().all(|fact| fact.action.as_deref() != Some("ADD")), "{read:?}");
    let read = self::read("I work at Hope Hospital.", Intent::Remember, &[]);
    assert!(read.iter().any(|fact| fact.action.as_deref() == Some("ADD")), "{read:?}");
}

#[test]
fn whether_one_thing_is_so_is_not_answered_by_another() {
    let tablets = [fact(1, "tablet", "levothyroxine", "Nowadays her only tablet is levothyroxine.")];
    assert!(asked("Does she take phenytoin?", &tablets).contains("do not know"));
    assert!(asked("Does she take levothyroxine?", &tablets).contains("levothyroxine"));
    assert!(asked("Is Ximena still on levothyroxine?", &tablets).contains("levothyroxine"));
}

#[test]
fn who_fills_a_slot_is_named_and_not_only_pointed_at() {
    let found =
        filed("Clementine is on leave so talk to Bashir, he's your main contact now.", &["primary_contact"]);
    let contact: Vec<&str> =
        found.iter().filter(|(slot, _)| slot == "primary_contact").map(|(_, value)| value.as_str()).collect();
    assert_eq!(contact, ["Bashir"], "{found:?}");
}

#[test]
fn what_is_proposed_mocked_or_left_open_does_not_stand() {
    for statement in [
        "Let's put a blockchain under the login page.",
        "Sure, I am asking her to move in permanently 🙄",
        "She either said Tuesdays or she didn't.",
        "I nearly upgraded to Pro.",
        "I want to get a MacBook.",
        "Respiratory want her on CPAP as of Friday night.",
        "Their intern let slip something about 1,100 units.",
    ] {
        let found = read(statement, Intent::Remember, &[]);
        assert!(!found.iter().any(|raw| raw.action.as_deref() == Some("ADD")), "{found:?}");
    }
    let found = read("I named the sourdough starter.", Intent::Remember, &[]);
    assert!(!found.iter().any(|raw| raw.subject.as_deref() == Some("user's name")), "{found:?}");
}

#[test]
fn what_puts_right_what_was_told_before_is_not_lost() {
    let flight = fact(1, "user's flight", "Tuesday", "My flight is on Tuesday.");
    let found = read("Sorry, I meant Wednesday.", Intent::Remember, &[&flight]);
    let changes = |raw: &RawFact| raw.target_id == Some(1) && raw.value.as_deref() == Some("Wednesday");
    assert!(found.iter().any(changes), "{found:?}");
    let port = fact(1, "dev server port", "5199", "The dev server listens on port 5199.");
    let found = read("argh sorry its 5198 i meant", Intent::Remember, &[&port]);
    assert!(found.iter().any(|raw| raw.target_id == Some(1)), "{found:?}");
}

#[test]
fn who_drops_one_of_two_has_not_dropped_both_for_sure() {
    let runs = fact(1, "user runs", "Mondays and Thursdays", "I run on Mondays and Thursdays.");
    let found = read("I dropped the Thursday run.", Intent::Remember, &[&runs]);
    let sure = |raw: &RawFact| raw.action.as_deref() == Some("RETRACT") && raw.confidence > Some(0.5);
    assert!(!found.iter().any(sure), "{found:?}");
}

#[test]
fn a_change_of_one_leaves_its_twin_alone() {
    let work = fact(1, "user's work email", "a@x.com", "My work email is a@x.com.");
    let home = fact(2, "user's home email", "b@y.com", "My home email is b@y.com.");
    let found = read("My home email changed to c@z.com.", Intent::Remember, &[&work, &home]);
    assert!(!found.iter().any(|raw| raw.target_id == Some(1)), "{found:?}");
}

#[test]
fn a_label_is_no_part_of_what_is_told() {
    let found = read("Correction: the budget is 6000 euros.", Intent::Remember, &[]);
    assert!(found.iter().any(|raw| raw.value.as_deref() == Some("6000 euros")), "{found:?}");
}

#[test]
fn one_item_of_a_list_says_no_more_of_another() {
    let conventions =
        SlotHint { list: true, aliases: vec!["convention".to_owned()], ..slot("code_convention") };
    let first = fact(
        1,
        "code_convention",
        "every function gets a docstring",
        "Convention: every function gets a docstring.",
    );
    let statement = "Convention: commit messages start with the ticket number.";
    let found = filed_in(statement, &[conventions], &[&first]);
    assert_eq!(
        found,
        [("code_convention".to_owned(), "commit messages start with the ticket number".to_owned())]
    );
}

#[test]
fn what_takes_a_place_keeps_its_name_and_names_nothing_that_has_gone() {
    let hull = fact(
        1,
        "hull office makes do",
        "do with an 80 Mbit line",
        "The Hull office makes do with an 80 Mbit line.",
    );
    let found =
        read("They finally dug in fibre at Hull, the line there is 900 Mbit.", Intent::Remember, &[&hull]);
    let new = found.iter().find(|raw| raw.value.as_deref().is_some_and(|value| value.contains("900")));
    let named = new.and_then(|raw| raw.subject.as_deref()).unwrap_or_default();
    assert!(named.contains("hull") && named.contains("line"), "{found:?}");
    let office = fact(1, "office", "Mill Lane", "Our office is on Mill Lane.");
    let found = read("We packed up Mill Lane and sit on Dock Street.", Intent::Remember, &[&office]);
    let stands =
        |raw: &RawFact| raw.value.as_deref() == Some("Mill Lane") && raw.action.as_deref() == Some("ADD");
    assert!(!found.iter().any(stands), "{found:?}");
}

#[test]
fn what_holds_elsewhere_is_told_of_the_same_thing() {
    let theme = fact(1, "user's theme on web", "dark", "My theme on web is dark.");
    let found = read("On mobile it's light.", Intent::Remember, &[&theme]);
    let new = found.iter().find(|raw| raw.value.as_deref() == Some("light"));
    let place = new.map(|raw| (raw.subject.as_deref(), raw.scope.as_deref()));
    assert_eq!(place, Some((Some("user's theme"), Some("mobile"))), "{found:?}");
    let found = read("Timeout is 30 s in staging and 60 s in production.", Intent::Remember, &[]);
    let levels = read("Log level is debug in dev, info in staging and warn in prod.", Intent::Remember, &[]);
    let of_level =
        levels.iter().filter(|raw| raw.subject.as_deref().is_some_and(|s| s.contains("log level")));
    assert_eq!(of_level.count(), 3, "{levels:?}");
    let of_timeout = found.iter().filter(|raw| raw.subject.as_deref().is_some_and(|s| s.contains("timeout")));
    assert_eq!(of_timeout.count(), 2, "{found:?}");
    let found = read("At Vantage Rail, Khalid is the finance man.", Intent::Remember, &[]);
    assert!(found.iter().any(|raw| raw.scope.as_deref() == Some("vantage rail")), "{found:?}");
}

#[test]
fn the_name_of_what_has_gone_is_not_the_name_of_what_took_its_place() {
    let drug =
        fact(1, "her medication lisinopril", "lisinopril 10 mg daily", "She is on lisinopril 10 mg daily.");
    let said = "Because of the cough, lisinopril was replaced by losartan 50 mg daily.";
    let found = read(said, Intent::Remember, &[&drug]);
    let new = found.iter().find(|raw| raw.value.as_deref().is_some_and(|value| value.contains("losartan")));
    let named = new.and_then(|raw| raw.subject.as_deref()).unwrap_or("lisinopril");
    assert!(!named.contains("lisinopril"), "{found:?}");
    let facts = [fact(2, "her medication", "losartan 50 mg daily", said)];
    let answer = asked("Which medication is she on?", &facts);
    assert!(answer.contains("losartan") && !answer.contains("lisinopril"), "{answer}");
}

#[test]
fn what_was_otherwise_before_is_for_a_person_to_look_at() {
    let held = fact(1, "isa", "vanguard", "The isa is with vanguard");
    let found = read("trading212 has the isa now, took three weeks", Intent::Remember, &[&held]);
    let touched = found.iter().any(|raw| raw.target_id == Some(1));
    assert!(touched, "{found:?}");
}

#[test]
fn a_slip_that_is_put_right_does_not_stand() {
    let found =
        read("You run the tests with `make tset`... argh, `make test` I mean.", Intent::Remember, &[]);
    let stands = |raw: &RawFact| {
        raw.action.as_deref() == Some("ADD")
            && raw.value.as_deref().is_some_and(|value| value.contains("tset"))
    };
    assert!(!found.iter().any(stands), "{found:?}");
    for said in [
        "My name is Anna. My rent is 900, I mean 1000.",
        "My name is Anna. My rent is 900, scratch that, 1000.",
    ] {
        let found = read(said, Intent::Remember, &[]);
        let added: Vec<&str> = found
            .iter()
            .filter(|raw| raw.action.as_deref() == Some("ADD"))
            .filter_map(|raw| raw.value.as_deref())
            .collect();
        assert_eq!(added, ["Anna"], "{said}: {found:?}");
    }
}

#[test]
fn what_something_is_about_is_not_what_it_has_become() {
    let told = "blood gas machine on 5 west is bust";
    let held = fact(1, "blood gas machine on 5 west", "bust", told);
    let found = read("engineer sorted it already, 5 west one works", Intent::Remember, &[&held]);
    let became_five = |raw: &RawFact| raw.target_id == Some(1) && raw.value.as_deref() == Some("5");
    assert!(!found.iter().any(became_five), "{found:?}");
}

#[test]
fn what_is_set_otherwise_without_its_name_is_what_was_told_last() {
    let held = fact(1, "tube feed", "50 ml/h", "The tube feed is running at 50 ml/h.");
    let found = read("The dietitian wanted it at 65, so I've put it up.", Intent::Remember, &[&held]);
    assert!(found.iter().any(|raw| raw.target_id == Some(1)), "{found:?}");
}

#[test]
fn what_could_not_be_read_is_not_kept_beside_the_fact_that_it_speaks_of_as_if_nothing_were() {
    let lien = fact(
        1,
        "bank lien warehouse",
        "The bank has a lien on the warehouse",
        "The bank has a lien on the warehouse.",
    );
    let found = read("Once the loan was settled, the bank released its lien.", Intent::Remember, &[&lien]);
    assert!(found.iter().any(|raw| raw.target_id == Some(1)), "{found:?}");
    let host = fact(1, "host", "Heroku", "We host on Heroku.");
    let found =
        read("We moved hosting to Fly.io, Heroku had cost us 500 a month.", Intent::Remember, &[&host]);
    let stands = |raw: &RawFact| {
        raw.action.as_deref() == Some("ADD") && raw.value.as_deref().is_some_and(|v| v.contains("Heroku"))
    };
    assert!(!found.iter().any(stands), "{found:?}");
}

#[test]
fn what_holds_by_day_is_not_said_of_the_night() {
    let found = read("By day her oxygen runs at 1 litre a minute.", Intent::Remember, &[]);
    assert!(found.iter().any(|raw| raw.scope.as_deref() == Some("day")), "{found:?}");
    let official = Fact {
        scope: "anything official".to_owned(),
        ..fact(1, "user's surname", "Wielgosz", "For anything official my surname is Wielgosz.")
    };
    let facts = [official];
    assert!(asked("What is my surname for anything official?", &facts).contains("Wielgosz"));
    assert!(asked("What surname do I go by at work?", &facts).starts_with("I do not know"));
}

#[test]
fn what_only_tells_of_an_end_is_no_fact_of_its_own() {
    let told = "Tolhurst Farm brings me a veg box every fortnight.";
    let held = fact(1, "tolhurst farm brings", "me a veg box every fortnight", told);
    let read = read("Put an end to the veg box, too many turnips.", Intent::Remember, &[&held]);
    let action = |fact: &RawFact| fact.action.clone().unwrap_or_default().to_uppercase();
    assert!(read.iter().any(|fact| action(fact) == "RETRACT"), "{read:?}");
    assert!(!read.iter().any(|fact| action(fact) == "ADD"), "{read:?}");
}

#[test]
fn what_is_used_to_do_something_is_asked_about_now() {
    let facts = [fact(1, "bug tracker", "Linear", "We use Linear to track bugs.")];
    assert!(asked("What do we use to track bugs?", &facts).contains("Linear"));
}

#[test]
fn a_not_is_never_lost() {
    let database = SlotHint {
        name: "database".to_owned(),
        aliases: Vec::new(),
        description: "The database that holds the project's data.".to_owned(),
        list: false,
        verbatim: false,
    };
    let statements = [
        "I don't work on Mondays.",
        "We never deploy on Fridays.",
        "Dana does not eat meat.",
        "We don't use Postgres.",
    ];
    for (statement, slots) in statements.into_iter().flat_map(|s| [(s, vec![]), (s, vec![database.clone()])])
    {
        let (intent, now) = (Intent::Remember, Timestamp::UNIX_EPOCH);
        let read = extract(&Extract { statement, intent, held: &[], slots: &slots, now });
        let denies = |fact: &RawFact| {
            let said = format!("{:?} {:?}", fact.subject, fact.value);
            ["not", "n't", "never"].iter().any(|not| said.contains(not))
        };
        assert!(!read.is_empty() && read.iter().all(denies), "{read:?}");
    }
}

#[test]
fn a_question_over_many_facts_is_answered_in_a_moment() {
    let facts: Vec<Fact> = (0..300)
        .map(|n| {
            fact(
                n,
                &format!("team {n} database"),
                "Postgres 16",
                &format!("Team {n} keeps its data in Postgres 16."),
            )
        })
        .collect();
    let started = Instant::now();
    assert!(asked("Which database does team 7 use?", &facts).contains("Postgres"));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn a_request_to_forget_names_what_it_means_and_nothing_else() {
    let facts = [fact(1, "yoga class", "Wednesdays", ""), fact(2, "train", "7:40", "")];
    let held: Vec<&Fact> = facts.iter().collect();
    let gone: Vec<Option<i64>> =
        read("my yoga class", Intent::Forget, &held).iter().map(|f| f.target_id).collect();
    assert_eq!(gone, [Some(1)]);
    assert!(read("the swimming pool", Intent::Forget, &held).is_empty());
    assert!(read("the morning schedule of everybody", Intent::Forget, &held).is_empty());
}

#[test]
fn texts_that_share_words_word_forms_or_kinds_are_near() {
    assert!(near("deploy target", "deployment targets") > near("deploy target", "favourite tea") + 0.2);
    assert!(near("his vehicle", "user's car") > near("his vehicle", "user's tea") + 0.1);
    assert!(near("which database", "Postgres 16") > near("which database", "Monday morning") + 0.1);
    assert!((near("office in Leeds", "office in Leeds") - 1.0).abs() < 1e-5);
}

/// What is proposed to be done, in the words of the protocol, with the value that it is done to.
fn done(statement: &str, held: &[&Fact]) -> Vec<(String, String)> {
    let of = |fact: RawFact| (fact.action.unwrap_or_default(), fact.value.unwrap_or_default());
    read(statement, Intent::Remember, held).into_iter().map(of).collect()
}

fn adds(found: &[(String, String)], words: &str) -> bool {
    found.iter().any(|(action, value)| action == "ADD" && value.contains(words))
}

#[test]
fn what_happened_at_a_time_and_speaks_of_nothing_held_is_kept() {
    let home = fact(1, "user's home", "Tromsø", "I live in Tromsø.");
    let found = done("Flew down to Madrid last weekend for my cousin's wedding.", &[&home]);
    assert!(adds(&found, "Madrid"), "{found:?}");
    let cash = fact(1, "cash reserve", "60,000 euros", "She keeps a cash reserve of 60,000 euros.");
    let found = done("She sold her old Volvo last month for 4,000.", &[&cash]);
    assert!(adds(&found, "Volvo") && found.len() == 1, "{found:?}");
}

#[test]
fn a_new_name_says_nothing_of_who_looks_after_it() {
    let text = "Freya looks after the Pinewood Analytics account.";
    let owner = fact(1, "pinewood analytics account owner", "Freya", text);
    let found = done("Pinewood Analytics has been renamed Coniferous.", &[&owner]);
    assert_eq!(found, [("ADD".to_owned(), "Coniferous".to_owned())]);
    let found = done("The repo was renamed from otterbox to kelpforest.", &[]);
    assert_eq!(found, [("ADD".to_owned(), "kelpforest".to_owned())]);
}

#[test]
fn who_does_another_thing_takes_nobodys_place() {
    let wrote = fact(1, "ines wrote", "original auth module", "Ines wrote the original auth module.");
    let found = done("Bogdan maintains the auth module now.", &[&wrote]);
    assert!(adds(&found, "Bogdan"), "{found:?}");
    assert!(found.iter().all(|(action, _)| action != "SUPERSEDE"), "{found:?}");
}

#[test]
fn what_is_said_to_be_so_still_has_not_ended() {
    let text = "I train at the Ironmonger Row gym and I rent locker 58 there.";
    let (gym, locker) =
        (fact(1, "user train", "Ironmonger Row gym", text), fact(2, "user rent locker", "locker 58", text));
    let found = done("I've given up the locker, still training there though.", &[&gym, &locker]);
    assert_eq!(found, [("RETRACT".to_owned(), "locker 58".to_owned())]);
}

#[test]
fn what_was_so_until_a_time_is_past_and_what_is_so_now_stands() {
    let action = |statement: &str, words: &str| {
        let found = done(statement, &[]);
        found.iter().find(|(_, value)| value.contains(words)).map(|(action, _)| action.clone())
    };
    let moved = "Customer was on the Silver plan until last spring, now they're on Cobalt.";
    assert_eq!(action(moved, "Silver").as_deref(), Some("ARCHIVE"));
    assert_eq!(action(moved, "Cobalt").as_deref(), Some("ADD"));
    assert_eq!(action("Smoked 20/day until 2014.", "2014").as_deref(), Some("ARCHIVE"));
    assert_eq!(action("Mortgage fixed at 4.4% until 2028.", "4.4%").as_deref(), Some("ADD"));
}

#[test]
fn what_is_asked_or_guessed_leaves_what_is_told_beside_it() {
    let found = done("My order 55-8120 arrived without the charger, can you send one to 4 Quayside?", &[]);
    assert!(adds(&found, "without the charger") && found.len() == 1, "{found:?}");
    let found = done("Mr Gallo's calf is swollen, could be a DVT.", &[]);
    assert!(adds(&found, "swollen") && !adds(&found, "DVT"), "{found:?}");
    let found = done("Wow, the build takes three hours now, exactly what I always dreamed of.", &[]);
    assert!(adds(&found, "three hours") && !adds(&found, "dreamed"), "{found:?}");
}

#[test]
fn what_is_held_only_by_its_kind_can_be_named() {
    let text = "Ms Rahimi is allergic to an antibiotic.";
    let allergy = fact(1, "ms rahimi's allergy", "antibiotic", text);
    let found = done("The antibiotic is co-trimoxazole.", &[&allergy]);
    assert_eq!(found, [("REFINE".to_owned(), "The antibiotic is co-trimoxazole".to_owned())]);
}

#[test]
fn a_doubt_at_the_end_of_a_sentence_is_one() {
    for statement in ["Our database is MySQL, I think.", "My rent is 900, if I remember right."] {
        let found = done(statement, &[]);
        assert!(found.iter().all(|(action, _)| action == "FLAG"), "{statement}: {found:?}");
    }
    for statement in ["Our database is MySQL.", "Our database is MySQL, I'm sure."] {
        let found = done(statement, &[]);
        assert!(adds(&found, "MySQL"), "{statement}: {found:?}");
    }
}

#[test]
fn what_was_just_named_is_meant_by_it() {
    let gateway = fact(1, "api gateway", "nginx", "The API gateway is nginx.");
    let found = done("We use Kafka, and it is slow.", &[&gateway]);
    assert!(found.iter().all(|(action, _)| action != "SUPERSEDE"), "{found:?}");
}

#[test]
fn a_new_dose_keeps_the_name_of_the_medicine() {
    let text = "The patient takes metformin 500 mg twice daily.";
    let held = fact(1, "active_medication", "metformin 500 mg twice daily", text);
    let said = "Metformin was increased to 1000 mg twice daily.";
    let found = filed_in(said, &[SlotHint { list: true, ..slot("active_medication") }], &[&held]);
    let doses: Vec<&str> =
        found.iter().map(|(_, value)| value.as_str()).filter(|value| value.contains("1000 mg")).collect();
    assert!(!doses.is_empty(), "{found:?}");
    assert!(doses.iter().all(|dose| dose.to_lowercase().contains("metformin")), "{found:?}");
}

#[test]
fn a_long_token_is_read_in_a_moment() {
    let start = Instant::now();
    read(&format!("Our database is {}", "x".repeat(20_000)), Intent::Remember, &[]);
    assert!(start.elapsed() < Duration::from_secs(60));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_text_gives_the_same_proposals_twice(
        text in "\\PC{0,80}|([a-zA-Z0-9'.,;:!?()=`/-]{1,9}[ \n]){0,24}",
        forget in any::<bool>(),
    ) {
        let held = [fact(1, "database", "MySQL", "our database is MySQL"), fact(2, "", "", "")];
        let held: Vec<&Fact> = held.iter().collect();
        let intent = if forget { Intent::Forget } else { Intent::Remember };
        prop_assert_eq!(read(&text, intent, &held), read(&text, intent, &held));
    }

    #[test]
    fn any_words_of_our_own_kind_are_read_without_fail(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "we", "moved", "to", "from", "it", "is", "not", "no", "longer", "the", "database", "Postgres", "16",
                "and", ",", ".", "?", "if", "my", "'s", "was", "replaced", "by", "with", "(", ")", ":", "will", "be",
                "off", "more", "than", "in", "2024", "allergic", "rather", "instead", "of", "->", "`x`",
            ]),
            0..30,
        ),
    ) {
        let held = [fact(1, "database", "MySQL", "our database is MySQL")];
        let held: Vec<&Fact> = held.iter().collect();
        let facts = read(&words.join(" "), Intent::Remember, &held);
        prop_assert!(facts.iter().all(|f| f.target_id.is_none_or(|id| id == 1)));
    }

    #[test]
    fn any_question_is_answered(question in "\\PC{0,60}") {
        let facts = [fact(1, "database", "MySQL", "our database is MySQL")];
        prop_assert!(!asked(&question, &facts).is_empty());
    }

    #[test]
    fn any_text_has_a_vector_of_length_one(text in "\\PC{0,60}") {
        let vector = embed(&[text.as_str()]).remove(0);
        let length: f32 = vector.iter().map(|x| x * x).sum();
        prop_assert!((length - 1.0).abs() < 1e-3, "{}", length);
    }
}
