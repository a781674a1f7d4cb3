//! The shape of an extraction, as JSON Schema.

use domain::Action;
use serde_json::{Value, json};

/// Strict: every field is required and no other is allowed, which is what enforcing endpoints ask for.
pub(crate) fn extraction() -> Value {
    let text = || json!({ "type": "string" });
    let fields = json!({
        "subject": text(),
        "value": text(),
        "kind": { "type": "string", "enum": ["state", "event"] },
        "scope": text(),
        "head": text(),
        "relation": text(),
        "tail": text(),
        "time_ref": { "type": "string", "enum": ["current", "past", "future", "unknown"] },
        "action": { "type": "string", "enum": Action::ALL.map(Action::word) },
        "confidence": { "type": "number" },
        "reason": text(),
        "target_id": { "type": ["integer", "null"] },
    });
    let required: Vec<&String> = fields.as_object().map(|f| f.keys().collect()).unwrap_or_default();
    json!({
        "type": "object",
        "properties": {
            "facts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": fields,
                    "required": required,
                    "additionalProperties": false,
                },
            },
        },
        "required": ["facts"],
        "additionalProperties": false,
    })
}
