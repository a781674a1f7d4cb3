//! The answers that are not the protocol's own.

use futures_util::stream::BoxStream;
use http_body_util::{Either, Full, StreamBody};
use hyper::body::{Bytes, Frame};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;

/// Most answers are whole; one that tells of its progress is streamed.
pub(super) type Body = Either<Full<Bytes>, StreamBody<BoxStream<'static, Result<Frame<Bytes>, Infallible>>>>;
pub(super) type Reply = Response<Body>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BEARER: HeaderValue = HeaderValue::from_static("Bearer");

pub(super) fn whole(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Either::Left(Full::new(body.into())));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, content_type);
    reply
}

pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Either::Left(Full::default()));
    *reply.status_mut() = status;
    reply
}

pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    whole(status, JSON, body)
}

pub(super) fn error(status: StatusCode, text: &str) -> Reply {
    json(status, json!({ "error": text }).to_string())
}

pub(super) fn unauthorized(challenge: Option<HeaderValue>) -> Reply {
    let text = "unauthorized: send Authorization: Bearer svc_sk_...";
    let mut reply = error(StatusCode::UNAUTHORIZED, text);
    reply.headers_mut().insert(WWW_AUTHENTICATE, challenge.unwrap_or(BEARER));
    reply
}

pub(super) fn challenged(mut reply: Reply) -> Reply {
    reply.headers_mut().insert(WWW_AUTHENTICATE, BEARER);
    reply
}

/// Too much was asked; after `wait` there is room again.
pub(super) fn too_many(wait: Duration, detail: &str) -> Reply {
    let body = json!({ "error": "rate limit exceeded", "detail": detail });
    let mut reply = json(StatusCode::TOO_MANY_REQUESTS, body.to_string());
    let seconds = wait.as_millis().div_ceil(1000).max(1);
    if let Ok(seconds) = HeaderValue::from_str(&seconds.to_string()) {
        reply.headers_mut().insert(RETRY_AFTER, seconds);
    }
    reply
}

/// The path is there, for another method.
pub(super) fn only(method: &'static str) -> Reply {
    let mut reply = error(StatusCode::METHOD_NOT_ALLOWED, &format!("method not allowed: send {method}"));
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(method));
    reply
}

/// What went wrong is in the log under the id of the request, and nowhere else.
pub(super) fn internal() -> Reply {
    error(
        StatusCode::INTERNAL_SERVER_ERROR,
        "internal error: the server's log says why under the X-Request-ID",
    )
}
