//! JSON-RPC 2.0: reading one message, and writing one answer.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::time::Duration;

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const INTERNAL_ERROR: i64 = -32603;
pub(crate) const BUSY: i64 = -32000;
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;

/// The id of a request as JSON, in the exact characters in which it came: a number may be larger than any integer type
/// of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Id(String);

impl Id {
    /// What an error carries when the id of the request could not be read.
    fn unreadable() -> Self {
        Self(r#""server-error""#.to_owned())
    }

    /// `None` for anything but a string or a whole number.
    fn read(id: &Value, message: &[u8]) -> Option<Self> {
        if id.is_string() || id.is_i64() || id.is_u64() {
            return Some(Self(id.to_string()));
        }
        id.as_f64().filter(|number| number.fract() == 0.0)?;
        let sent: HashMap<String, Box<RawValue>> = serde_json::from_slice(message).ok()?;
        sent.get("id").map(|id| Self(id.get().to_owned()))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    Request {
        id: Id,
        method: String,
        params: Map<String, Value>,
    },
    Notification {
        method: String,
        params: Map<String, Value>,
    },
    /// An answer to what we asked; `None` for an error.
    Response {
        id: Id,
        result: Option<Value>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RpcError {
    pub code: i64,
    pub message: String,
    /// What a program may want to know about it; boxed, because most errors have nothing to add.
    pub data: Option<Box<Value>>,
    /// When the same request may succeed, where it only came too soon.
    pub retry_after: Option<Duration>,
}

impl RpcError {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, retry_after: None }
    }

    pub fn with_data(self, data: Value) -> Self {
        Self { data: Some(Box::new(data)), ..self }
    }

    /// Too much was asked for in too little time.
    pub fn busy(message: String, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(BUSY, message) }
    }

    pub fn answer(&self, id: Option<&Id>) -> String {
        let id = id.cloned().unwrap_or_else(Id::unreadable);
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Some(fields), Some(data)) = (error.as_object_mut(), &self.data) {
            fields.insert("data".to_owned(), Value::clone(data));
        }
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
    }
}

/// A message that cannot be served, with its id where that much could be read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unreadable {
    pub id: Option<Id>,
    pub error: RpcError,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Message, Unreadable> {
    let value: Value = serde_json::from_slice(bytes).map_err(|e| Unreadable {
        id: None,
        error: RpcError::new(
            PARSE_ERROR,
            format!("Parse error: the body is not JSON (line {}, column {})", e.line(), e.column()),
        ),
    })?;
    let Value::Object(mut object) = value else {
        let what = if value.is_array() {
            "batches are not taken; send one message"
        } else {
            "the message is not an object"
        };
        return Err(invalid(None, what));
    };
    let id = match object.remove("id") {
        None => None,
        Some(id) => match Id::read(&id, bytes) {
            Some(id) => Some(id),
            None => return Err(invalid(None, "'id' must be a string or a whole number")),
        },
    };
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid(id, "'jsonrpc' must be \"2.0\""));
    }
    let method = match object.remove("method") {
        Some(Value::String(method)) => method,
        None if object.contains_key("result") || object.contains_key("error") => {
            let id = id.ok_or_else(|| invalid(None, "an answer must have the 'id' of its question"))?;
            return Ok(Message::Response { id, result: object.remove("result") });
        }
        _ => return Err(invalid(id, "'method' must be a string")),
    };
    let params = match object.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(invalid(id, "'params' must be an object")),
    };
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

fn invalid(id: Option<Id>, why: &str) -> Unreadable {
    Unreadable { id, error: RpcError::new(INVALID_REQUEST, format!("Invalid Request: {why}")) }
}

/// The `arguments` among the parameters; left out, there are none.
pub(crate) fn arguments(params: &mut Map<String, Value>) -> Result<Map<String, Value>, RpcError> {
    match params.remove("arguments") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(arguments)) => Ok(arguments),
        Some(_) => Err(RpcError::new(INVALID_PARAMS, "'arguments' must be an object")),
    }
}

/// Writes the answer to a request after what `out` already holds, around a result that is already serialized.
pub(crate) fn write_answer(out: &mut String, id: &Id, outcome: &Result<Cow<'_, str>, RpcError>) {
    match outcome {
        Ok(result) => {
            // Writing to a string does not fail.
            let _ = write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        }
        Err(error) => {
            out.push_str(&error.answer(Some(id)));
        }
    }
}

pub(crate) fn answer(id: &Id, outcome: &Result<Cow<'_, str>, RpcError>) -> String {
    let mut text = String::new();
    write_answer(&mut text, id, outcome);
    text
}

#[cfg(test)]
mod tests {
    use super::{Message, RpcError, answer, read};

    /// How the id comes back in an answer; `None` where the message is not taken.
    fn echoed(id: &str) -> Option<String> {
        let message = format!(r#"{{"jsonrpc":"2.0","params":{{"id":7}},"id":{id},"method":"ping"}}"#);
        let Ok(Message::Request { id, .. }) = read(message.as_bytes()) else { return None };
        let good = answer(&id, &Ok("{}".into()));
        let bad = answer(&id, &Err(RpcError::new(-1, "no")));
        let back = good.strip_prefix(r#"{"jsonrpc":"2.0","id":"#)?.strip_suffix(r#","result":{}}"#)?;
        assert!(bad.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{back},"error":"#)), "{bad}");
        Some(back.to_owned())
    }

    #[test]
    fn an_id_is_echoed_as_sent() {
        for id in [
            "1",
            "-1",
            "3.0",
            "1e3",
            r#""a b""#,
            "9007199254740992",
            "9007199254740993",
            "18446744073709551615",
            "18446744073709551617",
            "-9223372036854775809",
            "123456789012345678901234567890",
        ] {
            assert_eq!(echoed(id).as_deref(), Some(id));
        }
        for id in ["1.5", "null", "true", "[]", "{}"] {
            assert_eq!(echoed(id), None, "{id}");
        }
    }
}
