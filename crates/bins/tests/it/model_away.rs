//! A model that is away for a moment costs nobody a statement; one that stays away is said to be, until it is back.

use crate::support::http::{events, headers, request};
use crate::support::{Deployment, Model, PATIENCE, says};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

/// Clients that see no progress give up after a minute.
const PATIENT: Duration = Duration::from_secs(58);
/// Far below the time for which a call tries again.
const AT_ONCE: Duration = Duration::from_secs(2);

/// A deployment whose model is not there yet, and where it will be.
fn deployment() -> (Deployment, SocketAddr) {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let base = format!("http://{address}/v1");
    (Deployment::bare().with("OPENAI_BASE_URL", &base).with("OPENAI_API_KEY", "key"), address)
}

#[test]
fn calls_are_told_at_once_that_the_model_is_away_until_it_is_back() {
    let (deployment, address) = deployment();
    let process = deployment.start();

    let began = Instant::now();
    let first = process.remember(&says("city", "Oslo"));
    assert!(first.contains("The model has been away since 20"), "{first}");
    assert!((AT_ONCE..PATIENT).contains(&began.elapsed()), "{:?}", began.elapsed());

    for _ in 0..3 {
        let began = Instant::now();
        let next = process.call("recall", &json!({ "question": "Which city?" }));
        assert!(next.contains("(ref ") && next.contains("has been away since 20"), "{next}");
        assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    }
    assert_eq!(process.list(), "(no memories yet)");

    let model = Model::serve(TcpListener::bind(address).unwrap());
    let began = Instant::now();
    loop {
        let told = process.remember(&says("city", "Oslo"));
        if told.starts_with("Stored: [ADD]") {
            break;
        }
        assert!(told.contains("has been away since") && began.elapsed() < PATIENCE, "{told}");
        std::thread::sleep(Duration::from_millis(50));
    }
    // Nobody but the request in the background asked it in the meantime.
    assert_eq!(model.asked("city"), 1);
}

#[test]
fn progress_says_that_a_retry_is_under_way() {
    let (deployment, _) = deployment();
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "remember", "_meta": { "progressToken": "t" }, "arguments": { "text": says("city", "Oslo") } } });
    let mut connection = server.connect();
    connection.send(&request("POST", "/mcp", &headers(&key), call.to_string().as_bytes())).unwrap();
    assert_eq!(connection.head().unwrap().status, 200);
    let chunks = std::iter::from_fn(|| connection.chunk().unwrap());
    let mut messages = chunks.flat_map(|chunk| events(&String::from_utf8(chunk).unwrap()));
    let trying = "the model did not answer (ConnectError); trying again";
    assert!(messages.any(|message: Value| message["params"]["message"] == trying));
}

#[test]
fn a_blip_costs_nobody_a_statement() {
    let (deployment, address) = deployment();
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let told = |subject: &str| server.client(&key).remember(&says(subject, "Oslo"));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| told("city"));
        std::thread::sleep(Duration::from_secs(5));
        let meanwhile = scope.spawn(|| told("capital"));
        std::thread::sleep(Duration::from_secs(5));
        let _model = Model::serve(TcpListener::bind(address).unwrap());
        for call in [first, meanwhile] {
            let stored = call.join().unwrap();
            assert!(stored.starts_with("Stored: [ADD]"), "{stored}");
        }
    });
}
