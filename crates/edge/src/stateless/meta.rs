//! The `_meta` of requests and results.

use crate::tool_result::tool_result;
use crate::{NAME, VERSION};
use serde_json::{Value, json};

pub(super) const META_REVISION: &str = "io.modelcontextprotocol/protocolVersion";
pub(super) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(super) const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

pub(super) fn server() -> Value {
    json!({ "name": NAME, "version": VERSION })
}

/// The result of a tool call with what this revision adds to one.
pub(super) fn completed(text: &str, is_error: bool) -> String {
    let meta = json!({ "fastmcp": { "wrap_result": true }, META_SERVER: server() });
    tool_result(text, is_error, &meta, r#","resultType":"complete""#)
}
