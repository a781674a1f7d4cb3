//! MCP over standard input and output: one message a line, several calls in flight at once, and nothing but protocol
//! on standard output.

use crate::elicitation::Asker;
use crate::mcp;
use crate::progress;
use crate::request_id;
use crate::rpc::{self, Id, Message};
use crate::stateless;
use domain::{Caller, Identity, Timestamp};
use futures_util::StreamExt;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use service::Service;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

/// The longest line that is read. No sensible client sends a longer one.
const LINE_BYTES: u64 = 16 * 1024 * 1024;
/// A client that closes its end may still be reading: calls under way get this long to answer.
const LEAVING: Duration = Duration::from_secs(8);
/// How many answers may wait for a slow reader before calls wait too.
const ANSWERS_WAITING: usize = 64;

type InFlight = Arc<Mutex<HashMap<String, AbortHandle>>>;

/// Serves until the input ends. An error is one of the input or output itself.
pub async fn serve(
    service: Service,
    identity: Identity,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> io::Result<()> {
    let (answers, written) = mpsc::channel::<String>(ANSWERS_WAITING);
    let writer = tokio::spawn(write_lines(output, written));
    let mut lines = BufReader::new(input);
    let mut calls = JoinSet::new();
    let in_flight = InFlight::default();
    let asker = Arc::new(Asker::new(answers.clone()));
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut lines).take(LINE_BYTES).read_until(b'\n', &mut line).await? == 0 {
            break;
        }
        // Finished tasks are dropped, or a long conversation would pile up.
        while calls.try_join_next().is_some() {}
        if line.trim_ascii().is_empty() {
            continue;
        }
        match rpc::read(&line) {
            Ok(Message::Request { id, method, params }) => {
                if method == "initialize" {
                    asker.introduced(&params);
                }
                let call = Conversation {
                    service: service.clone(),
                    identity: identity.clone(),
                    answers: answers.clone(),
                    asker: asker.clone(),
                    in_flight: in_flight.clone(),
                };
                let key = id.to_string();
                // The entry is made while the lock is held, so a call that ends at once finds it.
                let mut entries = in_flight.lock();
                let handle = calls.spawn(call.answer(id, method, params));
                entries.insert(key, handle);
            }
            Ok(Message::Notification { method, params }) => notified(&method, &params, &in_flight),
            Ok(Message::Response { id, result }) => asker.answered(&id, result.unwrap_or_default()),
            Err(unreadable) => {
                let text = unreadable.error.answer(unreadable.id.as_ref());
                if answers.send(text).await.is_err() {
                    break;
                }
            }
        }
    }
    asker.hang_up();
    drop((answers, asker));
    let _ = tokio::time::timeout(LEAVING, async { while calls.join_next().await.is_some() {} }).await;
    calls.shutdown().await;
    writer.await.map_err(io::Error::other)?
}

fn notified(method: &str, params: &Map<String, Value>, in_flight: &InFlight) {
    if method != "notifications/cancelled" {
        return;
    }
    let Some(id) = params.get("requestId") else { return };
    if let Some(call) = in_flight.lock().remove(&id.to_string()) {
        call.abort();
    }
}

/// What one call needs to answer.
struct Conversation {
    service: Service,
    identity: Identity,
    answers: mpsc::Sender<String>,
    asker: Arc<Asker>,
    in_flight: InFlight,
}

impl Conversation {
    async fn answer(self, id: Id, method: String, params: Map<String, Value>) {
        let request_id = request_id::random();
        let started = Instant::now();
        let deadline = started + self.service.call_time();
        let caller = Caller::new(self.identity, request_id.clone(), Timestamp::now(), deadline);
        let notice = caller.notice.clone();
        let progress = progress::token(&method, &params);
        let (service, asker, key) = (self.service, self.asker, id.to_string());
        let call = async move {
            let outcome = if stateless::is_spoken(&method, &params) {
                stateless::serve(&service, caller, &method, params).await
            } else {
                mcp::serve(&service, caller, &method, params, Some(&asker)).await
            };
            tracing::info!(request_id, method, elapsed_ms = started.elapsed().as_millis() as u64, "answered");
            rpc::answer(&id, &outcome)
        };
        let mut messages = progress::messages(progress, progress::EVERY, notice, call);
        while let Some(message) = messages.next().await {
            // A client that no longer reads has gone; there is nobody to tell.
            let _ = self.answers.send(message).await;
        }
        self.in_flight.lock().remove(&key);
    }
}

async fn write_lines(
    mut output: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<String>,
) -> io::Result<()> {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}
