//! Plain JSONL, which `svc export` writes too, and CSV with the same names as columns.

use super::fields::{id_of, number, string};
use super::found::{File, found};
use crate::cli::import::csv_rows::rows;
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Earlier, Place, Reading, Record, State};
use crate::cli::moment::{moment, moment_of};
use domain::Status;
use serde_json::{Map, Value};
use std::path::Path;

/// What has a place of its own in a fact. Anything else goes into its metadata.
const NAMES: [&str; 23] = [
    "id",
    "user_id",
    "agent_id",
    "run_id",
    "subject",
    "value",
    "text",
    "scope",
    "kind",
    "status",
    "confidence",
    "source",
    "metadata",
    "head",
    "relation",
    "tail",
    "supersedes",
    "pending",
    "refined_from",
    "created",
    "created_at",
    "changed",
    "updated_at",
];

pub fn read_jsonl(files: &[File], reading: &mut Reading) {
    let found = found(files, reading, |key, fields| match key {
        // The reply of `export_memory` holds the facts as `records`.
        "" if fields.contains_key("records") => See::Enter,
        "" | "records" => See::Take,
        _ => See::Pass,
    });
    for object in found {
        reading.take(object.place.clone(), record(object.place, &object.fields));
    }
}

pub fn read_csv(files: &[File], reading: &mut Reading) {
    files.iter().for_each(|file| read_table(&file.path, &file.text, reading));
}

fn read_table(file: &Path, text: &str, reading: &mut Reading) {
    let mut rows = rows(text).into_iter();
    let Some(header) = rows.next() else {
        return reading.take(Place::new(file, 1), Err("the table has no header".to_owned()));
    };
    let names: Vec<String> = header.fields.iter().map(|name| name.trim().to_lowercase()).collect();
    for row in rows {
        let place = Place::new(file, row.line);
        if row.is_cut {
            reading.take(place, Err("a quote is opened here and never closed".to_owned()));
            continue;
        }
        if row.fields.len() != names.len() {
            let why = format!("the row has {} fields, and the header {}", row.fields.len(), names.len());
            reading.take(place, Err(why));
            continue;
        }
        let fields: Map<String, Value> = names
            .iter()
            .zip(&row.fields)
            .filter(|(_, value)| !value.trim().is_empty())
            .map(|(name, value)| (name.clone(), value.trim().into()))
            .collect();
        reading.take(place.clone(), record(place, &fields));
    }
}

fn record(place: Place, fields: &Map<String, Value>) -> Result<Record, String> {
    let id = id_of(fields, "id");
    let mut record = match (string(fields, "subject"), string(fields, "value"), string(fields, "text")) {
        (Some(subject), Some(value), text) => Record { text, ..Record::fact(place, id, subject, value) },
        (None, _, Some(words)) | (None, Some(words), None) => Record::words(place, id, words),
        (Some(_), None, _) => return Err("there is a 'subject' and no 'value'".to_owned()),
        (None, None, None) => {
            return Err("there is neither a 'subject' with a 'value' nor a 'text'".to_owned());
        }
    };
    for (name, place) in
        [("user_id", &mut record.user), ("agent_id", &mut record.agent), ("run_id", &mut record.run)]
    {
        *place = string(fields, name);
    }
    record.scope = string(fields, "scope");
    record.source = string(fields, "source");
    record.confidence = number(fields, "confidence");
    record.kind = match string(fields, "kind").as_deref() {
        None | Some("state") => None,
        Some("event") => Some("event"),
        Some(other) => return Err(format!("the kind '{other}' is neither 'state' nor 'event'")),
    };
    for (name, part) in [
        ("head", &mut record.triple.head),
        ("relation", &mut record.triple.relation),
        ("tail", &mut record.triple.tail),
    ] {
        *part = string(fields, name).unwrap_or_default();
    }
    record.created = time(fields, &["created", "created_at"])?;
    let changed = time(fields, &["changed", "updated_at"])?;
    record.changed = changed;
    record.state = state(string(fields, "status").as_deref(), changed)?;
    record.supersedes = string(fields, "supersedes");
    record.pending = fields.get("pending").filter(|pending| pending.is_object()).cloned();
    for earlier in fields.get("refined_from").and_then(Value::as_array).into_iter().flatten() {
        let value = earlier.get("value").and_then(Value::as_str);
        let until = moment(earlier.get("until"));
        let (Some(value), Some(until)) = (value, until) else {
            return Err("an entry of 'refined_from' lacks its 'value' or its 'until'".to_owned());
        };
        record.earlier.push(Earlier { value: value.to_owned(), until });
    }
    if let Some(Value::Object(metadata)) = fields.get("metadata") {
        record.metadata = metadata.clone();
    }
    for (name, value) in fields.iter().filter(|(name, _)| !NAMES.contains(&name.as_str())) {
        record.keep(name, Some(value));
    }
    Ok(record)
}

fn state(status: Option<&str>, changed: Option<domain::Timestamp>) -> Result<State, String> {
    let Some(word) = status else { return Ok(State::Current) };
    let is = |status: Status| status.word().eq_ignore_ascii_case(word);
    match () {
        () if is(Status::Active) => Ok(State::Current),
        () if is(Status::Superseded) => Ok(State::Ended(changed)),
        () if is(Status::Historical) => Ok(State::Past),
        () if is(Status::FlaggedConflict) => Ok(State::Waiting),
        () => Err(format!("the status '{word}' is none of ACTIVE, SUPERSEDED, HISTORICAL, FLAGGED_CONFLICT")),
    }
}

/// A time that cannot be read would be lost without a word, so the record is not taken.
fn time(fields: &Map<String, Value>, names: &[&str]) -> Result<Option<domain::Timestamp>, String> {
    let Some((name, value)) = names.iter().find_map(|name| Some((name, fields.get(*name)?))) else {
        return Ok(None);
    };
    let read = match value {
        Value::Null => return Ok(None),
        Value::String(text) if text.is_empty() => return Ok(None),
        Value::String(text) => moment_of(text),
        other => moment(Some(other)),
    };
    read.map(Some)
        .ok_or_else(|| format!("'{name}' is {value}, which is not a time such as 2026-11-18T12:00:00Z"))
}
