//! The objects of JSON files: of one document, or one after the other, such as one a line.

use super::files::File;
use super::record::{Place, is_empty};
use domain::limits;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Error, Map, Value};
use std::collections::BTreeMap;

/// What a reader wants of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum See {
    /// It is a record, or what a record needs.
    Take,
    /// There is nothing in it for a memory.
    Pass,
    /// Look at what is inside.
    Enter,
}

#[derive(Debug)]
pub struct Found {
    pub place: Place,
    /// The name under which it, or the list that it is in, is found; empty at the top.
    pub key: String,
    pub fields: Map<String, Value>,
}

/// What a reader wants of the files; what one file names by an id, another may hold. A file that is damaged, or holds
/// nothing for the reader, is refused.
pub fn found(files: &[File], see: impl Fn(&str, &Map<String, Value>) -> See) -> Result<Vec<Found>, String> {
    let mut all = Vec::new();
    for file in files {
        all.append(&mut objects(file, &file.text()?, &see)?);
    }
    Ok(all)
}

pub fn objects(
    file: &File,
    text: &str,
    see: &impl Fn(&str, &Map<String, Value>) -> See,
) -> Result<Vec<Found>, String> {
    let parts: Vec<(&str, usize)> =
        if is_lines(text) { text.lines().zip(1..).collect() } else { vec![(text, 1)] };
    let (mut taken, mut is_nothing) = (Vec::new(), true);
    for (part, line) in parts {
        for value in Deserializer::from_str(part).into_iter::<Value>() {
            is_nothing &= holds_nothing(&value.map_err(|error| damaged(file, line, &error))?);
        }
        for value in Deserializer::from_str(part).into_iter::<&RawValue>() {
            let walked = value.and_then(|value| walk(value.get(), "", 0, see, &mut taken));
            walked.map_err(|error| damaged(file, line, &error))?;
        }
    }
    if taken.is_empty() && !is_nothing {
        return Err(format!(
            "{}: nothing in this file is in the form that was named with --from.",
            file.name
        ));
    }
    let at = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    taken.sort_by_key(|(part, ..)| at(part));
    let (mut line, mut counted) = (1, 0);
    let place = |(part, key, fields): (&str, String, Map<String, Value>)| {
        line += text.get(counted..at(part)).unwrap_or_default().matches('\n').count();
        counted = at(part);
        Found { place: file.place(line), key, fields }
    };
    Ok(taken.into_iter().map(place).collect())
}

/// Whether each line is an object of its own, as the first one is.
fn is_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_object = |line: &str| serde_json::from_str::<Map<String, Value>>(line).is_ok();
    lines.next().is_some_and(is_object) && lines.next().is_some()
}

type Taken<'a> = Vec<(&'a str, String, Map<String, Value>)>;

/// Each object and list that is entered is read once more for each of those that it is in.
fn walk<'a>(
    text: &'a str,
    key: &str,
    depth: usize,
    see: &impl Fn(&str, &Map<String, Value>) -> See,
    taken: &mut Taken<'a>,
) -> Result<(), Error> {
    if depth > limits::IMPORT_NESTING && text.starts_with(['[', '{']) {
        return Err(serde::de::Error::custom("records are too deep within other objects"));
    }
    if text.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(text)?;
        return items.into_iter().try_for_each(|item| walk(item.get(), key, depth + 1, see, taken));
    }
    if !text.starts_with('{') {
        return Ok(());
    }
    let fields: Map<String, Value> = serde_json::from_str(text)?;
    match see(key, &fields) {
        See::Take => taken.push((text, key.to_owned(), fields)),
        See::Pass => {}
        See::Enter => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            for (key, value) in fields {
                walk(value.get(), &key, depth + 1, see, taken)?;
            }
        }
    }
    Ok(())
}

fn damaged(file: &File, first_line: usize, error: &Error) -> String {
    let text = error.to_string();
    let why = text.split(" at line ").next().unwrap_or_default();
    let (line, column) = (first_line + error.line().saturating_sub(1), error.column());
    format!("{} cannot be read: {why} at line {line}, column {column}.", file.name)
}

/// Whether a memory is empty, rather than in another form.
fn holds_nothing(value: &Value) -> bool {
    let is_list = |value: &&Value| value.is_array();
    match value {
        Value::Object(fields) => {
            fields.values().any(|value| value.is_array()) && fields.values().filter(is_list).all(is_empty)
        }
        value => value.is_array() && is_empty(value),
    }
}
