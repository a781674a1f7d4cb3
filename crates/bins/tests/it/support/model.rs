//! A language model for tests. A statement carries its own extraction: whatever is between « and » is what the
//! model replies, word for word. This way a test decides what the rules get to see.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

/// A prompt with this word is answered only after `Model::release`.
pub const HANG_WORD: &str = "⏸";
/// A prompt with this word is refused in a way that no retry mends.
pub const BROKEN_WORD: &str = "⚡";

/// A statement that yields one plain fact.
pub fn says(subject: &str, value: &str) -> String {
    said("", &json!([{ "subject": subject, "value": value }]))
}

/// A statement in these words that yields these facts; what a fact leaves out is as a careful model would fill it.
pub fn said(words: &str, facts: &Value) -> String {
    let facts: Vec<Value> = facts.as_array().unwrap().iter().map(filled).collect();
    format!("{words} «{}»", json!({ "facts": facts }))
}

fn filled(fact: &Value) -> Value {
    let mut whole = json!({
        "kind": "state", "scope": "global", "head": "", "relation": "", "tail": "", "time_ref": "current",
        "action": "ADD", "confidence": 0.95, "reason": "", "target_id": null,
    });
    whole.as_object_mut().unwrap().extend(fact.as_object().unwrap().clone());
    whole
}

pub struct Model {
    port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// The paths and bodies of the requests so far.
    requests: Mutex<Vec<(String, Value)>>,
    arrived: Condvar,
    released: Mutex<bool>,
    release: Condvar,
}

impl Model {
    /// Serves until the test program ends.
    pub fn start() -> Self {
        Self::serve(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// Takes connections as long as the test program runs.
    pub fn serve(listener: TcpListener) -> Self {
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                // A client that was killed leaves half a request; that is no concern of the model's.
                std::thread::spawn(move || drop(serve(&stream, &state)));
            }
        });
        Self { port, state }
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Lets every hanging prompt go.
    pub fn release(&self) {
        *self.state.released.lock().unwrap() = true;
        self.state.release.notify_all();
    }

    /// How many chat requests hold these words.
    pub fn asked(&self, words: &str) -> usize {
        count(&self.state.requests.lock().unwrap(), words)
    }

    /// Returns once a chat request with these words has come in.
    pub fn wait_until_asked(&self, words: &str) {
        let requests = self.state.requests.lock().unwrap();
        let waited = self
            .state
            .arrived
            .wait_timeout_while(requests, super::PATIENCE, |requests| count(requests, words) == 0)
            .unwrap();
        assert!(!waited.1.timed_out(), "the model was never asked about '{words}'");
    }
}

fn count(requests: &[(String, Value)], words: &str) -> usize {
    requests
        .iter()
        .filter(|(path, body)| path.ends_with("/completions") && user(body).contains(words))
        .count()
}

fn user(body: &Value) -> &str {
    body.pointer("/messages/1/content").and_then(Value::as_str).unwrap_or_default()
}

fn serve(stream: &TcpStream, state: &State) -> std::io::Result<()> {
    let (path, body) = read(stream)?;
    state.requests.lock().unwrap().push((path.clone(), body.clone()));
    state.arrived.notify_all();
    if path.ends_with("/embeddings") {
        return write(stream, 200, &embeddings(&body));
    }
    let prompt = user(&body);
    if prompt.contains(BROKEN_WORD) {
        return write(stream, 403, &json!({ "error": "no" }));
    }
    if prompt.contains(HANG_WORD) {
        let released = state.released.lock().unwrap();
        drop(state.release.wait_while(released, |released| !*released).unwrap());
    }
    let content = if prompt.contains("BEGIN STATEMENT") { extraction(prompt) } else { answer(prompt) };
    write(
        stream,
        200,
        &json!({ "choices": [{ "message": { "content": content }, "finish_reason": "stop" }] }),
    )
}

fn extraction(prompt: &str) -> String {
    let statement = prompt.split("<<<BEGIN STATEMENT").nth(1).unwrap_or_default();
    match statement.split_once('«').and_then(|(_, rest)| rest.rsplit_once('»')) {
        Some((reply, _)) => reply.to_owned(),
        None => r#"{"facts":[]}"#.to_owned(),
    }
}

/// The facts that the model was shown: what an answer could be based on.
fn answer(prompt: &str) -> String {
    let facts: Vec<&str> = prompt.lines().filter(|line| line.starts_with('#')).collect();
    if facts.is_empty() { "I do not know.".to_owned() } else { format!("From: {}", facts.join(" | ")) }
}

fn embeddings(body: &Value) -> Value {
    let texts = body["input"].as_array().cloned().unwrap_or_default();
    let vector = |text: &Value| {
        let mut vector = [0.1_f64; 8];
        for byte in text.as_str().unwrap_or_default().bytes() {
            vector[usize::from(byte % 8)] += 1.0;
        }
        vector
    };
    let data: Vec<Value> =
        texts.iter().enumerate().map(|(n, text)| json!({ "index": n, "embedding": vector(text) })).collect();
    json!({ "data": data })
}

fn read(stream: &TcpStream) -> std::io::Result<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((path, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

fn write(mut stream: &TcpStream, status: u16, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes())
}
