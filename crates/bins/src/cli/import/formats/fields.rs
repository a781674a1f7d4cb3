//! The fields of an object. What is missing, null or empty is none. What is there and cannot be taken as it says is an
//! error: nothing is lost without a word.

use crate::cli::import::record::is_empty;
use domain::{Timestamp, moment};
use evidence::Hash;
use serde_json::{Map, Value};

/// A text, or a number in the place of one.
pub fn text(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    Ok(id(fields, name)?.map(|text| text.trim().to_owned()))
}

/// As it is, since `bob ` is another user than `bob`.
pub fn id(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    let text = match fields.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(other) => return Err(wrong(name, other, "a text")),
    };
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

pub fn number(fields: &Map<String, Value>, name: &str) -> Result<Option<f64>, String> {
    let Some(value) = fields.get(name).filter(|value| !is_empty(value)) else { return Ok(None) };
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    };
    number.map(Some).ok_or_else(|| wrong(name, value, "a number"))
}

/// The first of these times that is given.
pub fn time(fields: &Map<String, Value>, names: &[&str]) -> Result<Option<Timestamp>, String> {
    let given =
        names.iter().find_map(|name| Some((name, fields.get(*name).filter(|value| !is_empty(value))?)));
    let Some((name, value)) = given else { return Ok(None) };
    let read = match value {
        Value::String(text) => moment(text),
        Value::Number(number) => moment(&number.to_string()),
        _ => None,
    };
    read.map(Some).ok_or_else(|| wrong(name, value, "a time such as 2026-11-18T12:00:00Z"))
}

/// The record's id, or one that is made of what it says.
pub fn id_of(fields: &Map<String, Value>, name: &str) -> Result<String, String> {
    Ok(id(fields, name)?.unwrap_or_else(|| made_id(&Value::Object(fields.clone()).to_string())))
}

/// An id for what has none: the same words get the same one.
pub fn made_id(words: &str) -> String {
    Hash::of(words.as_bytes()).to_string().chars().take(16).collect()
}

pub fn wrong(name: &str, value: &Value, needed: &str) -> String {
    const SHOWN: usize = 80;
    let mut shown = value.to_string();
    if let Some((cut, _)) = shown.char_indices().nth(SHOWN) {
        shown.truncate(cut);
        shown.push('…');
    }
    format!("'{name}' is {shown}, which is not {needed}")
}
