//! A client that asks to hear of the progress of a slow call does, before the answer.

use crate::support::http::{events, headers, request};
use crate::support::{Deployment, HANG_WORD, Model, says};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

fn slow_call() -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "remember", "_meta": { "progressToken": "t-1" },
        "arguments": { "text": format!("{HANG_WORD} {}", says("slow subject", "kept")) } } })
}

/// The model answers once the second word of progress has come; then comes the answer and nothing else.
fn check(model: &Model, mut messages: impl Iterator<Item = Value>) {
    for told in 1..=2 {
        let message = messages.next().expect("word of the progress");
        assert_eq!(message["method"], "notifications/progress", "{message}");
        assert_eq!(message["params"]["progressToken"], "t-1");
        assert_eq!(message["params"]["progress"], told);
    }
    model.release();
    let answer = messages.find(|message| message["method"].is_null()).expect("the answer");
    assert_eq!(answer["id"], 7);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Stored: [ADD] slow subject = kept"), "{text}");
    assert!(messages.next().is_none(), "the answer is the last message");
}

#[test]
fn over_http_progress_comes_in_the_stream_before_the_answer() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut connection = server.connect();
    connection.send(&request("POST", "/mcp", &headers(&key), slow_call().to_string().as_bytes())).unwrap();
    let head = connection.head().unwrap();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    let chunks = std::iter::from_fn(|| connection.chunk().unwrap());
    check(&model, chunks.flat_map(|chunk| events(&String::from_utf8(chunk).unwrap())));
}

#[test]
fn over_stdio_progress_comes_as_lines_before_the_answer() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let mut child = deployment.stdio().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", slow_call()).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(|line| {
        let line = line.unwrap();
        serde_json::from_str::<Value>(&line).unwrap_or_else(|_| panic!("not JSON: {line}"))
    });
    // The input ends with the answer, and then the output does.
    let mut stdin = Some(stdin);
    let until_answered = std::iter::from_fn(|| {
        let message = lines.next()?;
        if message["method"].is_null() {
            stdin.take();
        }
        Some(message)
    });
    check(&model, until_answered);
    assert!(child.wait().unwrap().success());
}
