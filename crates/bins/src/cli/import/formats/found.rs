//! The objects of all files of an import. What one file names by an id, another may hold.

use crate::cli::import::json_objects::{See, objects};
use crate::cli::import::record::{Place, Reading};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug)]
pub struct File {
    pub path: PathBuf,
    /// The path inside the folder that was named, or the name of a file that was named itself.
    pub inside: PathBuf,
    /// As reports show it.
    pub name: Arc<str>,
    pub text: String,
}

impl File {
    pub fn place(&self, line: usize) -> Place {
        Place { file: self.name.clone(), line }
    }
}

#[derive(Debug)]
pub struct Found {
    pub place: Place,
    /// The name under which it, or the list that it is in, is found; empty at the top.
    pub key: String,
    pub fields: Map<String, Value>,
}

/// What a reader wants of the files. Damaged lines are noted, and so is a file that holds nothing for it. Of each file
/// only the objects stay in memory.
pub fn found(
    files: impl Iterator<Item = File>,
    reading: &mut Reading,
    see: impl Fn(&str, &Map<String, Value>) -> See,
) -> Vec<Found> {
    let mut all = Vec::new();
    for file in files {
        let objects = objects(&file.text, &see);
        if objects.taken.is_empty() && objects.damaged.is_empty() && !holds_nothing(&file.text) {
            let why = "nothing in this file is in the form that was named with --from".to_owned();
            reading.take(file.place(1), Err(why));
        }
        for ((line, _), why) in objects.damaged {
            reading.take(file.place(line), Err(why));
        }
        let placed = objects.taken.into_iter().map(|object| Found {
            place: file.place(object.line),
            key: object.key,
            fields: object.fields,
        });
        all.extend(placed);
    }
    all
}

/// Whether a memory is empty, rather than in another form.
fn holds_nothing(text: &str) -> bool {
    let is_empty_list = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => {
            let mut lists = fields.values().filter(|value| value.is_array()).peekable();
            lists.peek().is_some() && lists.all(is_empty_list)
        }
        Ok(value) => is_empty_list(&value),
        Err(_) => text.trim().is_empty(),
    }
}
