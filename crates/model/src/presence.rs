//! Whether an endpoint is there. While it fails, calls try again, and one request in the background tries on until it is
//! answered. Once it has failed for as long as a call waits for it, it counts as away: that call and those that follow are
//! told so at once.

use crate::error::ModelError;
use crate::http::{Endpoint, Failed};
use domain::Timestamp;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::sleep;

/// Failures in a row before an endpoint counts as away, however long ago the first was.
const FAILURES: u32 = 2;
/// An attempt that was given less time than this and ran out of it says nothing about the endpoint.
const FAIR_TIME: Duration = Duration::from_secs(2);
/// How long one request in the background waits for an answer.
const PING_TIME: Duration = Duration::from_secs(10);
/// The pause before the first request in the background. It doubles until it is the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// An endpoint with what its last answers showed. Clones share that.
#[derive(Clone)]
pub(crate) struct Watched {
    endpoint: Endpoint,
    /// A small request that shows whether the endpoint answers.
    ping: Arc<Value>,
    presence: watch::Sender<Presence>,
}

#[derive(Debug, Default)]
struct Presence {
    trouble: Option<Trouble>,
    /// Whether a request in the background tries on.
    is_pinged: bool,
}

#[derive(Debug)]
struct Trouble {
    since: Timestamp,
    began: Instant,
    failures: u32,
    last: &'static str,
}

impl Presence {
    /// For one who waits so long after the first failure.
    fn away(&self, span: Duration) -> Option<ModelError> {
        let trouble = self.trouble.as_ref()?;
        let away = trouble.failures >= FAILURES && trouble.began.elapsed() >= span;
        away.then_some(ModelError::Away { since: trouble.since, last: trouble.last })
    }

    /// How much is left of so long a wait.
    fn left_of(&self, span: Duration) -> Duration {
        self.trouble.as_ref().map_or(span, |trouble| span.saturating_sub(trouble.began.elapsed()))
    }
}

impl Watched {
    pub fn new(endpoint: Endpoint, ping: Value) -> Self {
        Self { endpoint, ping: Arc::new(ping), presence: watch::Sender::default() }
    }

    /// Fails at once while the endpoint is away for one who waits so long for it.
    pub async fn post(&self, body: &Value, time: Duration, span: Duration) -> Result<Vec<u8>, Failed> {
        if let Some(away) = self.presence.borrow().away(span) {
            return Err(away.into());
        }
        self.try_anyway(body, time).await
    }

    /// Asks even an endpoint that is away, for somebody who wants to know.
    pub async fn try_anyway(&self, body: &Value, time: Duration) -> Result<Vec<u8>, Failed> {
        let began = Instant::now();
        let outcome = self.endpoint.post(body, time).await;
        match &outcome {
            Err(failed) if failed.error == ModelError::Timeout && time < FAIR_TIME => {}
            Err(failed) if is_trouble(&failed.error) => self.failed(began, failed.error.kind()),
            // Any answer, a refusal too, shows that it is there.
            _ => self.answered(),
        }
        outcome
    }

    /// Ends after this time, or earlier where the endpoint answers somebody else or turns out to be away.
    pub fn pause(&self, time: Duration, span: Duration) -> impl Future<Output = ()> + use<> {
        let mut presence = self.presence.subscribe();
        let (fails, left) = {
            let presence = presence.borrow();
            (presence.trouble.is_some(), presence.left_of(span))
        };
        async move {
            tokio::select! {
                () = sleep(time.min(left)) => {}
                _ = presence.wait_for(|presence| presence.trouble.is_none()), if fails => {}
            }
        }
    }

    fn answered(&self) {
        self.presence.send_if_modified(|presence| {
            let Some(trouble) = presence.trouble.take() else { return false };
            let seconds = trouble.began.elapsed().as_secs();
            tracing::info!(host = self.endpoint.url.host_str(), seconds, "the endpoint answers again");
            true
        });
    }

    fn failed(&self, began: Instant, last: &'static str) {
        self.presence.send_modify(|presence| {
            let is_first = presence.trouble.is_none();
            let since = || Timestamp::now() - began.elapsed();
            let trouble = presence.trouble.get_or_insert_with(|| Trouble {
                since: Timestamp::from_second(since().as_second()).unwrap_or_else(|_| since()),
                began,
                failures: 0,
                last,
            });
            trouble.failures += 1;
            trouble.last = last;
            if is_first {
                tracing::warn!(
                    host = self.endpoint.url.host_str(),
                    kind = last,
                    "the endpoint does not answer"
                );
            }
            if !presence.is_pinged {
                presence.is_pinged = true;
                tokio::spawn(self.clone().try_on());
            }
        });
    }

    /// Pings until there is an answer, to this or to a call.
    async fn try_on(self) {
        let mut pause = FIRST_PAUSE;
        loop {
            sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            if self.presence.borrow().trouble.is_some() {
                let _ = self.try_anyway(&self.ping, PING_TIME).await;
            }
            let there = self.presence.send_if_modified(|presence| {
                let there = presence.trouble.is_none();
                presence.is_pinged = !there;
                there
            });
            if there {
                return;
            }
        }
    }
}

/// An endpoint that asks to be left alone for a moment is there.
fn is_trouble(error: &ModelError) -> bool {
    error.is_transient() && *error != ModelError::RateLimited
}
