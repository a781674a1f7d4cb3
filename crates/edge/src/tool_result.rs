//! The result of a tool call as JSON.

use serde_json::Value;

/// What every revision has of it. The text is in it twice, and is escaped once. `ending` is further fields, each behind
/// a comma.
pub(crate) fn tool_result(text: &str, is_error: bool, meta: &Value, ending: &str) -> String {
    let text = Value::from(text).to_string();
    format!(
        r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{{"result":{text}}},"isError":{is_error},"_meta":{meta}{ending}}}"#
    )
}
