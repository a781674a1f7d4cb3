//! `remember`: what is stored, what is not, what waits, and who may say it.

use crate::stage::{Chat, Stage, principal};
use domain::Role;
use serde_json::json;
use store::keys::Switch;

#[tokio::test]
async fn remember() {
    let mut stage = Stage::new().await;
    stage.note("from the words alone");
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.local("remember", json!({ "text": "SUPERSEDE database = Postgres; cache = Redis" })).await;
    stage.local("remember", json!({ "text": "REFINE database = Postgres 16" })).await;
    stage.local("remember", json!({ "text": "ARCHIVE queue = RabbitMQ" })).await;
    stage.local("remember", json!({ "text": "RETRACT cache = Redis" })).await;
    stage.local("remember", json!({ "text": "SKIP colour = purple; region = north" })).await;
    stage.local("remember", json!({ "text": "SKIP colour = purple" })).await;
    stage.local("remember", json!({ "text": "Good morning!" })).await;

    stage.note("with the facts that the caller brings");
    stage.told("the region is north", json!({ "subject": "region", "value": "north" })).await;
    stage
        .told(
            "on staging it is MySQL",
            json!({ "subject": "database", "value": "MySQL", "scope": "staging" }),
        )
        .await;
    stage.told("region: south?", json!({ "subject": "region", "value": "south", "confidence": 0.4 })).await;
    stage.told("region: south?", json!({ "subject": "region", "value": "south", "confidence": 0.4 })).await;
    stage.told("mascot: a whale", json!({ "subject": "mascot", "value": "a whale", "action": "FLAG" })).await;
    stage.told("billing database: Oracle", json!({ "subject": "billing database", "value": "Oracle" })).await;
    let own = json!({ "category": "ops", "asserted_by": "me", "approved_by": "me" });
    let fact = json!([{ "subject": "editor", "value": "vim" }]);
    stage.local("remember", json!({ "text": "editor: vim", "facts": fact, "metadata": own })).await;

    stage.note("on a guarded slot");
    stage.told("the ward is 4", json!({ "subject": "ward", "value": "4" })).await;
    stage.told("the ward is 5", json!({ "subject": "station", "value": "5" })).await;
    stage.told("the ward is 5", json!({ "subject": "ward", "value": "5" })).await;
    stage.told("no ward", json!({ "subject": "ward", "value": "4", "action": "RETRACT" })).await;
    stage.told("ward at night: 6", json!({ "subject": "ward", "value": "6", "scope": "night" })).await;
    let agent = principal("scribe", Role::Agent);
    let change = json!({ "text": "the ward is 7", "facts": [{ "subject": "ward", "value": "7" }] });
    stage.call(&agent, "remember", change).await;
    stage.set(|options| options.four_eyes = true);
    let change = json!({ "text": "the ward is 8", "facts": [{ "subject": "ward", "value": "8" }] });
    stage.local("remember", change).await;
    stage.check("remember").await;
}

#[tokio::test]
async fn remember_as_a_source() {
    let mut stage = Stage::new().await;
    let (agent, ehr, member) =
        (principal("scribe", Role::Agent), principal("ehr", Role::Agent), principal("nurse", Role::Member));
    let say = |value: &str, source: &str| {
        let fact = json!({ "subject": "ward", "value": value });
        json!({ "text": format!("the ward is {value}"), "facts": [fact], "source": source })
    };
    stage.call(&agent, "remember", say("1", "hospital")).await;
    stage.call(&agent, "remember", say("2", "ehr")).await;
    stage.call(&ehr, "remember", say("3", "ehr")).await;
    stage.call(&member, "remember", say("4", "EHR")).await;
    stage.set(|options| options.four_eyes = true);
    stage.call(&member, "remember", say("5", "ehr")).await;
    stage.local("set_reconcile_policy", json!({ "mode": "REVIEW" })).await;
    stage.call(&agent, "remember", say("6", "hospital")).await;
    stage.check("remember_as_a_source").await;
}

#[tokio::test]
async fn remember_what_cannot_be_taken() {
    let mut stage = Stage::new().await;
    let fact = |n: usize| json!({ "subject": format!("subject {n}"), "value": "x" });
    for arguments in [
        json!({}),
        json!({ "text": " " }),
        json!({ "text": 7 }),
        json!({ "text": "x".repeat(65 * 1024) }),
        json!({ "text": "x", "txt": "y" }),
        json!({ "text": "x", "facts": [] }),
        json!({ "text": "x", "facts": [{ "subject": " ", "value": "x" }] }),
        json!({ "text": "x", "facts": [{ "subject": "x" }] }),
        json!({ "text": "x", "facts": (0..65).map(fact).collect::<Vec<_>>() }),
        json!({ "text": "x", "metadata": { "long": "x".repeat(17 * 1024) } }),
        json!({ "text": "x", "metadata": "x" }),
        json!({ "text": "x", "source": "x".repeat(300) }),
        json!({ "text": "x", "source": "two\nlines" }),
        json!({ "text": "x", "user_id": 7 }),
        json!({ "text": "x", "user_id": "two\nlines" }),
        json!({ "text": "x", "user_id": "prin_0123" }),
    ] {
        stage.local("remember", arguments).await;
    }
    stage.check("remember_what_cannot_be_taken").await;
}

#[tokio::test]
async fn remember_without_a_model() {
    let mut stage = Stage::with(Chat::NoKey, Switch::On).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.told("database: MySQL", json!({ "subject": "database", "value": "MySQL" })).await;
    let mut damaged = Stage::with(Chat::Damaged, Switch::On).await;
    damaged.aloud(stage.silently());
    damaged.local("remember", json!({ "text": "database = MySQL" })).await;
    damaged.check("remember_without_a_model").await;
}

#[tokio::test]
async fn remember_what_a_caller_brings() {
    let mut stage = Stage::new().await;
    let dated = |text: &str, said: &str, facts: serde_json::Value| json!({ "text": text, "said_at": said, "facts": facts });
    stage.note("lists, on any subject");
    stage.told("Bob speaks German", json!({ "subject": "Bob's languages", "value": "German" })).await;
    let greek = json!({ "subject": "Bob's languages", "value": "Greek", "action": "COEXIST" });
    stage.told("Bob speaks Greek too", greek).await;
    stage.told("Bob forgot it", json!({ "subject": "Bob's languages", "action": "RETRACT" })).await;
    let german = json!({ "subject": "Bob's languages", "value": "German", "action": "RETRACT" });
    stage.told("Bob forgot his German", german).await;

    stage.note("events, targets and retractions");
    let race = json!({ "subject": "Ana's race", "value": "ran Lisbon", "kind": "event", "time_ref": "past" });
    stage.told("Ana ran Lisbon", race).await;
    let porto = json!({ "subject": "Ana's race", "value": "ran Porto", "kind": "event" });
    stage.told("Ana ran Porto", porto).await;
    let mended = json!({ "subject": "Ana's race", "value": "ran Faro", "kind": "event", "target_id": 4 });
    stage.told("Ana ran Faro, not Porto", mended).await;
    let unknown = json!({ "subject": "Ana's race", "value": "ran Evora", "target_id": 999 });
    stage.told("Ana ran Evora", unknown).await;
    stage.told("Ana's car is red", json!({ "subject": "Ana's car", "value": "red" })).await;
    stage.told("Ana sold the car", json!({ "subject": "Ana's car", "action": "RETRACT" })).await;

    stage.note("dates");
    let home = json!([{ "subject": "Bob's home", "value": "Rome", "valid_from": "2024-03" }]);
    stage.local("remember", dated("Bob lives in Rome since March", "2024-05-01", home)).await;
    let home = json!([{ "subject": "Bob's home", "value": "Bern", "valid_until": "2023" }]);
    stage.local("remember", dated("Bob lived in Bern", "2023-02-01", home)).await;
    stage.local("history", json!({ "subject": "Bob's home" })).await;
    stage.local("history", json!({ "subject": "Bob's home", "as_of": "2023-06-01" })).await;
    stage.local("recall", json!({ "question": "Where is Bob's home?", "explain": true })).await;
    let pass = json!([{ "subject": "Bob's pass", "value": "zone 2", "valid_until": "2025-12-01" }]);
    stage.local("remember", dated("Bob has a pass for zone 2", "2025-01-01", pass)).await;
    stage.local("check_before_act", json!({ "subject": "Bob's pass" })).await;
    let wrong = json!([{ "subject": "Bob's pass", "value": "zone 3", "valid_until": "soon" }]);
    stage.local("remember", json!({ "text": "zone 3", "facts": wrong })).await;
    stage.local("remember", json!({ "text": "zone 3", "said_at": "2031-01-01" })).await;
    stage.check("remember_what_a_caller_brings").await;
}
