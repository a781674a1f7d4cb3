//! A model that is away is noticed within seconds, and so is its return.

use crate::support::http::{events, headers, request};
use crate::support::{Deployment, Model, PATIENCE, says};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

/// Far below the two minutes for which a call would try again, and far above what noticing takes.
const SECONDS: Duration = Duration::from_secs(30);
/// Far below the three seconds after which failures show that a model is away.
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
    assert!(began.elapsed() < SECONDS, "{:?}", began.elapsed());

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
    let messages: Vec<Value> = chunks.flat_map(|chunk| events(&String::from_utf8(chunk).unwrap())).collect();
    let words: Vec<&str> =
        messages.iter().filter_map(|message| message["params"]["message"].as_str()).collect();
    assert!(
        words.contains(&"the model did not answer (ConnectError); trying again"),
        "{words:?} before {:?}",
        messages.last()
    );
}
