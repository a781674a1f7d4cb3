//! The fields of an object, read leniently: what is missing and what is null is the same.

use evidence::Hash;
use serde_json::{Map, Value};

/// A text, or a number in the place of one.
pub fn string(fields: &Map<String, Value>, name: &str) -> Option<String> {
    let text = match fields.get(name)? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

pub fn number(fields: &Map<String, Value>, name: &str) -> Option<f64> {
    match fields.get(name)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The record's id, or one that is made of what it says.
pub fn id_of(fields: &Map<String, Value>, name: &str) -> String {
    string(fields, name).unwrap_or_else(|| made_id(&Value::Object(fields.clone()).to_string()))
}

/// An id for what has none: the same words get the same one.
pub fn made_id(words: &str) -> String {
    Hash::of(words.as_bytes()).to_string().chars().take(16).collect()
}
