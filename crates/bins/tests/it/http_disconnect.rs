//! A client that goes away takes its call with it.

use crate::support::http::{headers, request};
use crate::support::{Deployment, HANG_WORD, Model, says};
use serde_json::{Value, json};

fn check(meta: &Value) {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let params = json!({ "name": "remember", "_meta": meta,
        "arguments": { "text": format!("{HANG_WORD} {}", says("zebra crossing", "x")) } });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut lines = headers(&key);
    lines.push("X-Request-ID: abandoned".to_owned());

    let mut connection = server.connect();
    connection.send(&request("POST", "/mcp", &lines, message.to_string().as_bytes())).unwrap();
    model.wait_until_asked("zebra crossing");
    drop(connection);
    server.wait_for_log("request_id=\"abandoned\"");
    model.release();

    let mut client = server.client(&key);
    assert_eq!(client.list(), "(no memories yet)");
    assert!(client.remember(&says("city", "Oslo")).starts_with("Stored: [ADD]"));
    let list = client.list();
    assert_eq!(list.lines().count(), 1, "{list}");
    let log = client.call("audit_log", &json!({}));
    assert!(!log.contains("zebra"), "{log}");
    assert!(client.call("verify_audit", &json!({})).contains("INTACT"));
}

#[test]
fn a_disconnected_client_leaves_nothing_behind() {
    check(&json!({}));
}

#[test]
fn a_disconnected_listener_leaves_nothing_behind() {
    check(&json!({ "progressToken": "t" }));
}
