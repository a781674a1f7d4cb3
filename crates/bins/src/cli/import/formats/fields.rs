//! The fields of an object. What is missing, null or empty is none. What is there and cannot be taken as it says is an
//! error: nothing is lost without a word.

use crate::cli::import::json::Found;
use crate::cli::import::record::{Record, is_empty};
use domain::{Timestamp, moment};
use evidence::Hash;
use serde_json::{Map, Value};

impl Found {
    /// The words under that name, with what memories commonly say of theirs.
    pub fn words(&self, name: &str) -> Result<Record, String> {
        let words = self.needed(name)?;
        let mut record = Record::words(self.place.clone(), self.own_id("id")?, words);
        record.user = id(&self.fields, "user_id")?;
        record.agent = id(&self.fields, "agent_id")?;
        record.run = id(&self.fields, "run_id")?;
        record.created = time(&self.fields, &["created_timestamp", "created_at"])?;
        record.changed = time(&self.fields, &["updated_at"])?;
        record.keep_metadata(self.fields.get("metadata"));
        record.keep("source_created_at", self.fields.get("created_at"));
        Ok(record)
    }

    pub fn needed(&self, name: &str) -> Result<String, String> {
        text(&self.fields, name)?.ok_or_else(|| format!("there is no text in '{name}'"))
    }

    /// The record's id, or one that is made of what it says.
    pub fn own_id(&self, name: &str) -> Result<String, String> {
        let made = || made_id(&[&Value::Object(self.fields.clone()).to_string()]);
        Ok(id(&self.fields, name)?.unwrap_or_else(made))
    }
}

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

/// The first of these times that is given.
pub fn time(fields: &Map<String, Value>, names: &[&str]) -> Result<Option<Timestamp>, String> {
    let mut given = names.iter().filter_map(|name| Some((*name, fields.get(*name)?)));
    let Some((name, value)) = given.find(|(_, value)| !is_empty(value)) else { return Ok(None) };
    let read = match value {
        Value::String(text) => moment(text),
        Value::Number(number) => moment(&number.to_string()),
        _ => None,
    };
    read.map(Some).ok_or_else(|| wrong(name, value, "a time such as 2026-11-18T12:00:00Z"))
}

/// An id for what has none: the same words get the same one.
pub fn made_id(words: &[&str]) -> String {
    Hash::of(words.join("\u{1f}").as_bytes()).to_string().chars().take(16).collect()
}

pub fn wrong(name: &str, value: &Value, needed: &str) -> String {
    const SHOWN: usize = 80;
    let shown: String = value.to_string().chars().take(SHOWN).collect();
    format!("'{name}' is {shown}, which is not {needed}")
}
