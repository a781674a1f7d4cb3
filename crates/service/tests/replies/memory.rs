//! Looking at what is held, and changing one fact of it.

use crate::stage::{Chat, Stage, principal};
use domain::{Identity, Role};
use serde_json::json;
use store::keys::Switch;

#[tokio::test]
async fn recall() {
    let mut stage = Stage::new().await;
    let ask = |more: serde_json::Value| {
        let mut arguments = json!({ "question": "Which database do we use?" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    stage.local("recall", ask(json!({}))).await;
    stage.local("recall", ask(json!({ "explain": true }))).await;
    stage.local("remember", json!({ "text": "database = MySQL", "source": "ops" })).await;
    stage.local("remember", json!({ "text": "SUPERSEDE database = Postgres" })).await;
    stage.local("recall", ask(json!({}))).await;
    stage.local("recall", ask(json!({ "explain": true }))).await;
    stage.local("recall", ask(json!({ "explain": true, "include_history": "yes" }))).await;
    stage.local("recall", ask(json!({ "explain": true, "include_history": true }))).await;
    stage.local("recall", json!({ "question": "" })).await;
    stage.told("latex", json!({ "subject": "allergy", "value": "latex" })).await;
    stage.told("nuts", json!({ "subject": "allergy", "value": "nuts" })).await;
    stage.set(|options| (options.recall_context, options.critical_budget) = (1, 1));
    stage.local("recall", ask(json!({}))).await;
    stage.local("recall", ask(json!({ "critical_categories": "none, such" }))).await;
    stage.check("recall").await;
}

#[tokio::test]
async fn recall_related() {
    let mut stage = Stage::new().await;
    stage.local("recall_related", json!({ "question": "Who owns it?" })).await;
    stage.local("remember", json!({ "text": "owner = Dana" })).await;
    stage.local("recall_related", json!({ "question": "Who owns it?" })).await;
    stage.local("recall_related", json!({ "question": "Who owns it?", "explain": true })).await;
    stage.check("recall_related").await;
}

#[tokio::test]
async fn safe_recall() {
    let mut stage = Stage::new().await;
    let ask = json!({ "question": "Which database do we use?" });
    stage.local("safe_recall", ask.clone()).await;
    stage.local("safe_recall", json!({ "question": "Which?", "require_active": false })).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.local("safe_recall", ask.clone()).await;
    stage
        .told("perhaps Oracle", json!({ "subject": "database", "value": "Oracle", "confidence": 0.4 }))
        .await;
    stage.told("cache: Redis", json!({ "subject": "cache", "value": "Redis", "confidence": 0.6 })).await;
    stage.local("safe_recall", ask).await;
    stage
        .local(
            "safe_recall",
            json!({ "question": "Which?", "min_confidence": 0.5, "block_on_flagged": false }),
        )
        .await;
    stage.days_later(3);
    stage.local("safe_recall", json!({ "question": "Which?", "max_staleness_days": 2 })).await;
    stage.local("safe_recall", json!({ "question": "Which?", "min_confidence": 2 })).await;
    stage.local("safe_recall", json!({ "question": "Which?", "max_staleness_days": -1 })).await;
    stage.check("safe_recall").await;
}

#[tokio::test]
async fn forget() {
    let mut stage = Stage::new().await;
    stage.local("remember", json!({ "text": "database = MySQL; cache = Redis" })).await;
    stage.local("forget", json!({ "text": "all that" })).await;
    stage.local("forget", json!({ "text": "RETRACT queue = RabbitMQ" })).await;
    stage.local("forget", json!({ "text": "RETRACT database = MySQL; RETRACT cache = Redis" })).await;
    stage.local("forget", json!({ "text": "RETRACT database = MySQL" })).await;
    stage.local("forget", json!({ "text": "it was moved", "memory_id": 2 })).await;
    stage.local("forget", json!({ "text": "it was moved", "memory_id": 2 })).await;
    stage.local("forget", json!({ "text": "it was moved", "memory_id": 99 })).await;
    stage.told("the ward is 4", json!({ "subject": "ward", "value": "4" })).await;
    stage.local("forget", json!({ "text": "RETRACT ward = 4" })).await;
    stage.local("forget", json!({ "text": "RETRACT ward = 4" })).await;
    stage.call(&principal("scribe", Role::Agent), "forget", json!({ "text": "RETRACT ward = 4" })).await;
    stage.local("forget", json!({ "text": "" })).await;
    stage
        .call(&principal("scribe", Role::Agent), "forget", json!({ "text": "not mine", "memory_id": 6 }))
        .await;
    stage.local("forget", json!({ "text": "a slip", "memory_id": 6 })).await;
    stage.local("pending_changes", json!({})).await;
    stage.check("forget").await;
}

#[tokio::test]
async fn history() {
    let mut stage = Stage::new().await;
    stage.local("history", json!({ "subject": "database" })).await;
    for text in ["database = MySQL", "SUPERSEDE database = Postgres", "REFINE database = Postgres 16"] {
        stage.local("remember", json!({ "text": text })).await;
    }
    stage.local("history", json!({ "subject": "Database" })).await;
    stage.told("the ward is 4", json!({ "subject": "ward", "value": "4" })).await;
    stage.told("the ward is 5", json!({ "subject": "ward", "value": "5" })).await;
    stage.local("history", json!({ "subject": "station" })).await;
    stage.local("history", json!({ "subject": " " })).await;
    stage.check("history").await;
}

#[tokio::test]
async fn list_memories() {
    let mut stage = Stage::new().await;
    stage.local("list_memories", json!({})).await;
    stage.local("remember", json!({ "text": "ARCHIVE queue = RabbitMQ" })).await;
    stage.local("list_memories", json!({})).await;
    stage.local("remember", json!({ "text": "database = MySQL; cache = Redis; region = north" })).await;
    stage.local("remember", json!({ "text": "SUPERSEDE database = Postgres" })).await;
    stage.told("region: south?", json!({ "subject": "region", "value": "south", "confidence": 0.4 })).await;
    stage.local("list_memories", json!({})).await;
    stage.local("list_memories", json!({ "limit": 1 })).await;
    stage.local("list_memories", json!({ "limit": 1, "after": 3 })).await;
    stage.local("list_memories", json!({ "limit": "2", "after": "3" })).await;
    stage.local("list_memories", json!({ "limit": -1 })).await;
    stage.local("list_memories", json!({ "limit": "many" })).await;
    stage.local("list_memories", json!({ "user_id": "somebody else" })).await;
    stage.check("list_memories").await;
}

#[tokio::test]
async fn get_memory() {
    let mut stage = Stage::new().await;
    stage.local("get_memory", json!({ "memory_id": 1 })).await;
    stage.local("get_memory", json!({ "memory_id": "one" })).await;
    stage
        .local("remember", json!({ "text": "database = MySQL", "source": "ops", "metadata": { "a": 1 } }))
        .await;
    stage.local("remember", json!({ "text": "SUPERSEDE database = Postgres" })).await;
    stage.local("remember", json!({ "text": "REFINE database = Postgres 16" })).await;
    stage
        .told("it met", json!({ "subject": "meeting", "value": "held", "kind": "event", "confidence": 0.25 }))
        .await;
    for id in 1..=3 {
        stage.local("get_memory", json!({ "memory_id": id })).await;
    }
    stage.note("what a flagged fact would do");
    stage.told("mascot: whale", json!({ "subject": "mascot", "value": "whale", "action": "FLAG" })).await;
    stage.told("the ward is 1", json!({ "subject": "ward", "value": "1" })).await;
    stage.told("the ward is 2", json!({ "subject": "ward", "value": "2" })).await;
    stage.told("no ward", json!({ "subject": "ward", "value": "1", "action": "RETRACT" })).await;
    for id in [4, 6, 7] {
        stage.local("get_memory", json!({ "memory_id": id })).await;
    }
    stage.local("update_memory", json!({ "memory_id": 5, "new_value": "3" })).await;
    for id in [6, 7] {
        stage.local("get_memory", json!({ "memory_id": id })).await;
    }
    stage.check("get_memory").await;
}

#[tokio::test]
async fn update_memory() {
    let mut stage = Stage::new().await;
    let edit = |id: i64, value: &str| json!({ "memory_id": id, "new_value": value });
    stage.local("update_memory", edit(1, "x")).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.local("update_memory", edit(1, "MySQL")).await;
    stage.local("update_memory", edit(1, "Postgres")).await;
    stage.local("update_memory", edit(1, "Oracle")).await;
    stage.local("update_memory", edit(2, " ")).await;
    stage.local("update_memory", edit(2, &"x".repeat(9000))).await;
    stage.told("latex", json!({ "subject": "allergy", "value": "latex" })).await;
    stage.told("nuts", json!({ "subject": "allergy", "value": "nuts" })).await;
    stage.local("update_memory", edit(4, "latex")).await;
    stage.told("the ward is 1", json!({ "subject": "ward", "value": "1" })).await;
    let agent = principal("scribe", Role::Agent);
    stage.call(&agent, "update_memory", edit(5, "2")).await;
    stage.call(&agent, "update_memory", edit(5, "2")).await;
    stage.local("update_memory", edit(6, "3")).await;
    stage.local("update_memory", edit(5, "3")).await;
    stage.check("update_memory").await;
}

#[tokio::test]
async fn check_before_act() {
    let mut stage = Stage::new().await;
    let check = |subject: &str| json!({ "subject": subject });
    stage.local("check_before_act", check("database")).await;
    stage.local("check_before_act", json!({ "subject": "database", "require_active": false })).await;
    stage.local("remember", json!({ "text": "database = MySQL", "source": "ops" })).await;
    stage.local("check_before_act", check("database")).await;
    stage
        .told("perhaps Oracle", json!({ "subject": "database", "value": "Oracle", "confidence": 0.4 }))
        .await;
    stage.local("check_before_act", check("database")).await;
    stage.local("check_before_act", json!({ "subject": "database", "block_on_flagged": false })).await;
    stage.told("cache: Redis", json!({ "subject": "cache", "value": "Redis", "confidence": 0.6 })).await;
    stage.local("check_before_act", check("cache")).await;
    stage.local("remember", json!({ "text": "SUPERSEDE cache = Valkey" })).await;
    stage.local("check_before_act", json!({ "subject": "cache", "block_on_recent_change_days": 1 })).await;
    stage.days_later(3);
    stage.local("check_before_act", json!({ "subject": "cache", "block_on_recent_change_days": 1 })).await;
    stage.local("check_before_act", json!({ "subject": "cache", "max_staleness_days": "0.5" })).await;
    stage.local("check_before_act", json!({ "subject": "" })).await;
    stage.local("check_before_act", json!({ "subject": "cache", "min_confidence": 1.5 })).await;
    stage.local("check_before_act", json!({ "subject": "cache", "max_staleness_days": "soon" })).await;
    stage.local("remember", json!({ "text": "ward = 4B" })).await;
    stage.local("check_before_act", check("station")).await;
    for words in ["The tea was brought to 7C.", "Somebody has taken her off 4B."] {
        stage.told(words, json!({ "subject": "note", "value": words, "kind": "event" })).await;
        stage.local("check_before_act", check("ward")).await;
    }
    stage.check("check_before_act").await;
}

#[tokio::test]
async fn export_memory() {
    let mut stage = Stage::with(Chat::Answers, Switch::Off).await;
    stage.local("export_memory", json!({ "user_id": "nobody" })).await;
    let mut signed = Stage::new().await;
    signed.aloud(stage.silently());
    signed.local("remember", json!({ "text": "database = MySQL", "source": "ops" })).await;
    signed.local("remember", json!({ "text": "REFINE database = MySQL 8" })).await;
    signed
        .told("perhaps Oracle", json!({ "subject": "database", "value": "Oracle", "confidence": 0.4 }))
        .await;
    let question = json!({ "action_summary": "renewed it", "question": "Which database?" });
    signed.local("record_decision", question).await;
    signed.local("attest", json!({ "subject": "database" })).await;
    signed.call(&Identity::Local, "export_memory", json!({})).await;
    signed.check("export_memory").await;
}

#[tokio::test]
async fn brief() {
    let mut stage = Stage::new().await;
    stage.local("brief", json!({})).await;
    stage.local("brief", json!({ "part": "waiting" })).await;
    for (subject, value, more) in [
        ("editor", "Helix", json!({ "valid_from": "2024-03" })),
        ("commits", "Never force-push.", json!({})),
        ("allergy", "latex", json!({})),
        ("ward", "3B", json!({})),
        ("ward", "4A", json!({})),
        ("met Kim", "in Oslo", json!({ "kind": "event", "valid_from": "2025-12-24" })),
        ("parking permit", "zone 4", json!({ "valid_until": "2026-01-20" })),
        ("theme", "dark", json!({ "scope": "mobile" })),
    ] {
        let mut fact = json!({ "subject": subject, "value": value });
        fact.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        stage.told(&format!("{subject}: {value}"), fact).await;
    }
    stage.local("brief", json!({})).await;
    stage.days_later(30);
    stage.told("editor: Zed", json!({ "subject": "editor", "value": "Zed" })).await;
    stage.local("forget", json!({ "text": "commits" })).await;
    stage.note("the permit has run out");
    stage.local("brief", json!({ "since": "2026-01-15" })).await;
    stage.local("brief", json!({ "part": "changed", "since": "2026-01-15" })).await;
    stage.local("brief", json!({ "part": "waiting", "tokens": 200 })).await;
    stage.local("brief", json!({ "tokens": 200 })).await;
    stage.local("brief", json!({ "part": "changed" })).await;
    stage.local("brief", json!({ "since": "soon" })).await;
    stage.local("brief", json!({ "tokens": 50_001 })).await;
    stage.check("brief").await;
}
