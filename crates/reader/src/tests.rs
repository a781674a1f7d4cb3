//! What the reader proposes, sentence by sentence.

use crate::Reader;
use domain::{Fact, FactId, FactKind, Metadata, RawFact, Status, Timestamp, Triple};
use model::{Answer, AnswerFact, BuiltIn, Extract, Intent, SlotHint, Work};
use std::time::{Duration, Instant};

fn state(id: FactId, subject: &str, value: &str, text: &str) -> Fact {
    Fact {
        id,
        subject: subject.to_owned(),
        value: value.to_owned(),
        scope: "global".to_owned(),
        kind: FactKind::State,
        status: Status::Active,
        confidence: 0.9,
        source: None,
        list_item: false,
        supersedes: None,
        metadata: Metadata::new(),
        triple: Triple::default(),
        text: text.into(),
        pending: None,
        earlier: Vec::new(),
        times: domain::Times::default(),
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
    }
}

fn ask(intent: Intent, held: &[Fact], slots: &[SlotHint], statement: &str) -> Vec<RawFact> {
    let held: Vec<&Fact> = held.iter().collect();
    let now = Timestamp::UNIX_EPOCH;
    let work = Work::until(Instant::now() + Duration::from_secs(60));
    Reader.extract(&Extract { statement, source: None, intent, held: &held, slots, now, notice: None }, &work)
}

/// `ACTION subject = value`, with the number of the fact that it changes and the scope where there is one.
fn line(fact: &RawFact) -> String {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let target = fact.target_id.map(|id| format!(" #{id}")).unwrap_or_default();
    let scope =
        fact.scope.as_deref().filter(|s| *s != "global").map(|s| format!(" [{s}]")).unwrap_or_default();
    let kind = if fact.kind.as_deref() == Some("event") {
        "NOTE"
    } else {
        fact.action.as_deref().unwrap_or_default()
    };
    format!("{kind} {} = {}{scope}{target}", text(&fact.subject), text(&fact.value))
}

fn remember(held: &[Fact], statement: &str) -> Vec<String> {
    ask(Intent::Remember, held, &[], statement).iter().map(line).collect()
}

fn held() -> Vec<Fact> {
    let cousin = "My cousin Seppo lives in Lahti and works for Valio.";
    let rooms = "Room 214 holds 12 people and opens with key code 4471.";
    vec![
        state(FactId(1), "database", "MySQL", "Our database is MySQL."),
        state(FactId(2), "audit service port", "8001", "The audit service listens on port 8001."),
        state(FactId(3), "user sister address", "5 Elm Street", "My sister's address is 5 Elm Street."),
        state(FactId(4), "user cousin seppo home", "Lahti", cousin),
        state(FactId(5), "user cousin seppo employer", "Valio", cousin),
        state(FactId(6), "room 214 capacity", "12 people", rooms),
        state(FactId(7), "room 214 open with", "key code 4471", rooms),
    ]
}

#[track_caller]
fn check(said: &str, expected: &[&str]) {
    assert_eq!(remember(&held(), said), expected, "{said}");
}

#[test]
fn each_conjunct_keeps_the_subject_of_its_sentence() {
    check(
        "The search service is owned by Priya Raman and listens on port 8001.",
        &["ADD search service owner = Priya Raman", "ADD search service port = 8001"],
    );
    check(
        "Acme is on the Gold plan and our contact there is Lena Fischer.",
        &["ADD acme plan = Gold", "ADD acme contact = Lena Fischer"],
    );
    check(
        "Mrs. Alvarez takes metformin 500 mg and lisinopril 10 mg.",
        &[
            "ADD mrs. alvarez takes metformin = metformin 500 mg",
            "ADD mrs. alvarez takes lisinopril = lisinopril 10 mg",
        ],
    );
}

#[test]
fn only_the_named_fact_is_changed() {
    check("We moved from MySQL to Postgres.", &["SUPERSEDE database = Postgres #1"]);
    check("The audit service now listens on 9107.", &["SUPERSEDE audit service port = 9107 #2"]);
    check("The queue service listens on port 9000.", &["ADD queue service port = 9000"]);
    check(
        "Since spring Seppo has been working for Kerecis.",
        &["SUPERSEDE user cousin seppo employer = Kerecis #5"],
    );
    check("Room 214 got a new key code, 5582.", &["SUPERSEDE room 214 open with = 5582 #7"]);
    check("Room 215 got a new key code, 5582.", &["ADD room 215 key code = 5582"]);
}

#[test]
fn another_number_is_another_thing() {
    let text = "Project 130 uses PostgreSQL 11.";
    let held = [state(FactId(1), "project 130 database", "PostgreSQL 11", text)];
    assert_eq!(
        remember(&held, "Project 147 uses PostgreSQL 11."),
        ["ADD project 147 database = PostgreSQL 11"]
    );
    assert_eq!(remember(&held, "Project 39 uses PostgreSQL 5."), ["ADD project 39 database = PostgreSQL 5"]);
    assert_eq!(
        remember(&held, "Project 130 uses PostgreSQL 12."),
        ["SUPERSEDE project 130 database = PostgreSQL 12 #1"]
    );
}

#[test]
fn what_has_gone_is_named() {
    check("We dropped MySQL.", &["RETRACT database = MySQL #1"]);
    check("We no longer use MySQL.", &["RETRACT database = MySQL #1"]);
    check(
        "We dropped the idea of replacing Postgres.",
        &["NOTE dropped idea replacing postgres = We dropped the idea of replacing Postgres."],
    );
}

/// Nothing here is read as a change, yet it is one: what was told stays, and a person is asked about what was held.
#[test]
fn an_unread_change_is_put_to_a_person() {
    let held = |text: &str, subject: &str, value: &str| [state(FactId(1), subject, value, text)];
    let asked = |held: &[Fact], said: &str| {
        let found = ask(Intent::Remember, held, &[], said);
        let about = |f: &&RawFact| f.target_id == Some(1) && f.confidence.is_some_and(|c| c < 0.6);
        assert!(found.iter().any(|f| about(&f)), "{said}: {:?}", found.iter().map(line).collect::<Vec<_>>());
        assert!(found.iter().any(|f| f.target_id.is_none()), "{said} is lost");
    };
    let inr = held("The INR target is 2.5.", "inr target", "2.5");
    asked(&inr, "Cardiology have set the INR goal at 3.0 on account of the new valve.");
    let card = "The town library lends books for three weeks.";
    asked(
        &held(card, "town library lends books", "three weeks"),
        "The town library gives everybody five weeks now.",
    );
    check("The gym on Harrow Lane has a new sauna.", &["ADD gym harrow lane = new sauna"]);
}

#[test]
fn what_is_not_read_is_kept_as_it_was_told() {
    check(
        "He loves his new bike and finds riding it relaxing.",
        &["NOTE loves bike finds riding relaxing = He loves his new bike and finds riding it relaxing."],
    );
    check(
        "Caroline: I went to a support group yesterday and it was so powerful.",
        &[
            "NOTE caroline: went support group yesterday powerful = I went to a support group yesterday and it was so \
           powerful. [yesterday: 1969-12-31]",
        ],
    );
    check("Thanks, have a nice day!", &[]);
    check("Did you hear any inspiring stories?", &[]);
}

#[test]
fn hedges_and_plans_wait_and_suppositions_are_left_out() {
    check("I think the budget is 5000.", &["FLAG budget = 5000"]);
    check("Next year our database will be Postgres.", &["FLAG database = Postgres #1"]);
    check(
        "If we moved to AWS we would save money.",
        &["SKIP if moved aws save money = If we moved to AWS we would save money"],
    );
}

#[test]
fn what_holds_in_two_places_is_two_facts() {
    check(
        "The log level is debug in staging and info in production.",
        &["ADD log level = debug [staging]", "ADD log level = info [production]"],
    );
}

#[test]
fn a_list_takes_one_more_item_and_empties_nothing() {
    let slot = SlotHint {
        name: "allergy".to_owned(),
        aliases: vec!["allergies".to_owned()],
        owner: Vec::new(),
        description: "What the patient is allergic to.".to_owned(),
        list: true,
        verbatim: false,
    };
    let told = |said: &str| -> Vec<String> {
        ask(Intent::Remember, &[], std::slice::from_ref(&slot), said).iter().map(line).collect()
    };
    assert_eq!(told("Allergies: latex, iodine."), ["ADD allergy = latex", "ADD allergy = iodine"]);
    assert_eq!(told("He is also allergic to horse dander."), ["ADD allergy = horse dander"]);
    assert_eq!(told("New allergy: codeine."), ["ADD allergy = codeine"]);
}

#[test]
fn a_page_of_text_is_kept_whole_in_few_facts() {
    let page = "The lamp by the door is green and the cat sleeps under it most of the day. ".repeat(800);
    let found = ask(Intent::Remember, &[], &[], &page);
    assert!(found.len() <= domain::limits::FACTS_PER_STATEMENT, "{}", found.len());
    let kept: usize = found.iter().filter_map(|f| f.value.as_ref()).map(String::len).sum();
    assert!(kept + 24 * 80 >= page.trim().len(), "{kept} of {}", page.len());
    assert!(found.iter().all(|f| f.value.as_ref().is_some_and(|v| v.len() <= domain::limits::VALUE_BYTES)));
}

#[test]
fn a_note_of_a_plan_is_shown_but_answers_nothing() {
    let mut plan = state(
        FactId(2),
        "half mind switch bike",
        "Half a mind to switch to the bike.",
        "Half a mind to switch to the bike.",
    );
    plan.kind = FactKind::Event;
    let facts = [AnswerFact { fact: &plan, retired: false, changes: Vec::new() }];
    let ask = Answer {
        question: "How do I commute?",
        facts: &facts,
        paths: &[],
        now: Timestamp::UNIX_EPOCH,
        notice: None,
    };
    let answer = crate::answer::answer(&ask);
    assert!(answer.starts_with("That is not known.") && answer.contains("#2"), "{answer}");
}

#[test]
fn a_denial_is_shown_as_one() {
    let text = "We never deploy to Azure.";
    let denial = state(FactId(3), "deploy target is not", "Azure", text);
    let facts = [AnswerFact { fact: &denial, retired: false, changes: Vec::new() }];
    let question = "What is our deploy target is not?";
    let ask = Answer { question, facts: &facts, paths: &[], now: Timestamp::UNIX_EPOCH, notice: None };
    let answer = crate::answer::answer(&ask);
    assert!(answer.starts_with("not Azure (deploy target is not = Azure)."), "{answer}");
}

/// Neither sentence is read, but each names the thing and gives one figure for one that is held.
#[test]
fn a_new_figure_of_a_named_thing_replaces_the_old() {
    let change = |told: &str, said: &str| {
        let first = ask(Intent::Remember, &[], &[], told);
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let held: Vec<Fact> = (1..)
            .zip(&first)
            .map(|(id, f)| state(FactId(id), &text(&f.subject), &text(&f.value), told))
            .collect();
        let found = remember(&held, said);
        found.into_iter().filter(|line| !line.starts_with("NOTE")).collect::<Vec<_>>()
    };
    let service = "The archive service is owned by Violaine Bonnefoy and listens on port 8237.";
    let clash = "Because of a clash with the new proxy the archive service got port 9466.";
    assert_eq!(change(service, clash), ["SUPERSEDE archive service port = 9466 #2"]);
    let ticket = "Ticket HD-4478 is assigned to Aodhan Scully and has priority 62.";
    let fuming = "We've set HD-4478 to priority 88, the customer is fuming.";
    assert_eq!(change(ticket, fuming), ["SUPERSEDE ticket hd-4478 priority = 88 #2"]);
    let room = "Room 413 holds 11 people and opens with key code 7803.";
    let larger = "Room 413 has been enlarged and takes 17 people.";
    assert_eq!(change(room, larger), ["SUPERSEDE room 413 capacity = 17 people #1"]);
    // Two figures: a person decides which is which.
    let two = change(ticket, "We've set HD-4478 to priority 88 for 14 days.");
    assert!(two.iter().all(|line| !line.starts_with("SUPERSEDE")), "{two:?}");
}

#[test]
fn a_path_is_shown_step_by_step() {
    let database = state(FactId(1), "payments database", "ledger-pg", "");
    let region = Fact { scope: "eu".to_owned(), ..state(FactId(2), "ledger-pg region", "Frankfurt", "") };
    let owner = state(FactId(3), "payments owner", "Money", "");
    let facts = [
        AnswerFact { fact: &database, retired: false, changes: Vec::new() },
        AnswerFact { fact: &region, retired: false, changes: vec![&database] },
        AnswerFact { fact: &owner, retired: false, changes: Vec::new() },
    ];
    let paths = [vec![FactId(1)], vec![FactId(1), FactId(2)], vec![FactId(3)]];
    let ask = Answer {
        question: "Where is it?",
        facts: &facts,
        paths: &paths,
        now: Timestamp::UNIX_EPOCH,
        notice: None,
    };
    assert_eq!(
        crate::answer::answer(&ask),
        "This is how it hangs together, the nearest first:\n  \
         payments database = ledger-pg\n  … → ledger-pg region = Frankfurt [eu] (a change waits)\n  \
         payments owner = Money"
    );
}

fn slot(name: &str, aliases: &[&str], owner: &str, list: bool) -> SlotHint {
    SlotHint {
        name: name.to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        owner: vec![owner.to_owned()],
        description: name.replace('_', " "),
        list,
        verbatim: false,
    }
}

#[test]
fn everyday_words_fill_declared_slots() {
    let slots = [
        slot("competitor", &["competitors"], "this deal", true),
        slot("product_version", &["version"], "the customer", false),
        slot("partner", &[], "the user", false),
        slot("test_command", &[], "we", false),
        slot("diet", &[], "the user", false),
    ];
    for (said, expected) in [
        (
            "We're up against Datadog and Dynatrace in this deal.",
            vec!["ADD competitor = Datadog", "ADD competitor = Dynatrace"],
        ),
        ("The customer runs 8.7.", vec!["ADD product_version = 8.7"]),
        ("Saskia is my partner, book the table please.", vec!["ADD partner = Saskia"]),
        ("`make check` is our test command.", vec!["ADD test_command = `make check`"]),
        ("I'm on a gluten-free diet.", vec!["ADD diet = gluten-free"]),
        ("My partner is Jonas, no wait, I meant Jannes.", vec!["ADD partner = Jannes"]),
    ] {
        let found: Vec<String> = ask(Intent::Remember, &[], &slots, said).iter().map(line).collect();
        assert_eq!(found, expected, "{said}");
    }
}

#[test]
fn a_request_behind_a_statement_takes_only_itself_away() {
    check(
        "I've adjusted our holiday budget to $450, can you help me plan it?",
        &["ADD holiday budget = $450"],
    );
    check("Our budget is 9000 - thanks for asking.", &["ADD budget = 9000"]);
    check("Wow, Mel!", &[]);
    check("That looks amazing!", &[]);
}

#[test]
fn what_was_just_told_is_amended() {
    let birthday = [state(FactId(1), "user birthday", "6 March", "My birthday is 6 March.")];
    assert_eq!(remember(&birthday, "Oops, I meant 8 March."), ["SUPERSEDE user birthday = 8 March #1"]);
    let list =
        [state(FactId(1), "user shopping list", "milk, eggs, bread", "My shopping list: milk, eggs, bread.")];
    assert_eq!(
        remember(&list, "Remove eggs from my shopping list."),
        ["SUPERSEDE user shopping list = milk, bread #1"]
    );
    check("We ditched MySQL for Postgres.", &["SUPERSEDE database = Postgres #1"]);
    check("Ditched MySQL for Postgres last sprint.", &["SUPERSEDE database = Postgres #1"]);
}

#[test]
fn a_correction_keeps_the_rest_of_what_was_told() {
    let launch =
        [state(FactId(1), "launch", "on 4 May at the Globe", "The launch is on 4 May at the Globe.")];
    assert_eq!(
        remember(&launch, "No wait, I meant 14 May."),
        ["SUPERSEDE launch = on 14 May at the Globe #1"]
    );
    let weight = [state(FactId(1), "user weight", "82 kg", "I weigh 82 kg.")];
    assert_eq!(remember(&weight, "Sorry, 28 kg, he's seven."), ["SUPERSEDE user weight = 28 kg #1"]);
    let late = remember(&weight, "Sorry, 5 minutes late.");
    assert!(matches!(late.as_slice(), [note] if note.starts_with("NOTE")), "{late:?}");
    check("The deadline is 30 June, no wait, 30 July.", &["ADD deadline = 30 July"]);
    check(
        "The meeting is on Monday, same day as the dentist.",
        &["ADD meeting = on Monday, same day as the dentist"],
    );
}

#[test]
fn a_subject_has_an_owner_and_an_attribute() {
    for kept in ["We never deploy on Fridays.", "We're holding metformin until the scan."] {
        let found = remember(&[], kept);
        assert!(matches!(found.as_slice(), [note] if note.starts_with("NOTE")), "{kept}: {found:?}");
    }
    check("I'm vegetarian.", &["ADD user diet = vegetarian"]);
    check("My sister Ana is a vet in Porto.", &["ADD user sister ana is = a vet in Porto"]);
    check("My ex moved to Nice.", &["ADD user ex home = Nice"]);
    check("My shopping list has milk, eggs and bread.", &["ADD user shopping list = milk, eggs and bread"]);
}

#[test]
fn a_slot_takes_what_its_words_give_and_nothing_near_it() {
    let slots = [
        slot("employer", &[], "the user", false),
        slot("home_city", &["lives in"], "the user", false),
        slot("partner", &["wife"], "the user", false),
        slot("refund", &[], "the customer", false),
        slot("deploy_target", &[], "we", false),
        slot("tax_residency", &[], "the client", false),
        slot("dietary_restriction", &["diet"], "the user", true),
        slot("active_medication", &["medication"], "the patient", true),
    ];
    for (said, expected) in [
        (
            "I live in Reading and work for Vodafone.",
            vec!["ADD home_city = Reading", "ADD employer = Vodafone"],
        ),
        ("We deploy to Fly.", vec!["ADD deploy_target = Fly"]),
        ("The patient takes 20 mg atorvastatin.", vec!["ADD active_medication = atorvastatin 20 mg"]),
        (
            "The patient is on 10 units of insulin glargine at bedtime.",
            vec!["ADD active_medication = insulin glargine 10 units at bedtime"],
        ),
    ] {
        let found: Vec<String> = ask(Intent::Remember, &[], &slots, said).iter().map(line).collect();
        assert_eq!(found, expected, "{said}");
    }
    for said in [
        "My wife Grace and I have settled in Hobart.",
        "My partner Saskia loves old maps.",
        "We promised the customer a refund of 200 USD.",
        "I eat fish now.",
    ] {
        let found = ask(Intent::Remember, &[], &slots, said);
        let fills = |fact: &RawFact| slots.iter().any(|slot| fact.subject.as_ref() == Some(&slot.name));
        assert!(!found.iter().any(fills), "{said}: {found:?}");
    }
}
