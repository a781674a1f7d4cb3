//! What a server does whose settings were left as they are, and whom it lets in by name.

use crate::support::http::{Answer, call, headers, message, request};
use crate::support::{Deployment, Model, Server};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

fn get(server: &Server, path: &str) -> Answer {
    server.connect().ask(&request("GET", path, &[], b"")).unwrap()
}

#[test]
fn request_121_of_a_minute_is_refused() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let server = deployment.serve();
    let mut connection = server.connect();
    let mut ask = || connection.ask(&call("no key", "stats", &json!({}))).unwrap();
    for n in 1..=120 {
        assert_eq!(ask().status, 401, "request {n}");
    }
    let refused = ask();
    assert_eq!((refused.status, &refused.json()["error"]), (429, &json!("rate limit exceeded")));
    assert_eq!(get(&server, "/healthz").status, 200, "whether it lives is not counted");
}

/// The port may be taken on this machine. Then the refusal names it.
#[test]
fn a_server_listens_on_localhost_8080() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_LOG_LEVEL", "INFO");
    let served = deployment.serve();
    assert_eq!(served.address().ip().to_string(), "127.0.0.1");
    let mut command = deployment.command(env!("CARGO_BIN_EXE_svc-server"));
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let told = { lines }.find(|line| line.contains("listen"));
    child.kill().unwrap();
    child.wait().unwrap();
    let told = told.expect("it says where it listens");
    assert!(told.contains("127.0.0.1:8080"), "{told}");
}

#[test]
fn the_probes_report_health() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let server = deployment.serve();
    for (path, body) in [("/healthz", json!({ "status": "ok" })), ("/readyz", json!({ "status": "ready" }))] {
        let answer = get(&server, path);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        assert_eq!(answer.json(), body);
    }
}

/// The status of a call that came by this host, from a page of this origin.
fn status(server: &Server, key: &str, host: &str, origin: Option<&str>) -> u16 {
    let mut lines = headers(key);
    lines.extend(origin.map(|origin| format!("Origin: {origin}")));
    let body = message("list_memories", &json!({}));
    let request = String::from_utf8(request("POST", "/mcp", &lines, body.as_bytes())).unwrap();
    let request = request.replace("Host: localhost", &format!("Host: {host}"));
    server.connect().ask(request.as_bytes()).unwrap().status
}

#[test]
fn hosts_and_origins_match_by_pattern() {
    let model = Model::start();
    for (hosts, taken, refused) in [
        ("*", &["anything.example", "10.1.2.3:99"][..], &[][..]),
        ("*.example.com", &["a.example.com", "a.b.example.com:8443"], &["example.com", "localhost"]),
        ("127.0.0.1", &["127.0.0.1"], &["*", "anything.example"]),
    ] {
        let deployment = Deployment::new(&model)
            .with("SVC_ALLOWED_HOSTS", hosts)
            .with("SVC_ALLOWED_ORIGINS", "vscode-webview://*, https://*.example.com");
        let (_, key) = deployment.principal("admin", &[]);
        let server = deployment.serve();
        for host in taken {
            assert_eq!(status(&server, &key, host, None), 200, "{hosts}: {host}");
        }
        for host in refused {
            assert_eq!(status(&server, &key, host, None), 421, "{hosts}: {host}");
        }
        let from = |origin: &str| status(&server, &key, taken[0], Some(origin));
        assert_eq!(from("vscode-webview://1a2b3c"), 200);
        assert_eq!(from("https://app.example.com"), 200);
        assert_eq!(from("https://example.com"), 403);
        assert_eq!(from("http://app.example.com"), 403);
        assert_eq!(from("null"), 403);
    }
}
