//! A client of `svc-mcp` that can have several calls in flight.

use super::PATIENCE;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Waiting = Arc<Mutex<HashMap<i64, Sender<Value>>>>;

/// Ends with the value, by force where it was not closed.
pub struct Mcp {
    child: Child,
    stdin: Mutex<Option<ChildStdin>>,
    waiting: Waiting,
    next: AtomicI64,
}

/// A call under way.
pub struct Pending {
    pub id: i64,
    answer: Receiver<Value>,
}

#[derive(Debug)]
pub struct Reply {
    pub text: String,
    pub is_error: bool,
}

impl Mcp {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let waiting = Waiting::default();
        let answered = waiting.clone();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // A process that is killed may leave half a line.
                let Ok(message) = serde_json::from_str::<Value>(&line) else { break };
                let id = message["id"].as_i64().unwrap_or_default();
                if let Some(caller) = answered.lock().unwrap().remove(&id) {
                    let _ = caller.send(message);
                }
            }
            answered.lock().unwrap().clear();
        });
        let stdin = Mutex::new(child.stdin.take());
        Self { child, stdin, waiting, next: AtomicI64::new(1) }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&self, tool: &str, arguments: &Value) -> Pending {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        self.waiting.lock().unwrap().insert(id, sender);
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } }));
        Pending { id, answer }
    }

    /// The whole answer to a method that is no tool call.
    pub fn ask(&self, method: &str, params: &Value) -> Value {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        self.waiting.lock().unwrap().insert(id, sender);
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        answer.recv_timeout(PATIENCE).expect("an answer")
    }

    pub fn notify(&self, method: &str, params: &Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn write(&self, message: &Value) {
        let mut stdin = self.stdin.lock().unwrap();
        // A process that was killed does not read; its calls then go without an answer.
        let _ = stdin.as_mut().unwrap().write_all(format!("{message}\n").as_bytes());
    }

    pub fn reply(&self, tool: &str, arguments: &Value) -> Reply {
        self.send(tool, arguments).wait()
    }

    /// The text of a call that must not be an error.
    pub fn call(&self, tool: &str, arguments: &Value) -> String {
        let reply = self.reply(tool, arguments);
        assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
        reply.text
    }

    /// The text of a call that must be refused.
    pub fn refused(&self, tool: &str, arguments: &Value) -> String {
        let reply = self.reply(tool, arguments);
        assert!(reply.is_error, "{tool} {arguments}: {}", reply.text);
        reply.text
    }

    pub fn remember(&self, text: &str) -> String {
        self.call("remember", &json!({ "text": text }))
    }

    pub fn list(&self) -> String {
        self.call("list_memories", &json!({}))
    }

    /// The verdict of `verify_audit` must be that all is well.
    pub fn intact(&self) {
        let verdict = self.call("verify_audit", &json!({}));
        assert!(verdict.contains("INTACT"), "{verdict}");
    }

    /// Closes the input and waits for the process to end by itself.
    pub fn close(mut self) -> ExitStatus {
        drop(self.stdin.lock().unwrap().take());
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the process does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// SIGKILL: the process gets no chance to tidy up.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Pending {
    pub fn wait(self) -> Reply {
        let message = self.answer.recv_timeout(PATIENCE).expect("an answer");
        Reply::read(&message)
    }

    /// The answer, or `None` when the process died without giving one.
    pub fn outcome(self) -> Option<Reply> {
        match self.answer.recv_timeout(PATIENCE) {
            Ok(message) => Some(Reply::read(&message)),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("neither an answer nor an end"),
        }
    }

    pub fn is_answered(&self) -> bool {
        self.answer.try_recv().is_ok()
    }
}

impl Reply {
    fn read(message: &Value) -> Self {
        let result = &message["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no result: {message}")).to_owned();
        assert_eq!(result["structuredContent"]["result"], text.as_str());
        Self { text, is_error: result["isError"].as_bool().unwrap() }
    }
}
