//! What the protocol says around the tools.

use crate::support::http::{Answer, headers, request};
use crate::support::{Deployment, Model, Server};
use serde_json::{Value, json};

fn post(server: &Server, lines: &[String], body: &str) -> Answer {
    server.connect().ask(&request("POST", "/mcp", lines, body.as_bytes())).unwrap()
}

fn serve(check: impl FnOnce(&Server, &str)) {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, key) = deployment.principal("admin", &[]);
    check(&deployment.serve(), &key);
}

/// The answer to one method.
fn ask(server: &Server, key: &str, method: &str, params: &Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params }).to_string();
    let answer = post(server, &headers(key), &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.events().pop().unwrap()
}

#[test]
fn initialize_echoes_known_revisions_and_offers_its_own() {
    serve(|server, key| {
        for (asked, agreed) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("1999-01-01", "2025-06-18"),
        ] {
            let answer = ask(server, key, "initialize", &json!({ "protocolVersion": asked }));
            assert_eq!(answer["result"]["protocolVersion"], agreed);
            assert_eq!(answer["result"]["serverInfo"]["version"], "0.7.0");
        }
    });
}

#[test]
fn the_other_methods_answer() {
    serve(|server, key| {
        for (method, params, result) in
            [("ping", json!({}), json!({})), ("logging/setLevel", json!({ "level": "debug" }), json!({}))]
        {
            assert_eq!(ask(server, key, method, &params)["result"], result, "{method}");
        }
        let wrong = ask(server, key, "logging/setLevel", &json!({ "level": "loud" }));
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
        assert!(wrong["error"]["message"].as_str().unwrap().contains("emergency"), "{wrong}");
        assert_eq!(ask(server, key, "divine", &json!({}))["error"]["code"], -32601);
    });
}

#[test]
fn another_content_type_or_revision_is_a_bad_request() {
    serve(|server, key| {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let text: Vec<String> = headers(key)
            .iter()
            .map(|line| line.replace("Type: application/json", "Type: text/plain"))
            .collect();
        let old = [headers(key), vec!["MCP-Protocol-Version: 1999-01-01".to_owned()]].concat();
        for (lines, word) in [(text, "Content-Type"), (old, "MCP-Protocol-Version")] {
            let answer = post(server, &lines, body);
            assert_eq!((answer.status, answer.header("content-type")), (400, Some("application/json")));
            let error = answer.json();
            assert_eq!((&error["id"], &error["error"]["code"]), (&json!("server-error"), &json!(-32600)));
            assert!(error["error"]["message"].as_str().unwrap().contains(word), "{error}");
        }
        let known = [headers(key), vec!["MCP-Protocol-Version: 2025-11-25".to_owned()]].concat();
        assert_eq!(post(server, &known, body).status, 200);
    });
}

#[test]
fn a_body_that_is_not_one_request_is_refused() {
    serve(|server, key| {
        for (body, code) in [
            ("{", -32700),
            ("[]", -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            (r#"{"id":1,"method":"ping"}"#, -32600),
        ] {
            let answer = post(server, &headers(key), body);
            assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(code)), "{body}");
        }
    });
}

#[test]
fn an_id_of_any_size_is_echoed_as_sent() {
    serve(|server, key| {
        for id in ["9007199254740993", "18446744073709551617", "-123456789012345678901234567890", r#""x""#] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let answer = post(server, &headers(key), &body);
            assert_eq!(answer.status, 200, "{answer:?}");
            assert!(answer.body.contains(&format!(r#""id":{id},"result":{{}}"#)), "{}", answer.body);
        }
    });
}
