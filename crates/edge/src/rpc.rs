//! JSON-RPC 2.0: reading one message, and writing one answer.

use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write;

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// What an error carries when the id of the request could not be read.
const UNREADABLE_ID: &str = "server-error";

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    Request {
        id: Value,
        method: String,
        params: Map<String, Value>,
    },
    Notification {
        method: String,
        params: Map<String, Value>,
    },
    /// An answer to what we asked. An error is no result.
    Response {
        id: Value,
        result: Option<Value>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RpcError {
    pub code: i64,
    pub message: String,
    /// What a program may want to know about it; boxed, because most errors have nothing to add.
    pub data: Option<Box<Value>>,
}

impl RpcError {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub fn with_data(self, data: Value) -> Self {
        Self { data: Some(Box::new(data)), ..self }
    }

    pub fn answer(&self, id: Option<&Value>) -> Value {
        let id = id.cloned().unwrap_or_else(|| UNREADABLE_ID.into());
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Some(fields), Some(data)) = (error.as_object_mut(), &self.data) {
            fields.insert("data".to_owned(), Value::clone(data));
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

/// A message that cannot be served, with its id where that much could be read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unreadable {
    pub id: Option<Value>,
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
        Some(id) if id.is_string() || is_whole(&id) => Some(id),
        Some(_) => return Err(invalid(None, "'id' must be a string or a whole number of at most 53 bits")),
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

/// Ids that are numbers: whole, and small enough for every client to read back as it wrote them. `3.0` is the same
/// number as `3`.
pub(crate) const GREATEST_ID: i64 = 9_007_199_254_740_991;

fn is_whole(id: &Value) -> bool {
    let small = |number: f64| number.fract() == 0.0 && number.abs() <= GREATEST_ID as f64;
    id.as_f64().is_some_and(small)
}

fn invalid(id: Option<Value>, why: &str) -> Unreadable {
    Unreadable { id, error: RpcError::new(INVALID_REQUEST, format!("Invalid Request: {why}")) }
}

/// Writes the answer to a request after what `out` already holds, around a result that is already serialized.
pub(crate) fn write_answer(out: &mut String, id: &Value, outcome: &Result<Cow<'_, str>, RpcError>) {
    match outcome {
        Ok(result) => {
            // Writing to a string does not fail.
            let _ = write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        }
        Err(error) => {
            let _ = write!(out, "{}", error.answer(Some(id)));
        }
    }
}

pub(crate) fn answer(id: &Value, outcome: &Result<Cow<'_, str>, RpcError>) -> String {
    let mut text = String::new();
    write_answer(&mut text, id, outcome);
    text
}
