//! What waits for a person, and what becomes of it.

use crate::stage::{Stage, member_of, principal};
use domain::{Role, Scopes};
use serde_json::json;

#[tokio::test]
async fn pending_changes() {
    let mut stage = Stage::new().await;
    let everywhere = json!({ "user_id": "*" });
    stage.local("pending_changes", json!({})).await;
    stage.told("the ward is 1", json!({ "subject": "ward", "value": "1" })).await;
    stage.told("no ward", json!({ "subject": "ward", "value": "1", "action": "RETRACT" })).await;
    stage.told("mascot: whale", json!({ "subject": "mascot", "value": "whale", "action": "FLAG" })).await;
    let fact = json!([{ "subject": "ward", "value": "2" }]);
    stage.local("remember", json!({ "text": "the ward is 2", "facts": fact, "source": "porter" })).await;
    stage.local("pending_changes", json!({})).await;
    stage.local("update_memory", json!({ "memory_id": 1, "new_value": "3" })).await;
    stage.local("pending_changes", json!({})).await;
    let fact = json!([{ "subject": "diet", "value": "none", "action": "FLAG" }]);
    stage
        .local("remember", json!({ "text": "no diet", "facts": fact, "user_id": "u2", "agent_id": "a" }))
        .await;
    stage.local("pending_changes", everywhere.clone()).await;
    let scoped = member_of("nurse", Role::Member, "default", Scopes::Only(vec!["u2".to_owned()]));
    stage.call(&scoped, "pending_changes", everywhere.clone()).await;
    stage.call(&principal("scribe", Role::Agent), "pending_changes", everywhere.clone()).await;

    stage.note("more than one reply holds");
    let told = stage.silently();
    for n in 0..8 {
        let fact = |m: i32| json!({ "subject": format!("s {n} {m}"), "value": "x", "action": "FLAG" });
        let facts: Vec<_> = (0..64).map(fact).collect();
        stage.local("remember", json!({ "text": format!("many {n}"), "facts": facts })).await;
    }
    for n in 0..200 {
        let fact = json!([{ "subject": "s", "value": "x", "action": "FLAG" }]);
        stage.local("remember", json!({ "text": "x", "facts": fact, "user_id": format!("user {n}") })).await;
    }
    stage.aloud(told);
    stage.local("pending_changes", json!({})).await;
    stage.local("pending_changes", everywhere).await;
    stage.check("pending_changes").await;
}

/// A guarded value with a proposal to change it (2), one to end it (3), and doubts about other facts.
async fn waiting() -> Stage {
    let mut stage = Stage::new().await;
    stage.told("the ward is 1", json!({ "subject": "ward", "value": "1" })).await;
    stage.told("the ward is 2", json!({ "subject": "ward", "value": "2" })).await;
    stage.told("no ward", json!({ "subject": "ward", "value": "1", "action": "RETRACT" })).await;
    stage.told("mascot: whale", json!({ "subject": "mascot", "value": "whale", "action": "FLAG" })).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    let fact = json!({ "subject": "database", "value": "MySQL 8", "action": "REFINE", "confidence": 0.4 });
    stage.told("MySQL 8?", fact).await;
    stage
}

#[tokio::test]
async fn confirm_change() {
    let mut stage = waiting().await;
    let change = |id: i64| json!({ "memory_id": id });
    stage.local("confirm_change", change(99)).await;
    stage.local("confirm_change", change(1)).await;
    stage.call(&principal("scribe", Role::Agent), "confirm_change", change(2)).await;
    stage.local("confirm_change", json!({ "memory_id": 4, "decided_by": "the board" })).await;
    stage.local("confirm_change", change(6)).await;
    stage.local("confirm_change", change(3)).await;
    stage.local("confirm_change", change(2)).await;
    stage.told("the ward is 7", json!({ "subject": "ward", "value": "7" })).await;
    stage.told("the ward is 8", json!({ "subject": "ward", "value": "8" })).await;
    stage.set(|options| options.four_eyes = true);
    stage.local("confirm_change", change(8)).await;
    stage.call(&principal("nurse", Role::Member), "confirm_change", json!({ "memory_id": "8" })).await;
    stage.local("confirm_change", json!({ "memory_id": 4, "decided_by": "two\nlines" })).await;
    stage.local("confirm_change", json!({})).await;
    stage.check("confirm_change").await;
}

#[tokio::test]
async fn reject_change() {
    let mut stage = waiting().await;
    let change = |id: i64| json!({ "memory_id": id });
    stage.local("reject_change", change(99)).await;
    stage.local("reject_change", change(1)).await;
    stage.local("reject_change", change(2)).await;
    stage.local("reject_change", change(3)).await;
    stage.local("reject_change", json!({ "memory_id": 4, "decided_by": "the board" })).await;
    stage.set(|options| options.four_eyes = true);
    stage.local("reject_change", change(6)).await;
    stage.local("history", json!({ "subject": "ward" })).await;
    stage.check("reject_change").await;
}

#[tokio::test]
async fn get_reconcile_policy() {
    let mut stage = Stage::new().await;
    stage.local("get_reconcile_policy", json!({})).await;
    stage
        .local("set_reconcile_policy", json!({ "mode": "authority", "authority": { "CTO": 9, "ops": "5" } }))
        .await;
    stage.local("get_reconcile_policy", json!({})).await;
    stage.local("get_reconcile_policy", json!({ "user_id": "somebody else" })).await;
    stage.check("get_reconcile_policy").await;
}

#[tokio::test]
async fn set_reconcile_policy() {
    let mut stage = Stage::new().await;
    stage.local("set_reconcile_policy", json!({})).await;
    stage
        .local("set_reconcile_policy", json!({ "mode": "AUTHORITY", "authority": { "CTO": 9, "ops": "5" } }))
        .await;
    stage.local("set_reconcile_policy", json!({ "mode": "review" })).await;
    stage.local("set_reconcile_policy", json!({ "mode": "whoever shouts" })).await;
    stage.local("set_reconcile_policy", json!({ "mode": "AUTHORITY", "authority": { "ops": "high" } })).await;
    let many: serde_json::Map<_, _> = (0..257).map(|n| (format!("source {n}"), n.into())).collect();
    stage.local("set_reconcile_policy", json!({ "mode": "AUTHORITY", "authority": many })).await;
    stage.check("set_reconcile_policy").await;
}
