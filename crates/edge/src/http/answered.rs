//! What every answer gets, whatever was asked: the id of its request, and a line in the log if it panicked.

use super::connections::Admission;
use super::reply::{self, Reply};
use futures_util::FutureExt;
use hyper::header::{CONNECTION, HeaderName, HeaderValue};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tracing::Instrument;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const NO_PLACE: &str =
    "all connections of this address (SVC_CONNECTIONS_PER_ADDRESS) or of the server are in use";

pub(super) async fn answered(id: &str, admission: Admission, passed: impl Future<Output = Reply>) -> Reply {
    // Of the highest level, so the id is on the lines of every level that is logged.
    let span = tracing::error_span!("request", request_id = %id);
    let passed = AssertUnwindSafe(passed).catch_unwind();
    let mut reply = passed.instrument(span.clone()).await.unwrap_or_else(|_| {
        span.in_scope(|| tracing::error!("a request panicked"));
        reply::internal()
    });
    if let Ok(id) = HeaderValue::from_str(id) {
        reply.headers_mut().insert(REQUEST_ID, id);
    }
    if admission == Admission::ProbesOnly {
        reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    reply
}

pub(super) fn no_place() -> Reply {
    reply::too_many(Duration::from_secs(1), NO_PLACE)
}
