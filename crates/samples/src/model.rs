//! A language model for tests. A statement carries its own extraction: whatever is between « and » is what the
//! model replies, word for word. This way a test decides what the rules get to see.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

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

/// Longer than a program under test takes on a busy machine; only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Model {
    port: u16,
    state: Arc<State>,
}

/// Of a campaign's many requests only the last ones are kept.
const KEPT: usize = 10_000;

#[derive(Default)]
struct State {
    /// The prompts so far.
    prompts: Mutex<VecDeque<String>>,
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
        Self::serving(listener, answer)
    }

    /// One that does with each request whatever `behave` does; the connection is closed behind it.
    pub fn behaving(
        behave: impl Fn(&TcpStream, &str, &Value) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Self::serving(listener, move |stream, path, body, _| behave(stream, path, body))
    }

    fn serving(
        listener: TcpListener,
        behave: impl Fn(&TcpStream, &str, &Value, &State) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let behave = Arc::new(behave);
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, behave) = (shared.clone(), behave.clone());
                std::thread::spawn(move || {
                    // A client that was killed leaves half a request; that is no concern of the model's.
                    let Ok((path, body)) = read(&stream) else { return };
                    if path.ends_with("/completions") {
                        state.note(prompt(&body));
                    }
                    drop(behave(&stream, &path, &body, &state));
                });
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
        count(&self.state.prompts.lock().unwrap(), words)
    }

    /// Returns once a chat request with these words has come in.
    pub fn wait_until_asked(&self, words: &str) {
        let prompts = self.state.prompts.lock().unwrap();
        let waited = self
            .state
            .arrived
            .wait_timeout_while(prompts, PATIENCE, |prompts| count(prompts, words) == 0)
            .unwrap();
        assert!(!waited.1.timed_out(), "the model was never asked about '{words}'");
    }
}

impl State {
    fn note(&self, prompt: &str) {
        let mut prompts = self.prompts.lock().unwrap();
        if prompts.len() == KEPT {
            prompts.pop_front();
        }
        prompts.push_back(prompt.to_owned());
        drop(prompts);
        self.arrived.notify_all();
    }
}

fn count(prompts: &VecDeque<String>, words: &str) -> usize {
    prompts.iter().filter(|prompt| prompt.contains(words)).count()
}

/// What a chat request asks, without the rules that go with every one.
pub fn prompt(body: &Value) -> &str {
    body.pointer("/messages/1/content").and_then(Value::as_str).unwrap_or_default()
}

fn answer(stream: &TcpStream, path: &str, body: &Value, state: &State) -> io::Result<()> {
    if path.ends_with("/embeddings") {
        return write(stream, 200, &embeddings(body));
    }
    let prompt = prompt(body);
    if prompt.contains(BROKEN_WORD) {
        return write(stream, 403, &json!({ "error": "no" }));
    }
    if prompt.contains(HANG_WORD) {
        let released = state.released.lock().unwrap();
        drop(state.release.wait_while(released, |released| !*released).unwrap());
    }
    complete(stream, &if prompt.contains("BEGIN STATEMENT") { extraction(prompt) } else { answered(prompt) })
}

/// A chat reply with this content.
pub fn complete(stream: &TcpStream, content: &str) -> io::Result<()> {
    let choice = json!({ "message": { "content": content }, "finish_reason": "stop" });
    write(stream, 200, &json!({ "choices": [choice] }))
}

pub fn extraction(prompt: &str) -> String {
    let statement = prompt.split("<<<BEGIN STATEMENT").nth(1).unwrap_or_default();
    match statement.split_once('«').and_then(|(_, rest)| rest.rsplit_once('»')) {
        Some((reply, _)) => reply.to_owned(),
        None => r#"{"facts":[]}"#.to_owned(),
    }
}

/// The facts that the model was shown: what an answer could be based on.
fn answered(prompt: &str) -> String {
    let facts: Vec<&str> = prompt.lines().filter(|line| line.starts_with('#')).collect();
    if facts.is_empty() { "I do not know.".to_owned() } else { format!("From: {}", facts.join(" | ")) }
}

pub fn embeddings(body: &Value) -> Value {
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

fn read(stream: &TcpStream) -> io::Result<(String, Value)> {
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

pub fn write(mut stream: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes())
}
