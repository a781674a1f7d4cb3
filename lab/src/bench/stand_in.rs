//! A stand-in for a language model: an OpenAI-compatible endpoint on loopback that takes as long as it is told to, and
//! counts what it is asked.

use super::wire::{Connection, answer};
use serde_json::{Value, json};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a statement says to the stand-in: the subject before it, the value behind it.
pub const IS: &str = " is ";

#[derive(Debug)]
pub struct StandIn {
    address: SocketAddr,
    asked: Arc<Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    calls: AtomicU64,
    bytes: AtomicU64,
}

impl StandIn {
    /// Serves as long as the program runs.
    pub fn start(latency: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let asked = Arc::new(Asked::default());
        let shared = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let asked = shared.clone();
                // A connection that ends is no concern of the model's.
                std::thread::spawn(move || Connection::over(stream).and_then(|c| serve(c, latency, &asked)));
            }
        });
        Ok(Self { address, asked })
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// How often it was asked, and the bytes of all prompts.
    pub fn asked(&self) -> (u64, u64) {
        (self.asked.calls.load(Ordering::Relaxed), self.asked.bytes.load(Ordering::Relaxed))
    }
}

fn serve(mut connection: Connection, latency: Duration, asked: &Asked) -> io::Result<()> {
    loop {
        let request = connection.receive()?;
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        if request.start.contains("/embeddings") {
            connection.send(&answer("200 OK", &embeddings(&body).to_string()))?;
            continue;
        }
        asked.calls.fetch_add(1, Ordering::Relaxed);
        asked.bytes.fetch_add(request.body.len() as u64, Ordering::Relaxed);
        std::thread::sleep(latency);
        let prompt = body.pointer("/messages/1/content").and_then(Value::as_str).unwrap_or_default();
        let reply =
            json!({ "choices": [{ "message": { "content": reply(prompt) }, "finish_reason": "stop" }] });
        connection.send(&answer("200 OK", &reply.to_string()))?;
    }
}

/// One fact of a statement such as "door 7 is green"; a short answer to a question.
fn reply(prompt: &str) -> String {
    let Some((_, statement)) = prompt.split_once("<<<BEGIN STATEMENT") else {
        return "It is known.".to_owned();
    };
    let said = statement.lines().find_map(|line| line.split_once(IS));
    let fact = said.map(|(subject, value)| {
        json!({ "subject": subject.trim(), "value": value.trim(), "kind": "state", "scope": "global",
            "time_ref": "current", "action": "SUPERSEDE", "confidence": 0.95 })
    });
    json!({ "facts": fact.into_iter().collect::<Vec<_>>() }).to_string()
}

/// Vectors as long as those of a small embedder, different for different texts.
fn embeddings(body: &Value) -> Value {
    const DIMENSIONS: usize = 384;
    let texts = body.get("input").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let data = texts.iter().enumerate().map(|(index, text)| {
        let seed = text
            .as_str()
            .unwrap_or_default()
            .bytes()
            .fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
        let vector: Vec<f32> = (0..DIMENSIONS as u32)
            .map(|n| (seed.wrapping_mul(n + 1) % 1000) as f32 / 1000.0 + 0.001)
            .collect();
        json!({ "index": index, "embedding": vector })
    });
    json!({ "data": data.collect::<Vec<_>>() })
}
