//! A client that can ask its person is asked about a guarded change on the spot, in both ways of speaking the protocol.

use crate::support::{Deployment, http};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

fn guarded() -> Deployment {
    Deployment::bare().with("SVC_SLOT_SCHEMA", "preset:clinical")
}

fn status(value: &str) -> Value {
    json!({ "text": format!("Code status: {value}."), "facts": [{ "subject": "code_status", "value": value }] })
}

/// A conversation over stdio, line by line.
struct Lines {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Lines {
    fn start(deployment: &Deployment, capabilities: &Value) -> Self {
        let mut child = deployment.stdio().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut lines = Self { child, input, output };
        lines.say(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" } } }));
        assert_eq!(lines.hear()["result"]["protocolVersion"], "2025-11-25");
        lines
    }

    fn say(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn call(&mut self, id: u32, tool: &str, arguments: &Value) {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } }));
    }

    fn text(&mut self, id: u32) -> String {
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"]["structuredContent"]["result"].as_str().unwrap().to_owned()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_person_settles_a_change_within_the_call() {
    let deployment = guarded();
    let mut client = Lines::start(&deployment, &json!({ "elicitation": {} }));
    client.call(1, "remember", &status("full code"));
    assert_eq!(client.text(1), "Stored: [ADD] code_status = full code");
    let answers = [
        (json!({ "action": "accept", "content": { "approve": false } }), "\nRejected #2", "full code"),
        (json!({ "action": "decline" }), "", "full code"),
        (json!({ "action": "accept", "content": { "approve": true } }), "\nApproved #4", "DNI"),
    ];
    let values = ["DNR", "comfort care", "DNI"];
    for (n, (value, (answer, settled, current))) in values.iter().zip(answers).enumerate() {
        let id = 10 + n as u32;
        client.call(id, "remember", &status(value));
        let asked = client.hear();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let message = asked["params"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("code_status = {value} in place of full code")), "{message}");
        assert_eq!(asked["params"]["requestedSchema"]["properties"]["approve"]["type"], "boolean");
        client.say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": answer }));
        let said = client.text(id);
        assert!(said.starts_with(&format!("Stored: [FLAG] code_status = {value}")), "{said}");
        assert!(said.contains(settled), "{said}");
        client.call(id + 50, "list_memories", &json!({}));
        let list = client.text(id + 50);
        assert!(list.starts_with(&format!("• code_status = {current}")), "{list}");
    }
    // What was declined was to change a value that is no longer current, so it waits no longer; the record says what the
    // client was asked.
    client.call(90, "pending_changes", &json!({}));
    assert!(!client.text(90).contains("comfort care"));
    client.call(91, "get_memory", &json!({ "memory_id": 4 }));
    assert!(client.text(91).contains("asked through the client"));
}

#[test]
fn a_change_waits_when_nobody_can_answer() {
    let deployment = guarded();
    let mut client = Lines::start(&deployment, &json!({}));
    client.call(1, "remember", &status("full code"));
    client.text(1);
    client.call(2, "remember", &status("DNR"));
    assert!(client.text(2).contains("\nWaiting #2: code_status = DNR"));
    drop(client);

    let strict = guarded().with("SVC_FOUR_EYES", "on");
    let mut client = Lines::start(&strict, &json!({ "elicitation": {} }));
    for (id, value) in [(1, "full code"), (2, "DNR")] {
        client.call(id, "remember", &status(value));
        client.text(id);
    }
    drop(client);

    let mut client = Lines::start(&deployment, &json!({ "elicitation": { "form": {} } }));
    client.call(1, "remember", &status("DNI"));
    assert_eq!(client.hear()["method"], "elicitation/create");
    drop(client);
    let waiting = deployment.start().call("pending_changes", &json!({}));
    assert!(waiting.contains("'DNR'") && waiting.contains("'DNI'"), "{waiting}");
}

/// A call as revision 2026-07-28 makes it, with further parameters.
fn ask(server: &crate::support::Server, key: &str, capabilities: &Value, more: &Value) -> Value {
    let mut params = json!({ "name": "remember", "arguments": status("DNR"), "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities } });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut headers = http::headers(key);
    headers.retain(|line| !line.to_lowercase().starts_with("mcp-protocol-version"));
    headers.extend(
        ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: remember"]
            .map(str::to_owned),
    );
    let answer = server.connect().ask(&http::request("POST", "/mcp", &headers, body.as_bytes())).unwrap();
    answer.events().pop().unwrap_or_else(|| answer.json())
}

#[test]
fn the_newest_revision_asks_through_a_repeated_call() {
    let deployment = guarded();
    let server = deployment.serve();
    let (_, nurse) = deployment.principal("nurse", &["--role", "member"]);
    let (_, scribe) = deployment.principal("scribe", &["--role", "agent"]);
    let mut client = server.client(&nurse);
    client.call("remember", &status("full code"));
    let offers = json!({ "elicitation": {} });

    let plain = ask(&server, &scribe, &offers, &json!({}));
    assert_eq!(plain["result"]["resultType"], "complete", "who may not approve is not asked: {plain}");
    client.call("reject_change", &json!({ "memory_id": 2 }));

    let asked = ask(&server, &nurse, &offers, &json!({}));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let state = asked["result"]["requestState"].as_str().unwrap();
    let requests = asked["result"]["inputRequests"].as_object().unwrap();
    let (key, request) = requests.iter().next().unwrap();
    assert_eq!((requests.len(), &request["method"]), (1, &json!("elicitation/create")), "{asked}");
    assert!(client.list().contains("• code_status = full code"));

    let yes = json!({ "action": "accept", "content": { "approve": true } });
    let retry = json!({ "inputResponses": { key: yes }, "requestState": state });
    let denied = ask(&server, &scribe, &offers, &retry);
    let text = denied["result"]["structuredContent"]["result"].as_str().unwrap();
    assert!(text.contains("Access denied: 'confirm_change'"), "a state is no authority: {text}");
    assert!(client.list().contains("• code_status = full code"));

    let done = ask(&server, &nurse, &offers, &retry);
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    let text = done["result"]["structuredContent"]["result"].as_str().unwrap();
    assert!(text.starts_with("Stored: [FLAG] code_status = DNR") && text.contains("\nApproved #"), "{text}");
    assert!(client.list().contains("• code_status = DNR"));

    let forged = json!({ "inputResponses": { key: yes }, "requestState": "nonsense" });
    assert_eq!(ask(&server, &nurse, &offers, &forged)["error"]["code"], -32602);
}
