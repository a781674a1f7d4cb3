//! `POST /mcp`: one JSON-RPC message in, one answer out.

use super::reply::{self, Reply};
use super::sse;
use crate::mcp::{self, CALL_TIME, REVISIONS};
use crate::progress;
use crate::rpc::{self, INVALID_REQUEST, Message, RpcError};
use domain::{Caller, Identity, Principal, Timestamp};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE};
use hyper::{HeaderMap, StatusCode};
use serde_json::Value;
use service::Service;
use std::time::Instant;
use tracing::Instrument;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

pub(super) async fn answer(
    service: &Service,
    principal: Principal,
    request_id: &str,
    headers: &HeaderMap,
    body: &Bytes,
) -> Reply {
    if let Err((status, why)) = check(headers) {
        return refused(status, None, &RpcError::new(INVALID_REQUEST, why));
    }
    let (id, method, params) = match rpc::read(body) {
        Ok(Message::Request { id, method, params }) => (id, method, params),
        Ok(Message::Notification { .. } | Message::Response) => return reply::empty(StatusCode::ACCEPTED),
        Err(bad) => return refused(StatusCode::BAD_REQUEST, bad.id.as_ref(), &bad.error),
    };
    let identity = Identity::Principal(principal);
    let caller = Caller::new(identity, request_id.to_owned(), Timestamp::now(), Instant::now() + CALL_TIME);
    let token = progress::token(&method, &params);
    if token.is_none() {
        let outcome = mcp::serve(service, caller, &method, params).await;
        let size = outcome.as_ref().map_or(0, |result| result.len());
        return sse::one(sse::event(size, |out| rpc::write_answer(out, &id, &outcome)));
    }
    let service = service.clone();
    let call = async move {
        let outcome = mcp::serve(&service, caller, &method, params).await;
        rpc::answer(&id, &outcome)
    };
    sse::many(progress::messages(token, progress::EVERY, call.in_current_span()))
}

/// What the headers must say before the body is looked at.
fn check(headers: &HeaderMap) -> Result<(), (StatusCode, String)> {
    if !accepts(headers, JSON) || !accepts(headers, EVENTS) {
        let why = format!("Not Acceptable: the client must accept both {JSON} and {EVENTS}");
        return Err((StatusCode::NOT_ACCEPTABLE, why));
    }
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !content_type.is_some_and(|value| is_type(value, JSON)) {
        return Err((StatusCode::BAD_REQUEST, format!("Bad Request: the Content-Type must be {JSON}")));
    }
    let revision = headers.get("mcp-protocol-version").map(|value| value.to_str().unwrap_or_default());
    if revision.is_some_and(|revision| !REVISIONS.contains(&revision)) {
        let known = REVISIONS.join(", ");
        let why = format!("Bad Request: this MCP-Protocol-Version is not supported; known are {known}");
        return Err((StatusCode::BAD_REQUEST, why));
    }
    Ok(())
}

fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|range| is_type(range, media_type))
}

/// Parameters such as a character set or a weight do not change what type it is.
fn is_type(value: &str, media_type: &str) -> bool {
    value.split(';').next().is_some_and(|named| named.trim().eq_ignore_ascii_case(media_type))
}

fn refused(status: StatusCode, id: Option<&Value>, error: &RpcError) -> Reply {
    reply::json(status, error.answer(id).to_string())
}

#[cfg(test)]
mod tests {
    use super::check;
    use hyper::HeaderMap;

    const BOTH: &str = "application/json, text/event-stream";

    fn status(headers: &[(&'static str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header value"));
        }
        check(&map).map_or_else(|(status, _)| status.as_u16(), |()| 200)
    }

    #[test]
    fn both_types_must_be_accepted_by_name() {
        let json = ("content-type", "application/json");
        assert_eq!(status(&[json, ("accept", BOTH)]), 200);
        assert_eq!(status(&[json, ("accept", "Application/JSON;q=0.9,text/event-stream;q=0.8")]), 200);
        assert_eq!(status(&[json, ("accept", "application/json"), ("accept", "text/event-stream")]), 200);
        assert_eq!(status(&[json, ("accept", "*/*")]), 406);
        assert_eq!(status(&[json, ("accept", "application/json")]), 406);
        assert_eq!(status(&[json]), 406);
    }

    #[test]
    fn the_body_must_be_json_by_name() {
        assert_eq!(status(&[("accept", BOTH), ("content-type", "application/json; charset=utf-8")]), 200);
        assert_eq!(status(&[("accept", BOTH), ("content-type", "text/plain")]), 400);
        assert_eq!(status(&[("accept", BOTH)]), 400);
    }

    #[test]
    fn a_revision_that_is_named_must_be_known() {
        let with = |revision| {
            status(&[
                ("accept", BOTH),
                ("content-type", "application/json"),
                ("mcp-protocol-version", revision),
            ])
        };
        assert_eq!(with("2025-11-25"), 200);
        assert_eq!(with("1999-01-01"), 400);
    }
}
