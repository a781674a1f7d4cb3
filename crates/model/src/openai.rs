//! The chat format of OpenAI, Groq and the many compatible endpoints.

use crate::completion::{Completion, Ended, Prompt, Want};
use crate::dialect::{Dialect, Format, Temperature};
use crate::error::ModelError;
use crate::schema;
use serde_json::{Value, json};

pub(crate) fn body(model: &str, dialect: &Dialect, prompt: &Prompt, want: Want) -> Value {
    let mut body = json!({
        "model": model,
        "messages": [
            { "role": "system", "content": prompt.system },
            { "role": "user", "content": prompt.user },
        ],
    });
    let optional = [
        dialect.limit().parameter().map(|name| (name, json!(want.tokens(dialect)))),
        (dialect.temperature == Temperature::Zero).then(|| ("temperature", json!(0))),
        response_format(dialect, want).map(|format| ("response_format", format)),
    ];
    if let Value::Object(fields) = &mut body {
        fields.extend(optional.into_iter().flatten().map(|(name, value)| (name.to_owned(), value)));
    }
    body
}

fn response_format(dialect: &Dialect, want: Want) -> Option<Value> {
    if !matches!(want, Want::Facts { .. }) {
        return None;
    }
    match dialect.format() {
        Format::Schema => Some(json!({
            "type": "json_schema",
            "json_schema": { "name": "extraction", "strict": true, "schema": schema::extraction() },
        })),
        Format::Object => Some(json!({ "type": "json_object" })),
        Format::Prompt => None,
    }
}

pub(crate) fn completion(reply: &Value) -> Result<Completion, ModelError> {
    let choice = reply
        .pointer("/choices/0")
        .ok_or(ModelError::BadReply { detail: "it has no choices, as a chat completion must" })?;
    let text = choice.pointer("/message/content").map(content).unwrap_or_default();
    let cut = choice.get("finish_reason").and_then(Value::as_str) == Some("length");
    Ok(Completion { text, ended: if cut { Ended::AtLimit } else { Ended::ByItself } })
}

/// One string, or parts, of which only those with text count. A refusal has neither, and counts as an empty text.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|p| p.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// Groq checks JSON only after the model wrote it, and reports the model's mistake as a fault of the request.
pub(crate) fn blames_the_model(complaint: &str) -> bool {
    complaint.contains("json_validate_failed")
}
