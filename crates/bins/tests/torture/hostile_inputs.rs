//! Requests that no honest client sends, over HTTP and over standard input.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::store_check::intact;
use crate::support::hostile::{Generator, Hostile};
use crate::support::http::{Answer, Connection, headers, request};
use crate::support::{Deployment, Model, PATIENCE, Server, says};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Instant;

pub const ROW: Row = Row {
    name: "hostile-inputs",
    title: "structured and raw inputs over HTTP and standard input",
    does_not_show: "inputs that only a search guided by coverage would find",
    run,
};

const CONNECTIONS: usize = 16;
/// What the process may have grown by in the second half, besides what it keeps open of what was stored in it.
const GROWTH: u64 = 50 * 1024 * 1024;
/// An open fact with its words and its place in the index, or an open space, takes no more.
const KEPT: u64 = 16 * 1024;
/// Lines on standard input between two questions whether the process still answers.
const LINES_AT_ONCE: u64 = 200;

fn run(campaign: &Campaign) -> Verdict {
    let (structured, raw) = (campaign.amount(12_000, 1_000_000), campaign.amount(2_000, 100_000));
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let first = campaign.seed.wrapping_mul(1 << 32);
    let numbers = |from: usize, to: usize| first + from as u64..first + to as u64;
    // A fifth of them go to svc-mcp.
    let (over_http, raw_over_http) = (structured / 5 * 4, raw / 5 * 4);

    let (grown, stored) = http(
        campaign,
        &deployment,
        &key,
        [numbers(0, over_http / 2), numbers(over_http / 2, over_http)],
        numbers(0, raw_over_http),
    );
    let generator = Generator::new(&key, &listed());
    stdio(campaign, &deployment, &numbers(over_http, structured), |n| generator.line(n));
    stdio(campaign, &deployment, &numbers(raw_over_http, raw), |n| generator.raw_line(n));
    Verdict::held(
        format!(
            "{} structured and {} raw inputs, a fifth of them over standard input",
            thousands(structured),
            thousands(raw)
        ),
        format!(
            "no 5xx, no panic, no failed call, no hang; log INTACT; memory grew by {} MB over the second half, while {} facts and spaces were stored",
            grown / 1024 / 1024,
            thousands(usize::try_from(stored).unwrap())
        ),
    )
}

fn listed() -> Value {
    let tools = service::catalogue();
    json!({ "tools": tools.iter().map(|tool| json!({ "name": tool.name, "inputSchema": tool.input_schema() })).collect::<Vec<_>>() })
}

/// Returns by how many bytes the server has grown in the second half, and how much was stored in it.
fn http(
    campaign: &Campaign,
    deployment: &Deployment,
    key: &str,
    halves: [Range<u64>; 2],
    raw: Range<u64>,
) -> (u64, u64) {
    let server = deployment.serve();
    let listed = tools(&server, key);
    let [first, second] = halves;
    // An export is as long as the log of its space, which grows with every request: the memory that it takes for a moment
    // would hide what is never given back.
    let generator = Generator::new(key, &without(&listed, "export_memory"));
    send(campaign, &server, first, |n| generator.structured(n));
    let before = (server.resident(), kept(deployment));
    send(campaign, &server, second, |n| generator.structured(n));
    let grown = server.resident().saturating_sub(before.0);
    let stored = kept(deployment).saturating_sub(before.1);
    assert!(
        grown < GROWTH + stored * KEPT,
        "memory grew by {grown} bytes, while {stored} things were stored"
    );

    let generator = Generator::new(key, &listed);
    send(campaign, &server, raw, |n| generator.raw(n));

    let mut client = server.client(key);
    client.remember(&says("after all that", "well"));
    let found = client.call("history", &json!({ "subject": "after all that" }));
    assert!(found.contains("well"), "{found}");
    intact(&mut client);
    server.terminate();
    let log = server.log();
    assert!(server.wait().success());
    let faults: Vec<_> =
        log.iter().filter(|line| line.contains("panicked") || line.contains("ERROR")).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    (grown, stored)
}

fn without(listed: &Value, name: &str) -> Value {
    let tools = listed["tools"].as_array().unwrap().iter();
    json!({ "tools": tools.filter(|tool| tool["name"] != name).collect::<Vec<_>>() })
}

/// How many facts and spaces there are.
fn kept(deployment: &Deployment) -> u64 {
    let count = "SELECT (SELECT count(*) FROM fact) + (SELECT count(*) FROM space)";
    u64::try_from(deployment.sql().cell(count).integer()).unwrap()
}

fn tools(server: &Server, key: &str) -> Value {
    let list = request("POST", "/mcp", &headers(key), br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let answer = server.connect().ask(&list).unwrap();
    let result = answer.events()[0]["result"].clone();
    assert_eq!(result["tools"].as_array().unwrap().len(), 32);
    result
}

/// Sends the requests of these numbers over several connections at once.
fn send(campaign: &Campaign, server: &Server, numbers: Range<u64>, make: impl Fn(u64) -> Hostile + Sync) {
    let next = AtomicU64::new(numbers.start);
    let all = usize::try_from(numbers.end - numbers.start).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let mut kept = None;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        break;
                    }
                    campaign.progress("over HTTP", usize::try_from(number - numbers.start).unwrap(), all);
                    one(server, number, make(number), &mut kept);
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

/// Writes the lines of these numbers to `svc-mcp`, which has to go on answering and end well.
fn stdio(campaign: &Campaign, deployment: &Deployment, numbers: &Range<u64>, line: impl Fn(u64) -> Vec<u8>) {
    let mut process = deployment.stdio().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
    let (send, answers) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
    });
    let all = usize::try_from(numbers.end - numbers.start).unwrap();
    let mut number = numbers.start;
    while number < numbers.end {
        campaign.progress("over standard input", usize::try_from(number - numbers.start).unwrap(), all);
        let until = numbers.end.min(number + LINES_AT_ONCE);
        let mut lines = Vec::new();
        for n in number..until {
            lines.extend(line(n));
            lines.push(b'\n');
        }
        let fence = format!("fence {until}");
        writeln!(lines, "{}", json!({ "jsonrpc": "2.0", "id": fence, "method": "ping" })).unwrap();
        input.write_all(&lines).unwrap_or_else(|error| panic!("lines up to {until}: {error}"));
        loop {
            let answer =
                answers.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer before {until}"));
            let message: Value =
                serde_json::from_str(&answer).unwrap_or_else(|_| panic!("not JSON: {answer}"));
            let text = message["result"]["content"][0]["text"].as_str().unwrap_or_default();
            assert!(!text.starts_with("Svc couldn't"), "before {until}: {text}");
            if message["id"] == fence.as_str() {
                break;
            }
        }
        number = until;
    }
    drop(input);
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = process.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "svc-mcp does not end with its input");
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    assert!(status.success(), "svc-mcp ended with {status}");
    deployment.start().intact();
}
