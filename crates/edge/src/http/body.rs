//! Taking a body in, within a bound of bytes and of time.

use super::reply::{self, Reply};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::EXPECT;
use hyper::http::request::Parts;
use std::time::Duration;
use tokio::time::timeout;

/// How long a body may take to arrive: a megabyte over a poor line, and no more.
const ARRIVAL: Duration = Duration::from_secs(30);
/// A client that is refused usually still sends; what it sends is read for this long and this far, or it would see a
/// broken connection instead of our answer.
const REFUSED_TIME: Duration = Duration::from_secs(3);
const REFUSED_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLarge,
    TooSlow,
    /// The client went away, or sent what is not HTTP.
    Broken,
}

pub(super) fn not_taken(error: BodyError) -> Reply {
    match error {
        BodyError::TooLarge => reply::error(StatusCode::PAYLOAD_TOO_LARGE, "request body too large"),
        BodyError::TooSlow => {
            reply::error(StatusCode::REQUEST_TIMEOUT, "the request body took too long to arrive")
        }
        BodyError::Broken => reply::error(StatusCode::BAD_REQUEST, "the request body could not be read"),
    }
}

/// Whether the client says that it will send more than the bound.
pub(super) fn is_declared_over(body: &Incoming, most: usize) -> bool {
    body.size_hint().lower() > most as u64
}

pub(super) async fn read(body: &mut Incoming, most: usize) -> Result<Bytes, BodyError> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let all = timeout(ARRIVAL, Limited::new(body, most).collect()).await;
    match all {
        Ok(Ok(all)) => Ok(all.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Ok(Err(_)) => Err(BodyError::Broken),
        Err(_) => Err(BodyError::TooSlow),
    }
}

/// Counts a body without keeping it: a stranger's bytes take up no memory.
pub(super) async fn count(parts: &Parts, body: &mut Incoming, most: usize) -> Result<(), BodyError> {
    // A client that waits for permission to send does not get it, and sends nothing.
    if body.is_end_stream() || parts.headers.contains_key(EXPECT) {
        return Ok(());
    }
    let counted = timeout(ARRIVAL, async {
        let mut left = most;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| BodyError::Broken)?;
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            left = left.checked_sub(bytes).ok_or(BodyError::TooLarge)?;
        }
        Ok(())
    });
    counted.await.unwrap_or(Err(BodyError::TooSlow))
}

/// Reads on after a refusal, within bounds.
pub(super) async fn drain(parts: &Parts, body: &mut Incoming) {
    let _ = timeout(REFUSED_TIME, count(parts, body, REFUSED_BYTES)).await;
}
