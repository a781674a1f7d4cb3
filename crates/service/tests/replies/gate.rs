//! What the gate says where it lets nobody through.

use crate::stage::{Chat, Stage, member_of, principal};
use domain::{Identity, Role, Scopes};
use serde_json::json;
use store::keys::Switch;

#[tokio::test]
async fn gate() {
    let mut stage = Stage::new().await;
    stage.local("sing", json!({})).await;
    stage.local("line\nbreak", json!({})).await;
    stage.call(&Identity::Anonymous, "list_memories", json!({})).await;
    stage.call(&principal("viewer", Role::Viewer), "remember", json!({ "text": "x" })).await;
    stage.call(&principal("auditor", Role::Auditor), "recall", json!({ "question": "x" })).await;
    let scoped = member_of("scoped", Role::Member, "default", Scopes::Only(vec!["u1".to_owned()]));
    stage.call(&scoped, "list_memories", json!({ "user_id": "u1" })).await;
    stage.call(&scoped, "list_memories", json!({ "user_id": "u2" })).await;
    stage.call(&scoped, "explain_decision", json!({ "decision_id": 1, "user_id": "u2" })).await;
    stage.call(&scoped, "attest", json!({ "subject": "x" })).await;
    stage.check("gate").await;
}

#[tokio::test]
async fn without_a_key_for_the_model() {
    let mut stage = Stage::with(Chat::NoKey, Switch::On).await;
    stage.local("recall", json!({ "question": "Which?" })).await;
    stage.local("recall_related", json!({ "question": "Which?" })).await;
    stage.local("forget", json!({ "text": "it" })).await;
    stage.local("record_decision", json!({ "action_summary": "x", "question": "Which?" })).await;
    stage.local("safe_recall", json!({ "question": "Which?" })).await;
    stage.check("without_a_key_for_the_model").await;
}

#[tokio::test]
async fn a_database_that_does_not_take_the_entry() {
    let mut stage = Stage::new().await;
    stage.sql("DROP TABLE audit_entry");
    stage.local("list_memories", json!({})).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.check("a_database_that_does_not_take_the_entry").await;
}
