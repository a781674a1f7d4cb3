//! A key that ends while a call is under way: the call changes nothing and tells nothing.

use crate::support::http::text;
use crate::support::{Deployment, HANG_WORD, Model, PATIENCE, Server, says};
use serde_json::{Value, json};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const DENIED: &str = "Access denied: this API key was revoked, has expired or was replaced";
/// Long enough for a call to begin, short enough to wait for.
const SHORT_LIFE: &str = "8s";

/// Begins a call that waits for the model, and returns once it does.
fn begin(
    model: &Model,
    server: &Server,
    key: &str,
    tool: &'static str,
    arguments: Value,
) -> JoinHandle<String> {
    let mut client = server.client(key);
    let mark = format!("{tool} {}", &key[key.len() - 8..]);
    let mut arguments = arguments;
    for name in ["text", "question"] {
        if let Some(Value::String(words)) = arguments.get_mut(name) {
            words.push_str(&format!(" {HANG_WORD} {mark}"));
        }
    }
    let call = std::thread::spawn(move || text(&client.ask(tool, &arguments).unwrap()).unwrap());
    model.wait_until_asked(&mark);
    call
}

fn wait_until_refused(server: &Server, key: &str) {
    let deadline = Instant::now() + PATIENCE;
    while server.client(key).ask("list_memories", &json!({})).unwrap().status != 401 {
        assert!(Instant::now() < deadline, "the key does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_call_whose_key_has_ended_changes_and_tells_nothing() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_seats(9).with("SVC_RATE_PER_MIN", "0");
    let (_, admin) = deployment.principal("admin", &[]);
    let [one, other] = [deployment.serve(), deployment.serve()];
    let mut admin = other.client(&admin);
    admin.remember(&says("secret", "swordfish"));
    let agent =
        |name: &str, more: &[&str]| deployment.principal(name, &[&["--role", "agent"], more].concat());
    let remember = |key: &str, subject: &str| {
        begin(&model, &one, key, "remember", json!({ "text": says(subject, "stored too late") }))
    };

    let (revoked, revoked_key) = agent("revoked", &[]);
    let (rotated, rotated_key) = agent("rotated", &[]);
    let (reader, reader_key) = agent("reader", &[]);
    let (_, expired_key) = agent("expired", &["--expires", SHORT_LIFE]);
    let calls = [
        remember(&expired_key, "by an expired key"),
        remember(&revoked_key, "by a revoked key"),
        remember(&rotated_key, "by a replaced key"),
        begin(&model, &one, &reader_key, "recall", json!({ "question": "what is the secret?" })),
    ];
    for id in [&revoked, &reader] {
        let said = admin.call("revoke_principal", &json!({ "principal_id": id }));
        assert!(said.starts_with("Revoked principal"), "{said}");
    }
    deployment.svc(&["principal", "rotate", &rotated, "--overlap", "0s"]);
    wait_until_refused(&one, &expired_key);
    model.release();
    for call in calls {
        let said = call.join().unwrap();
        assert!(said.starts_with(DENIED), "{said}");
    }

    let held = admin.list();
    assert!(held.contains("swordfish") && !held.contains("stored too late"), "{held}");
    let mut log = |action: &str| admin.call("audit_log", &json!({ "action": action }));
    let denied = log("access_denied");
    assert_eq!(denied.matches("  remember: this API key").count(), 3, "{denied}");
    assert_eq!(denied.matches("  recall: this API key").count(), 1, "{denied}");
    let stored = log("remember");
    assert_eq!(stored.matches("ADD ").count(), 1, "{stored}");
    assert!(admin.call("verify_audit", &json!({})).contains("INTACT"));
}

/// What is wider or lower in another way than what the call began with does not stop it.
#[test]
fn a_call_whose_key_was_narrowed_changes_nothing_and_one_that_was_widened_goes_on() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_seats(9).with("SVC_RATE_PER_MIN", "0");
    let server = deployment.serve();
    let mut calls = Vec::new();
    for (name, change, is_done) in [
        ("narrowed", ["--scopes", "u2"], false),
        ("full", ["--facts", "5"], false),
        ("widened", ["--scopes", "*"], true),
        ("slowed", ["--at-once", "1"], true),
    ] {
        let scopes = if name == "widened" { "u1" } else { "u1,u2" };
        let (id, key) = deployment.principal(name, &["--role", "agent", "--scopes", scopes]);
        let arguments = json!({ "text": says(&format!("by {name}"), "stored"), "user_id": "u1" });
        let call = begin(&model, &server, &key, "remember", arguments);
        deployment.svc(&[&["principal", "change", &id], &change[..]].concat());
        calls.push((call, is_done));
    }
    model.release();
    for (call, is_done) in calls {
        let said = call.join().unwrap();
        let began =
            if is_done { "Stored: [ADD]" } else { "Access denied: what this API key may do was changed" };
        assert!(said.starts_with(began), "{said}");
    }
    let list = deployment.start().call("list_memories", &json!({ "user_id": "u1" }));
    assert_eq!(list.matches("stored").count(), 2, "{list}");
}

#[test]
fn a_principal_can_end_its_own_key() {
    let deployment = Deployment::new(&Model::start());
    let (id, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let said = server.client(&key).call("revoke_principal", &json!({ "principal_id": id }));
    assert!(said.starts_with("Revoked principal"), "{said}");
    assert_eq!(server.client(&key).ask("list_memories", &json!({})).unwrap().status, 401);
}
