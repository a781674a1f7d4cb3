//! The chat format of Anthropic. JSON is asked for through a tool that the model is made to call.

use crate::completion::{Completion, Ended, Prompt, Want};
use crate::dialect::{Dialect, Format, Temperature};
use crate::error::ModelError;
use crate::schema;
use serde_json::{Value, json};

const TOOL: &str = "record_facts";

pub(crate) fn body(model: &str, dialect: &Dialect, prompt: &Prompt, want: Want) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": want.tokens(dialect),
        "system": prompt.system,
        "messages": [{ "role": "user", "content": prompt.user }],
    });
    if let Value::Object(fields) = &mut body {
        if dialect.temperature == Temperature::Zero {
            fields.insert("temperature".to_owned(), json!(0));
        }
        if matches!(want, Want::Facts { .. }) && dialect.format() == Format::Schema {
            let description = "Records the facts of the new statement. The only way to reply.";
            let tool =
                json!({ "name": TOOL, "description": description, "input_schema": schema::extraction() });
            fields.insert("tools".to_owned(), json!([tool]));
            fields.insert("tool_choice".to_owned(), json!({ "type": "tool", "name": TOOL }));
        }
    }
    body
}

/// The tool's input, or else the text: a compatible endpoint may not know tools, and the model then writes.
pub(crate) fn completion(reply: &Value) -> Result<Completion, ModelError> {
    let blocks = reply
        .get("content")
        .and_then(Value::as_array)
        .ok_or(ModelError::BadReply { detail: "it has no content, as a message must" })?;
    let handed = blocks.iter().find(|b| b.get("name").and_then(Value::as_str) == Some(TOOL));
    let text = match handed.and_then(|b| b.get("input")) {
        Some(input) => input.to_string(),
        None => blocks.iter().filter_map(|b| b.get("text")?.as_str()).collect(),
    };
    let cut = reply.get("stop_reason").and_then(Value::as_str) == Some("max_tokens");
    Ok(Completion { text, ended: if cut { Ended::AtLimit } else { Ended::ByItself } })
}
