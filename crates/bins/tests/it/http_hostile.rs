//! A server that strangers and broken clients do their worst to.

use crate::support::hostile::{Generator, Hostile};
use crate::support::http::{Answer, Connection, headers, request};
use crate::support::{Deployment, Model, Server, amount, says};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

const CONNECTIONS: usize = 16;
const GROWTH: u64 = 50 * 1024 * 1024;

#[test]
fn hostile_requests_cause_no_fault_panic_or_growth() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let generator = Generator::new(&key, &tools(&server, &key));

    let requests = amount(20_000, 100_000) as u64;
    // Requests before memory is first looked at: caches and pools fill once.
    let warm_up = amount(10_000, 30_000) as u64;
    send(&server, &generator, requests..requests + warm_up);
    let before = server.resident();
    send(&server, &generator, 0..requests);
    let after = server.resident();
    eprintln!("resident memory: {before} bytes before, {after} after");
    assert!(after < before + GROWTH, "resident memory went from {before} to {after} bytes");

    let mut client = server.client(&key);
    client.remember(&says("after all that", "well"));
    let found = client.call("history", &json!({ "subject": "after all that" }));
    assert!(found.contains("well"), "{found}");
    assert!(client.call("verify_audit", &json!({})).contains("INTACT"));
    server.terminate();
    let log = server.log();
    assert!(server.wait().success());
    let faults: Vec<_> =
        log.iter().filter(|line| line.contains("panicked") || line.contains("ERROR")).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

fn tools(server: &Server, key: &str) -> Value {
    let list = request("POST", "/mcp", &headers(key), br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let answer = server.connect().ask(&list).unwrap();
    let result = answer.events()[0]["result"].clone();
    assert_eq!(result["tools"].as_array().unwrap().len(), 32);
    result
}

/// Sends the requests of these numbers over several connections at once.
fn send(server: &Server, generator: &Generator, numbers: std::ops::Range<u64>) {
    let next = AtomicU64::new(numbers.start);
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let mut kept = None;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        break;
                    }
                    one(server, number, generator.make(number), &mut kept);
                }
            });
        }
    });
}

/// `kept` is the connection of the requests before, as long as it lives.
fn one(server: &Server, number: u64, hostile: Hostile, kept: &mut Option<Connection>) {
    match hostile {
        Hostile::Whole(bytes) => exchange(server, number, &bytes, 1, kept),
        Hostile::Pipelined(bytes, count) => exchange(server, number, &bytes, count, kept),
        Hostile::Broken(bytes) => {
            let mut connection = server.connect();
            // A server that has seen enough may close before it has read all.
            let _ = connection.send(&bytes).and_then(|()| connection.finish());
            for answer in connection.answers() {
                assert!(answer.status < 500, "request {number}: {answer:?}");
            }
        }
        Hostile::Cut(bytes) => drop(server.connect().send(&bytes)),
    }
}

fn exchange(server: &Server, number: u64, bytes: &[u8], count: usize, kept: &mut Option<Connection>) {
    let mut connection = kept.take().unwrap_or_else(|| server.connect());
    connection.send(bytes).unwrap_or_else(|error| panic!("request {number}: {error}"));
    let mut is_last = false;
    for _ in 0..count {
        let answer = connection.answer().unwrap_or_else(|error| panic!("request {number}: {error}"));
        check(server, number, &answer);
        is_last = answer.header("connection") == Some("close");
    }
    *kept = Some(connection).filter(|_| !is_last);
}

/// An answer is never a fault of the server's, and always one that a client can read.
fn check(server: &Server, number: u64, answer: &Answer) {
    assert!(answer.status < 500, "request {number}: {answer:?}");
    assert!(answer.header("x-request-id").is_some(), "request {number}: {answer:?}");
    assert!(answer.header("x-injected").is_none(), "request {number}: {answer:?}");
    if answer.header("content-type") == Some("text/event-stream") {
        let message = answer.events().pop().unwrap_or_else(|| panic!("request {number}: {answer:?}"));
        let text = message["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(!text.starts_with("Svc couldn't"), "request {number}: {text}\n{:#?}", server.log());
    }
}
