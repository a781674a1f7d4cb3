//! Elicitation: asking the person behind a client about a change that waits, where the client offers that, and settling
//! it as they say. What they do not settle goes on waiting.

use crate::rpc::Id;
use domain::{Caller, FactId, Timestamp};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use service::{Proposal, Service};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// How long a call waits for a person, who may be away.
const PATIENCE: Duration = Duration::from_secs(120);
/// Nobody reads more questions than this at once.
pub(crate) const MOST: usize = 3;

const APPROVE: &str = "approve";
const DECIDED_BY: &str = "asked through the client";

/// What the person said to a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Approved,
    Rejected,
    Open,
}

/// Whether a client's capabilities say that it can show a form. One that names no mode shows forms.
pub(crate) fn is_offered(capabilities: Option<&Value>) -> bool {
    let offered = capabilities.and_then(|all| all.get("elicitation")).and_then(Value::as_object);
    offered.is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
}

/// The parameters of `elicitation/create`.
pub(crate) fn question(proposal: &Proposal) -> Value {
    json!({
        "message": proposal.question,
        "requestedSchema": {
            "type": "object",
            "properties": {
                APPROVE: {
                    "type": "boolean",
                    "title": "Apply the change",
                    "description": "Yes makes it current. No drops it; the old value stays.",
                },
            },
            "required": [APPROVE],
        },
    })
}

/// What the client brought back. Only a clear yes or no settles anything.
pub(crate) fn answer(result: &Value) -> Answer {
    let accepted = result.get("action").and_then(Value::as_str) == Some("accept");
    match result.get("content").and_then(|content| content.get(APPROVE)).and_then(Value::as_bool) {
        Some(true) if accepted => Answer::Approved,
        Some(false) if accepted => Answer::Rejected,
        _ => Answer::Open,
    }
}

/// Settles a change as its caller, who must be allowed to; `space` holds the arguments that select the space.
pub(crate) async fn settle(
    service: &Service,
    caller: &Caller,
    space: &Map<String, Value>,
    memory_id: FactId,
    answer: Answer,
) -> Option<String> {
    let tool = match answer {
        Answer::Approved => "confirm_change",
        Answer::Rejected => "reject_change",
        Answer::Open => return None,
    };
    let mut arguments = space.clone();
    arguments.insert("memory_id".to_owned(), memory_id.0.into());
    arguments.insert("decided_by".to_owned(), DECIDED_BY.into());
    let deadline = Instant::now() + service.call_time();
    let caller = Caller { now: Timestamp::now(), deadline, ..caller.clone() };
    Some(service.call(caller, tool, arguments).await.text())
}

/// Asks over a channel that carries messages both ways, in the revisions that begin with `initialize`.
#[derive(Debug)]
pub(crate) struct Asker {
    offered: AtomicBool,
    asked: AtomicU64,
    /// By the id of each question, as JSON.
    waiting: Mutex<HashMap<String, oneshot::Sender<Value>>>,
    messages: mpsc::Sender<String>,
}

impl Asker {
    pub fn new(messages: mpsc::Sender<String>) -> Self {
        Self {
            offered: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            waiting: Mutex::default(),
            messages,
        }
    }

    /// What the client said of itself in `initialize`.
    pub fn introduced(&self, params: &Map<String, Value>) {
        self.offered.store(is_offered(params.get("capabilities")), Ordering::Relaxed);
    }

    /// The client's answer to one of our questions, if it is one.
    pub fn answered(&self, id: &Id, result: Value) {
        let Some(asked) = self.waiting.lock().remove(&id.to_string()) else { return };
        // Who asked may have gone meanwhile.
        let _ = asked.send(result);
    }

    /// No answer will come any more.
    pub fn hang_up(&self) {
        self.waiting.lock().clear();
    }

    pub async fn ask(&self, proposal: &Proposal) -> Answer {
        if !self.offered.load(Ordering::Relaxed) {
            return Answer::Open;
        }
        let id = json!(format!("svc-ask-{}", self.asked.fetch_add(1, Ordering::Relaxed)));
        let key = id.to_string();
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().insert(key.clone(), sender);
        let message = json!({
            "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": question(proposal),
        });
        let sent = self.messages.send(message.to_string()).await.is_ok();
        let answer = if sent { tokio::time::timeout(PATIENCE, answer).await.ok() } else { None };
        self.waiting.lock().remove(&key);
        answer.and_then(Result::ok).map_or(Answer::Open, |result| self::answer(&result))
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, answer, is_offered};
    use serde_json::json;

    #[test]
    fn only_a_clear_yes_or_no_settles_anything() {
        let said = |action: &str, content: serde_json::Value| {
            answer(&json!({ "action": action, "content": content }))
        };
        assert_eq!(said("accept", json!({ "approve": true })), Answer::Approved);
        assert_eq!(said("accept", json!({ "approve": false })), Answer::Rejected);
        for open in [
            said("decline", json!({ "approve": true })),
            said("cancel", json!({})),
            said("accept", json!({ "approve": "true" })),
            said("accept", json!(null)),
            answer(&json!({})),
        ] {
            assert_eq!(open, Answer::Open);
        }
    }

    #[test]
    fn a_client_that_only_opens_pages_is_not_asked() {
        assert!(is_offered(Some(&json!({ "elicitation": {} }))));
        assert!(is_offered(Some(&json!({ "elicitation": { "form": {}, "url": {} } }))));
        assert!(!is_offered(Some(&json!({ "elicitation": { "url": {} } }))));
        assert!(!is_offered(Some(&json!({ "elicitation": true }))));
        assert!(!is_offered(None));
    }
}
