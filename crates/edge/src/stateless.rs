//! Revision 2026-07-28 of the protocol. It has no handshake: every request says for itself which revision it speaks and
//! what its client can do. The older revisions are in `mcp.rs`.

mod meta;
mod round_trip;

use crate::mcp::{self, Outcome, REVISIONS};
use crate::offered;
use crate::rpc::{INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, RpcError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::Caller;
use hyper::{HeaderMap, StatusCode};
use meta::{META_CAPABILITIES, META_REVISION, META_SERVER, server};
use serde_json::{Map, Value, json};
use service::{Service, ToolsShown};

pub(crate) const REVISION: &str = "2026-07-28";

const HEADER_MISMATCH: i64 = -32020;
const UNSUPPORTED_REVISION: i64 = -32022;

const REVISION_HEADER: &str = "mcp-protocol-version";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

/// How long a client may keep what we list. It changes only when another version of the server is installed.
const KEEP_MS: u64 = 300_000;

/// Whether the message itself is of this revision.
pub(crate) fn is_spoken(method: &str, params: &Map<String, Value>) -> bool {
    method == "server/discover" || params.get("_meta").and_then(|meta| meta.get(META_REVISION)).is_some()
}

/// Whether the headers say that the message is of this revision, whatever it holds. Some clients name the method in a
/// header in every revision, so a header that names an older revision counts more.
pub(crate) fn is_announced(headers: &HeaderMap) -> bool {
    let named = headers.get(REVISION_HEADER).map(|value| value.to_str().unwrap_or_default());
    match named {
        Some(REVISION) => true,
        Some(older) if REVISIONS.contains(&older) => false,
        _ => headers.contains_key(METHOD_HEADER),
    }
}

/// What must hold of a request over HTTP before it is served. Headers come before the revision: a client that
/// contradicts itself is told so, rather than that we lack a revision that it may not even use.
pub(crate) fn check(headers: &HeaderMap, method: &str, params: &Map<String, Value>) -> Result<(), RpcError> {
    let revision = revision(params)?;
    mirrors(headers, REVISION_HEADER, revision)?;
    mirrors(headers, METHOD_HEADER, method)?;
    if let Some(name) = named(method, params) {
        mirrors(headers, NAME_HEADER, name)?;
    }
    supported(revision)
}

/// The status that a refusal has over HTTP.
pub(crate) const fn status(error: &RpcError) -> StatusCode {
    match error.code {
        METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// Runs a method.
pub(crate) async fn serve(
    service: &Service,
    caller: Caller,
    method: &str,
    params: Map<String, Value>,
) -> Outcome {
    supported(revision(&params)?)?;
    match method {
        "server/discover" => Ok(discovered().to_string().into()),
        "tools/call" => round_trip::call(service, caller, params).await.map(Into::into),
        mcp::RESOURCES_READ => {
            let mut read = offered::read(service, caller, &params).await.map_err(in_this_revision)?;
            complete(&mut read, json!({ "ttlMs": 0, "cacheScope": "private" }));
            Ok(read.to_string().into())
        }
        mcp::PROMPTS_GET => {
            let mut prompt = offered::prompt(service, caller, params).await?;
            complete(&mut prompt, json!({}));
            Ok(prompt.to_string().into())
        }
        other => match mcp::list(service, &caller, other) {
            Some(list) => {
                let shared = match other {
                    mcp::TOOLS_LIST => service.tools_shown() != ToolsShown::Role,
                    mcp::RESOURCES_LIST => false,
                    _ => true,
                };
                mcp::first_page(&params).map(|()| kept(&list, shared).into())
            }
            None => Err(mcp::not_found(other)),
        },
    }
}

/// The revision that the request names, if it brings all that it must.
fn revision(params: &Map<String, Value>) -> Result<&str, RpcError> {
    let lacks =
        |what: &str| RpcError::new(INVALID_PARAMS, format!("Invalid params: '_meta' must hold {what}"));
    let meta = params.get("_meta").and_then(Value::as_object);
    let revision = meta.and_then(|meta| meta.get(META_REVISION)).and_then(Value::as_str);
    let capabilities = meta.and_then(|meta| meta.get(META_CAPABILITIES)).and_then(Value::as_object);
    match (revision, capabilities) {
        (Some(revision), Some(_)) => Ok(revision),
        (None, _) => Err(lacks(&format!("'{META_REVISION}', a string"))),
        (_, None) => Err(lacks(&format!("'{META_CAPABILITIES}', an object"))),
    }
}

fn supported(revision: &str) -> Result<(), RpcError> {
    if revision == REVISION {
        return Ok(());
    }
    let error = RpcError::new(UNSUPPORTED_REVISION, "Unsupported protocol version");
    Err(error.with_data(json!({ "supported": [REVISION], "requested": revision })))
}

/// What a request asks for by name, where its method has one.
fn named<'a>(method: &str, params: &'a Map<String, Value>) -> Option<&'a str> {
    let key = match method {
        "tools/call" | mcp::PROMPTS_GET => "name",
        mcp::RESOURCES_READ => "uri",
        _ => return None,
    };
    params.get(key).and_then(Value::as_str)
}

/// A proxy may route and admit by the headers alone, so each must come once and say what the body says.
fn mirrors(headers: &HeaderMap, header: &str, said: &str) -> Result<(), RpcError> {
    let mut lines = headers.get_all(header).iter();
    let wrong = match (lines.next(), lines.next()) {
        (Some(line), None) if decoded(line.as_bytes()).is_some_and(|value| value == said.as_bytes()) => {
            return Ok(());
        }
        (Some(_), None) => "does not say what the body says",
        (Some(_), Some(_)) => "stands more than once",
        (None, _) => "is missing",
    };
    Err(RpcError::new(HEADER_MISMATCH, format!("Header mismatch: {header} {wrong}")))
}

/// The value of a header. What a header cannot carry as it is comes as `=?base64?…?=`.
fn decoded(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.trim_ascii();
    match line.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?=")) {
        Some(wrapped) => STANDARD.decode(wrapped).ok(),
        None => Some(line.to_vec()),
    }
}

fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": [REVISION],
        // The lists never change while we run: there is no change to tell of, and nothing to subscribe to.
        "capabilities": {
            "prompts": {},
            "resources": {},
            "tools": {},
            "extensions": mcp::extensions(),
        },
        "instructions": mcp::INSTRUCTIONS,
        "ttlMs": KEEP_MS,
        "cacheScope": "public",
        "_meta": { META_SERVER: server() },
    })
}

/// A list with what this revision adds to one. What is the same for every caller may be shared by caches.
fn kept(list: &str, shared: bool) -> String {
    let scope = if shared { "public" } else { "private" };
    let meta = json!({ META_SERVER: server() });
    let entries = list.strip_prefix('{').unwrap_or(list);
    format!(r#"{{"resultType":"complete","ttlMs":{KEEP_MS},"cacheScope":"{scope}","_meta":{meta},{entries}"#)
}

/// This revision has no code of its own for a resource that is not there.
fn in_this_revision(error: RpcError) -> RpcError {
    match error.code {
        RESOURCE_NOT_FOUND => RpcError { code: INVALID_PARAMS, ..error },
        _ => error,
    }
}

/// What this revision adds to a result.
fn complete(result: &mut Value, more: Value) {
    let (Some(fields), Value::Object(more)) = (result.as_object_mut(), more) else { return };
    fields.insert("resultType".to_owned(), "complete".into());
    fields.extend(more);
    fields.insert("_meta".to_owned(), json!({ META_SERVER: server() }));
}

#[cfg(test)]
mod tests;
