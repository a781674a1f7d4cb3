//! The objects of all files of an import. What one file names by an id, another may hold.

use crate::cli::import::json_objects::{See, objects};
use crate::cli::import::record::{Place, Reading};
use serde_json::{Map, Value};
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct File {
    pub path: PathBuf,
    pub text: String,
}

pub struct Found {
    pub place: Place,
    /// The name under which it, or the list that it is in, is found; empty at the top.
    pub key: String,
    pub fields: Map<String, Value>,
}

/// What a reader wants of the files. Damaged lines are noted, and so is a file that holds nothing for it.
pub fn found(
    files: &[File],
    reading: &mut Reading,
    see: impl Fn(&str, &Map<String, Value>) -> See,
) -> Vec<Found> {
    let mut all = Vec::new();
    for file in files {
        let objects = objects(&file.text, &see);
        if objects.taken.is_empty() && objects.damaged.is_empty() {
            let why = "nothing in this file is in the form that was named with --from".to_owned();
            reading.take(Place::new(&file.path, 1), Err(why));
        }
        for (line, why) in objects.damaged {
            reading.take(Place::new(&file.path, line), Err(why));
        }
        let placed = objects.taken.into_iter().map(|object| Found {
            place: Place::new(&file.path, object.line),
            key: object.key,
            fields: object.fields,
        });
        all.extend(placed);
    }
    all
}
