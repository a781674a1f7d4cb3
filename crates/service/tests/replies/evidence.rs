//! What is signed, and whether it still is what was signed.

use crate::stage::{Chat, Stage, database, member_of, principal};
use domain::{Identity, Role, Scopes};
use serde_json::json;
use store::Call;
use store::keys::Switch;

#[tokio::test]
async fn record_decision() {
    let mut stage = Stage::new().await;
    let decision = json!({ "action_summary": "Renewed the contract", "question": "Which database?" });
    stage.local("record_decision", decision.clone()).await;
    stage.local("remember", json!({ "text": "database = MySQL; cache = Redis" })).await;
    stage.local("record_decision", decision.clone()).await;
    stage.local("record_decision", json!({ "action_summary": "", "question": "Which?" })).await;
    stage.local("record_decision", json!({ "action_summary": "x", "question": "" })).await;
    let mut unsigned = Stage::with(Chat::Answers, Switch::Off).await;
    unsigned.aloud(stage.silently());
    unsigned.note("with signing off");
    unsigned.local("record_decision", decision).await;
    unsigned.check("record_decision").await;
}

#[tokio::test]
async fn explain_decision() {
    let mut stage = Stage::new().await;
    let explain = |id: i64| json!({ "decision_id": id });
    stage.local("explain_decision", explain(1)).await;
    let decision = |summary: &str| json!({ "action_summary": summary, "question": "Which database?" });
    stage.local("record_decision", decision("Did nothing")).await;
    stage.local("remember", json!({ "text": "database = MySQL; cache = Redis", "source": "ops" })).await;
    stage.local("record_decision", decision("Renewed the contract")).await;
    stage.local("record_decision", decision("Renewed\nMySQL")).await;
    for id in 1..=3 {
        stage.local("explain_decision", explain(id)).await;
    }
    stage.local("delete", json!({ "subject": "database" })).await;
    stage.local("explain_decision", explain(2)).await;
    stage.local("explain_decision", explain(3)).await;
    stage.local("explain_decision", json!({ "decision_id": 2, "user_id": "somebody else" })).await;
    stage.sql("UPDATE decision SET created = created + 1 WHERE id = 2");
    stage.local("explain_decision", explain(2)).await;
    stage.sql("UPDATE decision SET created = 9223372036854775807 WHERE id = 2");
    stage.local("explain_decision", explain(2)).await;
    let mut unsigned = Stage::with(Chat::Answers, Switch::Off).await;
    unsigned.aloud(stage.silently());
    unsigned.note("with signing off");
    unsigned.local("record_decision", decision("Did nothing")).await;
    unsigned.local("explain_decision", explain(1)).await;
    unsigned.check("explain_decision").await;
}

#[tokio::test]
async fn attest() {
    let mut stage = Stage::new().await;
    stage.local("attest", json!({ "subject": "database" })).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.local("attest", json!({ "subject": "Database\nserver" })).await;
    stage.local("attest", json!({ "subject": "Database" })).await;
    stage.told("latex", json!({ "subject": "allergy", "value": "latex" })).await;
    stage.told("nuts", json!({ "subject": "allergy", "value": "nuts" })).await;
    stage.local("attest", json!({ "subject": "allergy" })).await;
    stage.local("attest", json!({ "subject": "" })).await;
    stage.check("attest").await;
}

#[tokio::test]
async fn verify_receipt() {
    let mut stage = Stage::new().await;
    let verify = |id: i64| json!({ "receipt_id": id });
    stage.local("verify_receipt", verify(1)).await;
    stage.local("remember", json!({ "text": "database = MySQL; cache = Redis" })).await;
    stage.local("attest", json!({ "subject": "database" })).await;
    stage.local("delete", json!({ "subject": "database" })).await;
    stage.local("delete_all", json!({ "agent_id": "coder", "include_audit": true })).await;
    stage.days_later(40);
    stage.local("purge_expired", json!({ "older_than_days": 30 })).await;
    stage.local("remember", json!({ "text": "cache = Redis" })).await;
    stage.local("delete_all", json!({ "include_audit": true, "include_receipts": true })).await;
    for id in 1..=5 {
        stage.local("verify_receipt", verify(id)).await;
    }
    let theirs = |name: &str, scope: &str| {
        member_of(name, Role::Auditor, "default", Scopes::Only(vec![scope.to_owned()]))
    };
    stage.call(&theirs("inside", "default"), "verify_receipt", verify(2)).await;
    stage.call(&theirs("outside", "u2"), "verify_receipt", verify(2)).await;
    stage.call(&member_of("elsewhere", Role::Admin, "acme", Scopes::All), "verify_receipt", verify(2)).await;
    stage.sql("UPDATE receipt SET signature = NULL WHERE id = 2");
    stage.local("verify_receipt", verify(2)).await;
    stage.sql("UPDATE receipt SET body = x'00' WHERE id = 2");
    stage.local("verify_receipt", verify(2)).await;
    stage.sql("UPDATE receipt SET space = NULL WHERE id = 2");
    stage.call(&principal("auditor", Role::Auditor), "verify_receipt", verify(2)).await;
    stage.local("verify_receipt", verify(2)).await;
    stage.check("verify_receipt").await;
}

#[tokio::test]
async fn verify_audit() {
    let mut stage = Stage::new().await;
    stage.local("verify_audit", json!({})).await;
    stage.local("verify_audit", json!({})).await;
    stage.local("verify_audit", json!({ "fast": true })).await;
    stage.sql("UPDATE audit_entry SET caller = 'somebody else' WHERE seq = 2");
    stage.local("verify_audit", json!({})).await;
    stage.note("where the log takes no entry any more");
    stage.sql("DELETE FROM deployment WHERE name = 'audit_head'");
    stage.local("verify_audit", json!({})).await;
    stage.local("list_memories", json!({})).await;
    stage.check("verify_audit").await;
}

#[tokio::test]
async fn verify_audit_of_a_restored_log() {
    let mut earlier = Stage::new().await;
    earlier.local("list_memories", json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    earlier.run_sql(&format!("VACUUM INTO '{}'", database(folder.path()).display()));
    // The head of a write is beside the database when the reply comes, that of a read only a moment later.
    earlier.local("remember", json!({ "text": "database = MySQL" })).await;
    earlier.local("remember", json!({ "text": "city = Oslo" })).await;
    // The keys and the head of the log are those of the later database.
    for entry in std::fs::read_dir(earlier.folder()).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        let name = name.to_str().unwrap();
        if !["svc.db", "svc.db-wal", "svc.db-shm"].contains(&name) {
            std::fs::copy(entry.path(), folder.path().join(name)).unwrap();
        }
    }
    let mut stage = Stage::on(folder, Chat::Answers, Switch::On).await;
    stage.days_later(1);
    stage.local("verify_audit", json!({})).await;
    let caller = stage.caller(&Identity::Local);
    stage.note("the operator confirms what is missing");
    let call = Call::new(caller, "restored", None);
    stage.store().restoration_confirm(call, "the disk failed.".to_owned()).await.unwrap();
    stage.local("verify_audit", json!({})).await;
    stage.check("verify_audit_of_a_restored_log").await;
}

#[tokio::test]
async fn audit_log() {
    let mut stage = Stage::new().await;
    let all = json!({});
    let outside = member_of("outside", Role::Auditor, "default", Scopes::Only(vec!["u2".to_owned()]));
    let elsewhere = member_of("by=them", Role::Admin, "by=acme", Scopes::All);
    stage.local("audit_log", json!({ "action": "delete" })).await;
    stage.local("remember", json!({ "text": "database = MySQL" })).await;
    stage.call(&elsewhere, "list_memories", json!({ "user_id": "a by=b" })).await;
    stage.call(&outside, "recall", json!({ "question": "Which?" })).await;
    stage.local("recall", json!({ "question": "Which\ndatabase by=me?" })).await;
    stage.local("delete", json!({ "subject": "database", "include_audit": true })).await;
    stage.local("audit_log", all.clone()).await;
    stage.call(&elsewhere, "audit_log", all.clone()).await;
    stage.call(&outside, "audit_log", all).await;
    stage.call(&outside, "audit_log", json!({ "user_id": "default" })).await;
    stage.call(&outside, "audit_log", json!({ "user_id": "prin_outside" })).await;
    stage.call(&outside, "audit_log", json!({ "user_id": "u2" })).await;
    stage.local("audit_log", json!({ "limit": 2, "action": "recall", "caller": "local" })).await;
    stage.local("audit_log", json!({ "since": "2026-01-01T00:09:00Z", "until": "2026-01-01" })).await;
    stage.local("audit_log", json!({ "since": "2025-12-31", "until": "2025-12-31" })).await;
    stage.local("audit_log", json!({ "since": "yesterday" })).await;
    stage.local("audit_log", json!({ "before": 3 })).await;
    stage.local("audit_log", json!({ "before": -3 })).await;

    stage.note("more than one reply holds");
    let told = stage.silently();
    for _ in 0..1000 {
        stage.local("get_reconcile_policy", json!({})).await;
    }
    stage.aloud(told);
    stage.local("audit_log", json!({ "limit": 0 })).await;
    stage.check("audit_log").await;
}

#[tokio::test]
async fn export_public_key() {
    let mut stage = Stage::new().await;
    stage.local("export_public_key", json!({})).await;
    let mut unsigned = Stage::with(Chat::Answers, Switch::Off).await;
    unsigned.aloud(stage.silently());
    unsigned.local("export_public_key", json!({})).await;
    unsigned.check("export_public_key").await;
}
