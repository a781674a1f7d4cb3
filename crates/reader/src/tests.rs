//! What the reader proposes, sentence by sentence.

use crate::Reader;
use domain::{Fact, FactId, Kind, Metadata, RawFact, Status, Timestamp, Triple};
use model::{BuiltIn, Extract, Intent, SlotHint, Work};
use std::time::{Duration, Instant};

fn state(id: FactId, subject: &str, value: &str, text: &str) -> Fact {
    Fact {
        id,
        subject: subject.to_owned(),
        value: value.to_owned(),
        scope: "global".to_owned(),
        kind: Kind::State,
        status: Status::Active,
        confidence: 0.9,
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

fn ask(intent: Intent, held: &[Fact], slots: &[SlotHint], statement: &str) -> Vec<RawFact> {
    let held: Vec<&Fact> = held.iter().collect();
    let now = Timestamp::UNIX_EPOCH;
    let work = Work::until(Instant::now() + Duration::from_secs(60));
    Reader.extract(&Extract { statement, source: None, intent, held: &held, slots, now }, &work)
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

#[test]
#[ignore = "a look at what comes out, for whoever changes the rules"]
fn show() {
    let held = [
        state(1, "database", "MySQL", "Our database is MySQL."),
        state(2, "audit service port", "8001", "The audit service listens on port 8001."),
        state(4, "user cousin seppo home", "Lahti", "My cousin Seppo lives in Lahti and works for Valio."),
        state(
            5,
            "user cousin seppo employer",
            "Valio",
            "My cousin Seppo lives in Lahti and works for Valio.",
        ),
        state(
            6,
            "user aunt walburga home",
            "Regensburg",
            "My aunt Walburga lives in Regensburg and works for Krones.",
        ),
        state(
            7,
            "user aunt walburga employer",
            "Krones",
            "My aunt Walburga lives in Regensburg and works for Krones.",
        ),
        state(3, "user's sister's address", "5 Elm Street", "My sister's address is 5 Elm Street."),
    ];
    for said in std::fs::read_to_string(std::env::var("SAY").unwrap()).unwrap().lines() {
        println!("> {said}");
        remember(&held, said).iter().for_each(|line| println!("    {line}"));
    }
}
