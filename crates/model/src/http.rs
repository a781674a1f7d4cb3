//! One request to one endpoint, bounded in time and in size.

use crate::error::ModelError;
use domain::{Fault, Timestamp};
use reqwest::header::{CONNECTION, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;
use std::error::Error;
use std::time::{Duration, Instant};

/// A host that does not take the connection by then is treated as gone, whatever the time for a whole answer.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// A complaint names the parameter at fault in its first lines.
const COMPLAINT_BYTES: usize = 64 * 1024;

pub(crate) fn client() -> Result<Client, Fault> {
    tls::http_client()
        .user_agent(concat!("svc/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIME)
        .build()
        .map_err(|e| Fault::new("HttpClient", format!("the HTTP client could not be made: {}", cause(e))))
}

#[derive(Clone)]
pub(crate) struct Endpoint {
    pub client: Client,
    pub url: Url,
    /// The key among them, marked as sensitive.
    pub headers: HeaderMap,
    /// The largest reply that is read.
    pub reply_bytes: usize,
}

/// Why a request failed, and what the endpoint said about it.
pub(crate) struct Failed {
    pub error: ModelError,
    /// How long the endpoint wants to be left alone.
    pub wait: Option<Duration>,
    /// The body of a 400 or 422 in lower case. It may echo the prompt: it is searched, and never shown.
    pub complaint: Option<String>,
}

impl From<ModelError> for Failed {
    fn from(error: ModelError) -> Self {
        Self { error, wait: None, complaint: None }
    }
}

impl Endpoint {
    pub async fn post(&self, body: &Value, time: Duration) -> Result<Vec<u8>, Failed> {
        if time.is_zero() {
            return Err(ModelError::Timeout.into());
        }
        let began = Instant::now();
        let outcome = match tokio::time::timeout(time, self.exchange(body)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(ModelError::Timeout.into()),
        };
        tracing::debug!(
            host = self.url.host_str(),
            outcome = outcome.as_ref().err().map_or("ok", |f| f.error.kind()),
            elapsed_ms = began.elapsed().as_millis(),
            "model endpoint asked"
        );
        outcome
    }

    async fn exchange(&self, body: &Value) -> Result<Vec<u8>, Failed> {
        let mut request = self.client.post(self.url.clone()).headers(self.headers.clone()).json(body);
        // Many small servers write the head and the body of a reply apart. On a connection that is used again, the
        // second part then waits some 40 ms for a delayed acknowledgement, and a new one costs a local endpoint far
        // less. Over TLS the handshake costs more, so connections are kept.
        if self.url.scheme() == "http" {
            request = request.header(CONNECTION, "close");
        }
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        if status.is_success() {
            return bounded(response, self.reply_bytes).await;
        }
        let wait = retry_after(response.headers(), Timestamp::now());
        let complaint = match status {
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => complaint(response).await,
            _ => None,
        };
        let error = match status {
            StatusCode::TOO_MANY_REQUESTS => ModelError::RateLimited,
            other => ModelError::Http { status: other.as_u16() },
        };
        Err(Failed { error, wait, complaint })
    }
}

async fn bounded(mut response: Response, limit: usize) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > limit {
            return Err(ModelError::BadReply { detail: "it is larger than any real one" }.into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

async fn complaint(response: Response) -> Option<String> {
    let body = bounded(response, COMPLAINT_BYTES).await.ok()?;
    Some(String::from_utf8_lossy(&body).to_lowercase())
}

/// In seconds or as a date, by the choice of the server.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Duration::try_from(until.duration_since(now)).ok()
}

fn unreachable(error: reqwest::Error) -> Failed {
    if error.is_timeout() {
        return ModelError::Timeout.into();
    }
    ModelError::Connect { detail: cause(error) }.into()
}

/// The whole chain, since the first link says only that something failed. The address stays out: its query may
/// hold a secret.
fn cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::retry_after;
    use domain::Timestamp;
    use reqwest::header::{HeaderMap, RETRY_AFTER};
    use std::time::Duration;

    #[test]
    fn a_requested_pause_is_in_seconds_or_a_date() {
        let now: Timestamp = "1994-11-06T08:49:07Z".parse().unwrap();
        let read = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            retry_after(&headers, now)
        };
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(read("Sun, 06 Nov 1994 08:00:00 GMT"), None);
        assert_eq!(read("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
