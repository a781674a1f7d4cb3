//! Putting one entry into a file that somebody else owns, and taking it out again.

use super::document::Format;
use super::fault::Fault;
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
    let there = find(&before, section)?;
    if there == Some(entry) {
        return Ok(Merged::Same);
    }
    let replaced = there.map(|there| format.show(there));
    if let (Some(there), Existing::Keep) = (&replaced, existing) {
        return Ok(Merged::Differs { there: there.clone(), ours: format.show(entry) });
    }
    let changed = format.put(text, section, entry)?;
    // Whatever is unusual about the file, what we write says what it said before, and our entry, and nothing else.
    if format.read(&changed).ok() != Some(with(before, section, entry)) {
        return Err(Fault::unusual("the file is laid out in a way that this program cannot add to safely"));
    }
    Ok(Merged::Changed { text: changed, replaced })
}

/// The text without our entry, and the entry; `None` where there is none.
pub fn remove(format: Format, section: &str, text: &str) -> Result<Option<(String, String)>, Fault> {
    let before = format.read(text)?;
    let Some(there) = find(&before, section)? else { return Ok(None) };
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
    let servers = settings.get_mut(section).and_then(Value::as_object_mut);
    let is_empty = servers.is_some_and(|servers| {
        servers.shift_remove(NAME);
        servers.is_empty()
    });
    if is_empty {
        settings.shift_remove(section);
    }
    file
}

fn find<'a>(file: &'a Value, section: &str) -> Result<Option<&'a Value>, Fault> {
    match file.get(section) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(servers)) => Ok(servers.get(NAME)),
        _ => Err(Fault::unusual(format!("'{section}' in it is not what the client expects"))),
    }
}

/// The file with our entry, as values.
fn with(mut file: Value, section: &str, entry: &Value) -> Value {
    let Some(settings) = file.as_object_mut() else { return file };
    let servers = settings.entry(section).or_insert(Value::Null);
    if servers.is_null() {
        *servers = Value::Object(Map::new());
    }
    if let Some(servers) = servers.as_object_mut() {
        servers.insert(NAME.to_owned(), entry.clone());
    }
    file
}
