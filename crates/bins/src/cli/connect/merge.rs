//! One entry into a file that somebody else owns.

use super::document::{Fault, Format};
use super::server::NAME;
use serde_json::{Map, Value};

/// What becomes of an entry of our name that says something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Keep,
    Replace,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// Our entry is there already.
    Same,
    /// An entry of our name says something else.
    Differs {
        there: String,
        ours: String,
    },
    Changed {
        text: String,
        replaced: Option<String>,
    },
}

pub fn merge(
    format: Format,
    section: &str,
    text: &str,
    entry: &Value,
    existing: Existing,
) -> Result<Merged, Fault> {
    let before = format.read(text)?;
    let there = find(format, &before, section)?;
    if there == Some(entry) {
        return Ok(Merged::Same);
    }
    let replaced = there.map(|there| format.show(there));
    if let (Some(there), Existing::Keep) = (&replaced, existing) {
        return Ok(Merged::Differs { there: there.clone(), ours: format.show(entry) });
    }
    let changed = format.put(text, section, entry)?;
    // Whatever is unusual about the file, what we write says what it said before, and our entry, and nothing else.
    if format.read(&changed).ok() != Some(with(format, before, section, entry)) {
        return Err(Fault::unusual("the file is laid out in a way that this program cannot add to safely"));
    }
    Ok(Merged::Changed { text: changed, replaced })
}

/// The text without our entry, and the entry; `None` where there is none.
pub fn remove(format: Format, section: &str, text: &str) -> Result<Option<(String, String)>, Fault> {
    let before = format.read(text)?;
    let Some(there) = find(format, &before, section)? else { return Ok(None) };
    let removed = format.show(there);
    let changed = format.take(text, section)?;
    if format.read(&changed).ok() != Some(without(before, section)) {
        return Err(Fault::unusual(
            "the file is laid out in a way that this program cannot take from safely",
        ));
    }
    Ok(Some((changed, removed)))
}

/// The file without our entry, as values.
fn without(mut file: Value, section: &str) -> Value {
    let Some(settings) = file.as_object_mut() else { return file };
    let is_empty = match settings.get_mut(section) {
        Some(Value::Object(servers)) => {
            servers.shift_remove(NAME);
            servers.is_empty()
        }
        Some(Value::Array(servers)) => {
            servers.retain(|server| !is_ours(server));
            servers.is_empty()
        }
        _ => false,
    };
    if is_empty {
        settings.shift_remove(section);
    }
    file
}

fn find<'a>(format: Format, file: &'a Value, section: &str) -> Result<Option<&'a Value>, Fault> {
    match (format, file.get(section)) {
        (_, None | Some(Value::Null)) => Ok(None),
        (Format::Json | Format::Toml, Some(Value::Object(servers))) => Ok(servers.get(NAME)),
        (Format::Yaml, Some(Value::Array(servers))) => Ok(servers.iter().find(|server| is_ours(server))),
        _ => Err(Fault::unusual(format!("'{section}' in it is not what the client expects"))),
    }
}

fn is_ours(server: &Value) -> bool {
    server.get("name").and_then(Value::as_str) == Some(NAME)
}

/// The file with our entry, as values.
fn with(format: Format, mut file: Value, section: &str, entry: &Value) -> Value {
    let Some(settings) = file.as_object_mut() else { return file };
    if format == Format::Yaml && settings.is_empty() {
        settings.extend(super::yaml::heading());
    }
    let servers = settings.entry(section).or_insert(Value::Null);
    match format {
        Format::Json | Format::Toml => {
            if servers.is_null() {
                *servers = Value::Object(Map::new());
            }
            if let Some(servers) = servers.as_object_mut() {
                servers.insert(NAME.to_owned(), entry.clone());
            }
        }
        Format::Yaml => {
            if servers.is_null() {
                *servers = Value::Array(Vec::new());
            }
            if let Some(servers) = servers.as_array_mut() {
                match servers.iter_mut().find(|server| is_ours(server)) {
                    Some(there) => *there = entry.clone(),
                    None => servers.push(entry.clone()),
                }
            }
        }
    }
    file
}
