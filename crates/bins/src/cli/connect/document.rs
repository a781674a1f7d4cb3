//! The formats of the clients' files: reading one as plain values, and putting an entry into its text.

use super::{json, toml, yaml};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With comments and trailing commas, which several clients allow.
    Json,
    Toml,
    /// Servers stand in a list here, each with its name.
    Yaml,
}

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("line {line}, column {column}: {problem}. Mend that and try again; nothing was changed")]
    Broken { line: usize, column: usize, problem: String },
    #[error("{0}. Nothing was changed; run it without --write, and put what it shows there yourself")]
    Unusual(String),
}

impl Fault {
    pub(super) fn unusual(why: impl Into<String>) -> Self {
        Self::Unusual(why.into())
    }
}

impl Format {
    /// What the text says. An empty one says nothing, as an object.
    pub fn read(self, text: &str) -> Result<Value, Fault> {
        let value = match self {
            Self::Json => json::read(text),
            Self::Toml => toml::read(text),
            Self::Yaml => yaml::read(text),
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
            Self::Yaml => yaml::put(text, section, entry),
        }
    }

    /// The text without our entry, and without the section where nothing else is in it.
    pub(super) fn take(self, text: &str, section: &str) -> Result<String, Fault> {
        match self {
            Self::Json => json::take(text, section),
            Self::Toml => toml::take(text, section),
            Self::Yaml => yaml::take(text, section),
        }
    }

    /// The entry alone, for a person to read.
    pub(super) fn show(self, entry: &Value) -> String {
        match self {
            Self::Json => serde_json::to_string_pretty(entry).unwrap_or_default(),
            Self::Toml => toml::show(entry),
            Self::Yaml => yaml::item(entry, ""),
        }
    }
}
