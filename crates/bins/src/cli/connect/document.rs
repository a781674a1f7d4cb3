//! The formats of clients' files that this program edits: reading one as plain values, and putting an entry into its
//! text.

use super::fault::Fault;
use super::{json, toml};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With comments and trailing commas, which several clients allow.
    Json,
    Toml,
}

impl Format {
    /// What the text says. An empty one says nothing, as an object.
    pub fn read(self, text: &str) -> Result<Value, Fault> {
        let value = match self {
            Self::Json => json::read(text),
            Self::Toml => toml::read(text),
        }?;
        match value {
            Value::Null => Ok(Value::Object(serde_json::Map::new())),
            Value::Object(_) => Ok(value),
            _ => Err(Fault::unusual("the file holds something else than settings by name")),
        }
    }

    /// The text with the entry in its section; all else stays letter by letter.
    pub(super) fn put(self, text: &str, section: &str, entry: &Value) -> Result<String, Fault> {
        match self {
            Self::Json => json::put(text, section, entry),
            Self::Toml => toml::put(text, section, entry),
        }
    }

    /// The text without our entry, and without the section where nothing else is in it.
    pub(super) fn take(self, text: &str, section: &str) -> Result<String, Fault> {
        match self {
            Self::Json => json::take(text, section),
            Self::Toml => toml::take(text, section),
        }
    }

    /// The entry alone, for a person to read.
    pub(super) fn show(self, entry: &Value) -> String {
        match self {
            Self::Json => serde_json::to_string_pretty(entry).unwrap_or_default(),
            Self::Toml => toml::show(entry),
        }
    }
}
