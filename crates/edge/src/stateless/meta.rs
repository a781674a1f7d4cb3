//! The `_meta` of requests and results.

use crate::{NAME, VERSION};
use serde_json::{Value, json};

pub(super) const META_REVISION: &str = "io.modelcontextprotocol/protocolVersion";
pub(super) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(super) const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

pub(super) fn server() -> Value {
    json!({ "name": NAME, "version": VERSION })
}

/// A result with what this revision adds to one.
pub(super) fn completed(mut result: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.insert("resultType".to_owned(), "complete".into());
        if let Some(Value::Object(meta)) = fields.get_mut("_meta") {
            meta.insert(META_SERVER.to_owned(), server());
        }
    }
    result
}
