use super::meta::completed;
use super::{KEEP_MS, REVISION, check, discovered, is_spoken, kept, revision, supported};
use crate::rpc::RpcError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use proptest::prelude::{any, proptest};
use proptest::prop_assert_eq;
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("not an object: {other}"),
    }
}

/// Parameters with all that a request must bring, and these.
fn params(revision: &str, more: Value) -> Map<String, Value> {
    let mut params = object(more);
    params.insert(
        "_meta".to_owned(),
        json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
        }),
    );
    params
}

fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in lines {
        map.append(*name, value.parse().expect("a header value"));
    }
    map
}

/// The code of the refusal of a request with these headers; 0 when it passes.
fn code(lines: &[(&'static str, &str)], method: &str, params: &Map<String, Value>) -> i64 {
    check(&headers(lines), method, params).err().map_or(0, |error| error.code)
}

const OURS: (&str, &str) = ("mcp-protocol-version", REVISION);

#[test]
fn a_request_that_names_a_revision_is_stateless() {
    assert!(is_spoken("tools/list", &params("1999-01-01", json!({}))));
    assert!(is_spoken("server/discover", &Map::new()));
    assert!(!is_spoken("tools/list", &object(json!({ "_meta": { "progressToken": 1 } }))));
    assert!(!is_spoken("tools/list", &object(json!({ "_meta": "io.modelcontextprotocol/protocolVersion" }))));
}

#[test]
fn a_request_needs_a_revision_and_capabilities() {
    let revision_key = "io.modelcontextprotocol/protocolVersion";
    let capabilities_key = "io.modelcontextprotocol/clientCapabilities";
    assert_eq!(revision(&params(REVISION, json!({}))), Ok(REVISION));
    for lacking in [
        json!({}),
        json!({ "_meta": {} }),
        json!({ "_meta": { revision_key: REVISION } }),
        json!({ "_meta": { capabilities_key: {} } }),
        json!({ "_meta": { revision_key: 1, capabilities_key: {} } }),
        json!({ "_meta": { revision_key: REVISION, capabilities_key: [] } }),
    ] {
        let params = object(lacking);
        assert_eq!(revision(&params).map_err(|error| error.code), Err(-32602), "{params:?}");
    }
}

#[test]
fn another_revision_is_refused() {
    assert_eq!(supported(REVISION), Ok(()));
    let RpcError { code, data, .. } = supported("2025-11-25").expect_err("not of this kind");
    assert_eq!(code, -32022);
    assert_eq!(
        data.map(|data| *data),
        Some(json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" }))
    );
}

#[test]
fn headers_must_repeat_what_the_body_says() {
    let list = params(REVISION, json!({}));
    let method = ("mcp-method", "tools/list");
    assert_eq!(code(&[OURS, method], "tools/list", &list), 0);
    assert_eq!(code(&[OURS, ("mcp-method", "TOOLS/LIST")], "tools/list", &list), -32020);
    assert_eq!(code(&[OURS], "tools/list", &list), -32020);
    assert_eq!(code(&[method], "tools/list", &list), -32020);
    assert_eq!(code(&[OURS, method, method], "tools/list", &list), -32020);
    assert_eq!(code(&[("mcp-protocol-version", "2025-11-25"), method], "tools/list", &list), -32020);
}

#[test]
fn a_named_request_needs_the_name_in_a_header() {
    let call = params(REVISION, json!({ "name": "stats" }));
    let method = ("mcp-method", "tools/call");
    assert_eq!(code(&[OURS, method, ("mcp-name", "  stats  ")], "tools/call", &call), 0);
    assert_eq!(code(&[OURS, method, ("mcp-name", "health")], "tools/call", &call), -32020);
    assert_eq!(code(&[OURS, method], "tools/call", &call), -32020);
    let read = params(REVISION, json!({ "uri": "a://b" }));
    assert_eq!(code(&[OURS, ("mcp-method", "resources/read")], "resources/read", &read), -32020);
}

#[test]
fn a_wrapped_name_that_cannot_be_unwrapped_matches_nothing() {
    let call = params(REVISION, json!({ "name": "=?base64?!?=" }));
    let lines = [OURS, ("mcp-method", "tools/call"), ("mcp-name", "=?base64?!?=")];
    assert_eq!(code(&lines, "tools/call", &call), -32020);
}

proptest! {
    #[test]
    fn any_name_fits_a_header_when_wrapped(name in any::<String>()) {
        let call = params(REVISION, json!({ "name": name }));
        let wrapped = format!("=?base64?{}?=", STANDARD.encode(&name));
        let lines = [OURS, ("mcp-method", "tools/call"), ("mcp-name", wrapped.as_str())];
        prop_assert_eq!(code(&lines, "tools/call", &call), 0);
    }
}

#[test]
fn a_contradiction_is_reported_before_an_unknown_revision() {
    let list = params("v999", json!({}));
    let method = ("mcp-method", "tools/list");
    assert_eq!(code(&[OURS, method], "tools/list", &list), -32020);
    assert_eq!(code(&[("mcp-protocol-version", "v999"), method], "tools/list", &list), -32022);
}

#[test]
fn lists_say_how_long_they_may_be_kept() {
    let list = r#"{"prompts":[]}"#;
    for (shared, scope) in [(true, "public"), (false, "private")] {
        let mut stateless = object(serde_json::from_str(&kept(list, shared)).expect("JSON"));
        assert_eq!(stateless.remove("resultType"), Some(json!("complete")));
        assert_eq!(stateless.remove("ttlMs"), Some(json!(KEEP_MS)));
        assert_eq!(stateless.remove("cacheScope"), Some(json!(scope)));
        assert!(stateless.remove("_meta").is_some());
        assert_eq!(Value::Object(stateless), serde_json::from_str::<Value>(list).expect("JSON"));
    }
}

#[test]
fn a_call_is_complete_and_keeps_its_own_marker() {
    let result: Value = serde_json::from_str(&completed("Stored.", false)).expect("JSON");
    assert_eq!(result["content"][0]["text"], result["structuredContent"]["result"]);
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["_meta"]["fastmcp"]["wrap_result"], true);
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "svc");
}

#[test]
fn discovery_names_the_revision() {
    let found = discovered();
    assert_eq!(found["supportedVersions"], json!([REVISION]));
    assert_eq!(found["capabilities"]["tools"], json!({}));
    assert_eq!(found["capabilities"].get("logging"), None);
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], crate::VERSION);
}
