//! Arguments that make no sense are refused by name, and nothing is written.

use crate::support::{Deployment, Model, says};
use serde_json::json;

#[test]
fn a_bad_argument_is_named_and_nothing_is_written() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    let before = process.list();
    let text = says("city", "Rome");
    let long = |bytes: usize| "x".repeat(bytes);
    for (tool, arguments, name) in [
        ("remember", json!({ "text": text, "colour": "red" }), "colour"),
        ("remember", json!({}), "text"),
        ("remember", json!({ "text": 7 }), "text"),
        ("remember", json!({ "text": "  " }), "text"),
        ("remember", json!({ "text": long(64 * 1024 + 1) }), "text"),
        ("remember", json!({ "text": text, "metadata": [1] }), "metadata"),
        ("remember", json!({ "text": text, "metadata": { "k": long(17_000) } }), "metadata"),
        ("remember", json!({ "text": text, "source": long(257) }), "source"),
        ("remember", json!({ "text": text, "source": ["a"] }), "source"),
        ("remember", json!({ "text": text, "user_id": 1 }), "user_id"),
        ("remember", json!({ "text": text, "user_id": long(257) }), "user_id"),
        ("remember", json!({ "text": text, "agent_id": null }), "agent_id"),
        ("remember", json!({ "text": text, "run_id": "a\nb" }), "run_id"),
        ("recall", json!({ "question": "?", "explain": "maybe" }), "explain"),
        ("recall", json!({}), "question"),
        ("forget", json!({}), "text"),
        ("get_memory", json!({ "memory_id": "first" }), "memory_id"),
        ("get_memory", json!({ "memory_id": 1.5 }), "memory_id"),
        ("get_memory", json!({}), "memory_id"),
        ("update_memory", json!({ "memory_id": 1 }), "new_value"),
        ("update_memory", json!({ "memory_id": 1, "new_value": "" }), "new_value"),
        ("update_memory", json!({ "memory_id": 1, "new_value": long(9000) }), "new_value"),
        ("history", json!({ "subject": long(257) }), "subject"),
        ("attest", json!({ "subject": "" }), "subject"),
        ("check_before_act", json!({ "subject": "city", "min_confidence": 2 }), "min_confidence"),
        ("check_before_act", json!({ "subject": "city", "max_staleness_days": -1 }), "max_staleness_days"),
        ("safe_recall", json!({ "question": "?", "require_active": 1 }), "require_active"),
        ("set_reconcile_policy", json!({ "mode": "LOUDEST" }), "mode"),
        ("set_reconcile_policy", json!({ "authority": { "a": "high" } }), "authority"),
        ("confirm_change", json!({}), "memory_id"),
        ("reject_change", json!({ "memory_id": true }), "memory_id"),
        ("delete", json!({ "subject": "city", "include_audit": "yes" }), "include_audit"),
        ("delete_all", json!({ "subject": "city" }), "subject"),
        ("purge_expired", json!({}), "older_than_days"),
        ("purge_expired", json!({ "older_than_days": -1 }), "older_than_days"),
        ("audit_log", json!({ "before": -1 }), "before"),
        ("audit_log", json!({ "since": "yesterday" }), "since"),
        ("audit_log", json!({ "limit": "many" }), "limit"),
        ("explain_decision", json!({ "decision_id": 1, "agent_id": "a" }), "agent_id"),
        ("verify_receipt", json!({ "receipt_id": {} }), "receipt_id"),
        ("verify_audit", json!({ "fast": true }), "fast"),
        ("create_principal", json!({}), "name"),
        ("create_principal", json!({ "name": "a", "role": "king" }), "role"),
        ("create_principal", json!({ "name": "a", "kind": "cat" }), "kind"),
        ("revoke_principal", json!({}), "principal_id"),
        ("export_memory", json!({ "format": "xml" }), "format"),
    ] {
        let refusal = process.refused(tool, &arguments);
        assert!(refusal.contains(name), "{tool} {name}: {refusal}");
    }
    assert_eq!(process.list(), before);
    assert_eq!(model.asked("Rome"), 0);
    assert!(process.call("list_principals", &json!({})).lines().all(|line| !line.contains("prin_")));
    process.intact();
}

#[test]
fn a_whole_number_may_be_written_as_a_string() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    for number in [json!(1), json!("1"), json!(" 1 "), json!(1.0)] {
        let shown = process.call("get_memory", &json!({ "memory_id": number }));
        assert!(shown.starts_with("#1 city = Oslo"), "{shown}");
    }
    let log = process.call("audit_log", &json!({ "limit": "2" }));
    assert_eq!(log.lines().count(), 2);
}

#[test]
fn an_unknown_tool_is_an_error() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let refusal = deployment.start().refused("divine", &json!({}));
    assert!(refusal.contains("divine"), "{refusal}");
}
