//! A model that does everything wrong that a model, or what stands in front of it, can do.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::store_check::intact;
use crate::support::http::{Client, call, text};
use crate::support::{Deployment, Model, Server, says};
use samples::model::{complete, embeddings, extraction, prompt, write};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub const ROW: Row = Row {
    name: "misbehaving-model",
    title: "fourteen kinds of model misbehaviour × each tool that asks a model",
    does_not_show: "a model that answers well-formed nonsense, which no service can tell from sense",
    run,
};

/// What becomes of a request; a client of an honest model never sees any of it.
const KINDS: [&str; 14] = [
    "closes",
    "half a head",
    "silent",
    "drips",
    "500",
    "503",
    "429",
    "403",
    "redirects",
    "empty",
    "not JSON",
    "another shape",
    "endless",
    "prose",
];
/// Those that are told at once that they are of no use: the calls do not try again.
const SHORT: [&str; 4] = ["403", "not JSON", "another shape", "prose"];

/// A model that is away is noticed in seconds, and one that asks for a pause is asked again for two minutes; the rest is
/// for the machine.
const ANSWERED: Duration = Duration::from_secs(200);
/// Other calls meanwhile.
const AT_ONCE: Duration = Duration::from_secs(3);
/// What a server may grow by, whatever is sent to it.
const GROWTH: u64 = 150 * 1024 * 1024;

fn run(campaign: &Campaign) -> Verdict {
    let kinds: &[&'static str] = if campaign.percent.unwrap_or(0) < 100 { &SHORT } else { &KINDS };
    let cases: usize = std::thread::scope(|scope| {
        let tried: Vec<_> = kinds.iter().map(|kind| scope.spawn(move || attempt(kind))).collect();
        tried.into_iter().map(|kind| kind.join().unwrap()).sum()
    });
    Verdict::held(
        format!("{} kinds × {} tools: {}", kinds.len(), TOOLS.len(), kinds.join(", ")),
        format!(
            "{} calls answered in their time, none with a 5xx; nothing stored, other calls served at once meanwhile, \
             the next call fine once the model was; log INTACT",
            thousands(cases)
        ),
    )
}

const TOOLS: [&str; 8] = [
    "remember",
    "forget",
    "recall",
    "recall_related",
    "safe_recall",
    "record_decision",
    "update_memory",
    "health",
];

fn arguments(tool: &str) -> Value {
    match tool {
        "remember" => json!({ "text": says("city", "Rome") }),
        "forget" => json!({ "text": says("city", "Oslo") }),
        "recall" | "recall_related" | "safe_recall" => json!({ "question": "Which city?" }),
        "record_decision" => json!({ "action_summary": "go", "question": "Which city?" }),
        "update_memory" => json!({ "memory_id": 2, "new_value": "blue" }),
        _ => json!({}),
    }
}

/// Returns how many calls were made.
fn attempt(kind: &'static str) -> usize {
    let well = Arc::new(AtomicBool::new(true));
    let model = {
        let well = well.clone();
        Model::behaving(move |stream, path, body| match well.load(Ordering::Relaxed) {
            true => honest(stream, path, body),
            false => misbehave(kind, stream),
        })
    };
    let deployment = Deployment::new(&model)
        .with("SVC_RATE_PER_MIN", "0")
        .with("LLM_TIMEOUT", "2")
        .with("SVC_EXTRACT_RETRIES", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    client.remember(&says("city", "Oslo"));
    client.remember(&says("colour", "red"));
    let (before, resident) = (client.list(), server.resident());
    well.store(false, Ordering::Relaxed);
    ask_all(&server, &key, kind);
    let grown = server.resident().saturating_sub(resident);
    assert!(grown < GROWTH, "{kind}: resident memory grew by {grown} bytes");
    // update_memory asks no model for its value; everything else must have left the memory as it was.
    let mut client = server.client(&key);
    let after = client.list();
    assert!(
        after.contains("• city = Oslo") && after.contains("• colour = blue"),
        "{kind}: {before}\n{after}"
    );
    assert_eq!(after.matches('•').count(), 2, "{kind}: {after}");
    well.store(true, Ordering::Relaxed);
    recover(&mut client, kind);
    intact(&mut client);
    TOOLS.len()
}

/// Every tool at once, and beside them a call that asks no model.
fn ask_all(server: &Server, key: &str, kind: &str) {
    std::thread::scope(|scope| {
        for tool in TOOLS {
            scope.spawn(move || {
                let mut connection = server.connect().waiting(ANSWERED).unwrap();
                let answer = connection.ask(&call(key, tool, &arguments(tool)));
                let answer = answer.unwrap_or_else(|error| panic!("{kind}: {tool}: {error}"));
                let said = text(&answer).unwrap_or_else(|| panic!("{kind}: {tool}: {answer:?}"));
                assert!(!said.starts_with("Stored: [SUPERSEDE]"), "{kind}: {tool}: {said}");
                assert!(!said.contains("127.0.0.1"), "{kind}: {tool}: {said}");
            });
        }
        for _ in 0..20 {
            let began = Instant::now();
            server.client(key).call("get_memory", &json!({ "memory_id": 1 }));
            assert!(began.elapsed() < AT_ONCE, "{kind}: get_memory took {:?}", began.elapsed());
        }
    });
}

/// A model that was noted as away is found again in a moment.
fn recover(client: &mut Client, kind: &str) {
    let deadline = Instant::now() + ANSWERED;
    loop {
        let said = client.remember(&says("city", "Bergen"));
        if said.starts_with("Stored: [SUPERSEDE]") {
            return;
        }
        assert!(Instant::now() < deadline, "{kind}: {said}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn honest(stream: &TcpStream, path: &str, body: &Value) -> io::Result<()> {
    if path.ends_with("/embeddings") {
        return write(stream, 200, &embeddings(body));
    }
    complete(stream, &extraction(prompt(body)))
}

fn misbehave(kind: &str, mut stream: &TcpStream) -> io::Result<()> {
    let answer = |status: u16, headers: &str, body: &str| {
        let length = body.len();
        format!(
            "HTTP/1.1 {status} Said\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        )
    };
    let json = "content-type: application/json\r\n";
    let whole = match kind {
        "closes" => String::new(),
        "half a head" => "HTTP/1.1 200 O".to_owned(),
        "silent" => {
            std::thread::sleep(2 * ANSWERED);
            String::new()
        }
        "drips" => return drip(stream),
        "500" => answer(500, json, r#"{"error":"boom"}"#),
        "503" => answer(503, "", "away"),
        "429" => answer(429, "retry-after: 1\r\n", "slow down"),
        "403" => answer(403, json, r#"{"error":"no"}"#),
        "redirects" => answer(302, "location: http://127.0.0.1:9/stolen\r\n", ""),
        "empty" => answer(200, json, ""),
        "not JSON" => answer(200, "content-type: text/html\r\n", "<html>Sign in to the network</html>"),
        "another shape" => answer(200, json, r#"{"choices":{"message":7},"data":[null,{"embedding":"x"}]}"#),
        "endless" => return endless(stream),
        "prose" => {
            return complete(
                stream,
                "I am a language model and see no reason to answer in JSON. {\"facts\":[{",
            );
        }
        _ => panic!("{kind}"),
    };
    stream.write_all(whole.as_bytes())
}

fn drip(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")?;
    loop {
        stream.write_all(b" ")?;
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn endless(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")?;
    let piece = vec![b' '; 1024 * 1024];
    loop {
        stream.write_all(&piece)?;
    }
}
