//! Erasing for good.

use crate::stage::{Stage, member_of, principal};
use domain::{Role, Scopes};
use serde_json::json;

/// Two facts, a decision on both and an attestation of each.
async fn held() -> Stage {
    let mut stage = Stage::new().await;
    stage.local("remember", json!({ "text": "database = MySQL; cache = Redis" })).await;
    stage.local("record_decision", json!({ "action_summary": "renewed", "question": "Which?" })).await;
    stage.local("attest", json!({ "subject": "database" })).await;
    stage.local("attest", json!({ "subject": "cache" })).await;
    stage
}

#[tokio::test]
async fn delete() {
    let mut stage = held().await;
    stage.local("delete", json!({ "subject": "queue" })).await;
    stage.local("delete", json!({ "subject": "Database" })).await;
    stage.local("delete", json!({ "subject": "database" })).await;
    let all = json!({ "include_decisions": true, "include_receipts": true, "include_audit": true });
    let mut arguments = all.clone();
    arguments["subject"] = "cache".into();
    let elsewhere = member_of("elsewhere", Role::Admin, "acme", Scopes::All);
    stage.call(&elsewhere, "delete", arguments.clone()).await;
    stage.call(&principal("scribe", Role::Agent), "delete", arguments.clone()).await;
    stage.local("delete", arguments).await;
    stage.told("the ward is 1", json!({ "subject": "ward", "value": "1" })).await;
    stage.local("delete", json!({ "subject": "station" })).await;
    stage.local("delete", json!({ "subject": "" })).await;
    stage.check("delete").await;
}

#[tokio::test]
async fn delete_all() {
    let mut stage = held().await;
    stage.local("delete_all", json!({ "user_id": "nobody" })).await;
    stage.local("delete_all", json!({ "agent_id": "coder" })).await;
    stage.local("delete_all", json!({})).await;
    stage.local("delete_all", json!({ "include_receipts": true })).await;
    let all = json!({ "include_decisions": true, "include_receipts": true, "include_audit": true });
    let elsewhere = member_of("elsewhere", Role::Admin, "acme", Scopes::All);
    stage.call(&elsewhere, "delete_all", all.clone()).await;
    stage.local("delete_all", all).await;
    stage.check("delete_all").await;
}

#[tokio::test]
async fn purge_expired() {
    let mut stage = held().await;
    stage.local("purge_expired", json!({ "older_than_days": 1 })).await;
    stage.days_later(2);
    stage.local("purge_expired", json!({ "older_than_days": "1" })).await;
    let all = json!({ "older_than_days": 1, "include_decisions": true, "include_receipts": true, "include_audit": true });
    let elsewhere = member_of("elsewhere", Role::Admin, "acme", Scopes::All);
    stage.call(&elsewhere, "purge_expired", all.clone()).await;
    stage.local("purge_expired", all).await;
    stage.local("purge_expired", json!({ "older_than_days": -1 })).await;
    stage.local("purge_expired", json!({ "older_than_days": 36501 })).await;
    stage.local("purge_expired", json!({})).await;
    stage.check("purge_expired").await;
}

#[tokio::test]
async fn one_audit_entry() {
    let mut stage = Stage::new().await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.local("delete_all", json!({ "include_audit": true })).await;
    stage.local("verify_receipt", json!({ "receipt_id": 1 })).await;
    stage.check("one_audit_entry").await;
}

#[tokio::test]
async fn erasure_with_a_graph() {
    let mut stage = held().await;
    stage.store().graph_turn_on().await.unwrap();
    stage.local("delete", json!({ "subject": "queue" })).await;
    stage.local("delete", json!({ "subject": "database" })).await;
    stage.local("verify_receipt", json!({ "receipt_id": 3 })).await;
    stage.days_later(2);
    stage.local("purge_expired", json!({ "older_than_days": 1 })).await;
    stage.local("purge_expired", json!({ "older_than_days": 1 })).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.local("delete_all", json!({})).await;
    stage.local("delete_all", json!({})).await;
    stage.check("erasure_with_a_graph").await;
}
