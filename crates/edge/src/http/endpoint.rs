//! `POST /mcp`: one JSON-RPC message in, one answer out.

use super::access_log::AccessLine;
use super::reply::{self, Reply};
use super::sse;
use crate::mcp::{self, REVISIONS};
use crate::progress;
use crate::rpc::{self, INVALID_REQUEST, Id, Message, RpcError};
use crate::stateless;
use domain::{Caller, Identity, Principal, Timestamp};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE};
use hyper::{HeaderMap, StatusCode};
use serde_json::{Map, Value};
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
    line: &mut AccessLine,
) -> Reply {
    if let Err((status, why)) = check(headers) {
        return refused(status, None, &RpcError::new(INVALID_REQUEST, why));
    }
    let message = rpc::read(body);
    let era = Era::of(headers, message.as_ref().ok());
    if era == Era::Handshake
        && let Err(why) = check_revision(headers)
    {
        return refused(StatusCode::BAD_REQUEST, None, &RpcError::new(INVALID_REQUEST, why));
    }
    let (id, method, params) = match message {
        Ok(Message::Request { id, method, params }) => (id, method, params),
        Ok(Message::Notification { .. } | Message::Response { .. }) => {
            return reply::empty(StatusCode::ACCEPTED);
        }
        Err(bad) => return refused(StatusCode::BAD_REQUEST, bad.id.as_ref(), &bad.error),
    };
    line.tool = called(&method, &params);
    if era == Era::Modern
        && let Err(error) = stateless::check(headers, &method, &params)
    {
        return refused(stateless::status(&error), Some(&id), &error);
    }
    let identity = Identity::Principal(principal);
    let deadline = Instant::now() + service.call_time();
    let caller = Caller::new(identity, request_id.to_owned(), Timestamp::now(), deadline);
    let token = progress::token(&method, &params);
    if token.is_none() {
        let outcome = era.serve(service, caller, &method, params).await;
        if let Err(RpcError { retry_after: Some(wait), message, .. }) = &outcome {
            return reply::too_many(*wait, message);
        }
        if let (Era::Modern, Err(error)) = (era, &outcome) {
            return refused(stateless::status(error), Some(&id), error);
        }
        let size = outcome.as_ref().map_or(0, |result| result.len());
        return sse::one(sse::event(size, |out| rpc::write_answer(out, &id, &outcome)));
    }
    let (service, notice) = (service.clone(), caller.notice.clone());
    let call = async move {
        let outcome = era.serve(&service, caller, &method, params).await;
        rpc::answer(&id, &outcome)
    };
    sse::many(progress::messages(token, progress::EVERY, notice, call.in_current_span()))
}

/// The tool that is called, in our own spelling: a name of the caller's choice has no place in the log.
fn called(method: &str, params: &Map<String, Value>) -> Option<&'static str> {
    if method != "tools/call" {
        return None;
    }
    let name = params.get("name").and_then(Value::as_str);
    let known = service::catalogue().iter().find(|tool| Some(tool.name) == name);
    Some(known.map_or("unknown", |tool| tool.name))
}

/// Which of the two ways of speaking the protocol a request follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    /// The revisions that begin with `initialize`.
    Handshake,
    Modern,
}

impl Era {
    fn of(headers: &HeaderMap, message: Option<&Message>) -> Self {
        let spoken = match message {
            Some(Message::Request { method, params, .. } | Message::Notification { method, params }) => {
                stateless::is_spoken(method, params)
            }
            Some(Message::Response { .. }) | None => false,
        };
        if spoken || stateless::is_announced(headers) { Self::Modern } else { Self::Handshake }
    }

    async fn serve(
        self,
        service: &Service,
        caller: Caller,
        method: &str,
        params: Map<String, Value>,
    ) -> mcp::Outcome {
        match self {
            Self::Handshake => mcp::serve(service, caller, method, params, None).await,
            Self::Modern => stateless::serve(service, caller, method, params).await,
        }
    }
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
    Ok(())
}

/// A request that follows a handshake may repeat what was agreed there.
fn check_revision(headers: &HeaderMap) -> Result<(), String> {
    let revision = headers.get("mcp-protocol-version").map(|value| value.to_str().unwrap_or_default());
    if revision.is_some_and(|revision| !REVISIONS.contains(&revision)) {
        let known = REVISIONS.join(", ");
        return Err(format!("Bad Request: this MCP-Protocol-Version is not supported; known are {known}"));
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

fn refused(status: StatusCode, id: Option<&Id>, error: &RpcError) -> Reply {
    reply::json(status, error.answer(id))
}

#[cfg(test)]
mod tests {
    use super::{Era, check, check_revision};
    use crate::rpc;
    use hyper::HeaderMap;

    const BOTH: &str = "application/json, text/event-stream";

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in lines {
            map.append(*name, value.parse().expect("a header value"));
        }
        map
    }

    fn status(lines: &[(&'static str, &str)]) -> u16 {
        check(&headers(lines)).map_or_else(|(status, _)| status.as_u16(), |()| 200)
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
        let with = |revision| check_revision(&headers(&[("mcp-protocol-version", revision)])).is_ok();
        assert!(with("2025-11-25"));
        assert!(!with("1999-01-01"));
        assert!(check_revision(&headers(&[])).is_ok());
    }

    #[test]
    fn body_or_headers_make_a_request_stateless() {
        let era = |lines: &[(&'static str, &str)], body: &str| {
            Era::of(&headers(lines), rpc::read(body.as_bytes()).ok().as_ref())
        };
        let plain =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#;
        let named = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list",
            "params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"}}}"#;
        let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
        assert_eq!(era(&[], plain), Era::Handshake);
        assert_eq!(era(&[("mcp-protocol-version", "2025-11-25")], plain), Era::Handshake);
        assert_eq!(era(&[("mcp-protocol-version", "1999-01-01")], plain), Era::Handshake);
        assert_eq!(era(&[("mcp-protocol-version", "2026-07-28")], plain), Era::Modern);
        assert_eq!(era(&[("mcp-method", "tools/list")], plain), Era::Modern);
        let older = [("mcp-method", "tools/list"), ("mcp-protocol-version", "2025-11-25")];
        assert_eq!(era(&older, plain), Era::Handshake);
        assert_eq!(era(&[], named), Era::Modern);
        assert_eq!(era(&[], discover), Era::Modern);
        assert_eq!(era(&[], "{"), Era::Handshake);
    }
}
