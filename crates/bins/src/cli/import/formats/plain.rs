//! Plain JSONL, which `svc export` writes too, and CSV with the same names as columns.

use super::fields::{id, id_of, number, text, time, wrong};
use super::found::{File, found};
use crate::cli::import::csv_rows::rows;
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Earlier, Place, Reading, Record, State, is_empty};
use crate::cli::import::utf8::{NOT_UTF8, is_whole};
use domain::{NoDate, Status, Times, Timestamp, When};
use serde_json::{Map, Value};

/// In these, spaces count.
const IDS: [&str; 5] = ["id", "user_id", "agent_id", "run_id", "supersedes"];
/// What is a list or an object, which a table holds as JSON.
const NESTED: [&str; 3] = ["metadata", "pending", "refined_from"];
/// What has a place of its own in a fact. Anything else goes into its metadata.
const NAMES: [&str; 28] = [
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
    "list",
    "said_at",
    "valid_from",
    "valid_until",
    "ended",
    "created",
    "created_at",
    "changed",
    "updated_at",
];

pub fn read_jsonl(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
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

pub fn read_csv(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
    files.for_each(|file| read_table(&file, reading));
}

fn read_table(file: &File, reading: &mut Reading) {
    let mut rows = rows(&file.text).into_iter();
    let Some(header) = rows.next() else { return };
    let Some(names) = header.fields.filter(|names| names.iter().all(|name| is_whole(name))) else {
        let why = "the header cannot be read, so nothing of the table is".to_owned();
        return reading.take(file.place(header.line), Err(why));
    };
    let names: Vec<String> = names.iter().map(|name| name.trim().to_lowercase()).collect();
    let twice =
        names.iter().enumerate().find(|(n, name)| names.iter().take(*n).any(|before| before == *name));
    if let Some((_, name)) = twice.filter(|(_, name)| !name.is_empty()) {
        let why = format!("the header names '{name}' twice, so nothing of the table is taken");
        return reading.take(file.place(header.line), Err(why));
    }
    for row in rows {
        let place = file.place(row.line);
        reading.take(place.clone(), cells(&names, row.fields).and_then(|fields| record(place, &fields)));
    }
}

fn cells(names: &[String], row: Option<Vec<String>>) -> Result<Map<String, Value>, String> {
    let row = row.ok_or("a quote is opened here and not closed")?;
    if row.len() != names.len() {
        return Err(format!("the row has {} fields, and the header {}", row.len(), names.len()));
    }
    if !row.iter().all(|cell| is_whole(cell)) {
        return Err(NOT_UTF8.to_owned());
    }
    let filled = names.iter().zip(row).filter(|(_, cell)| !cell.trim().is_empty());
    Ok(filled.map(|(name, cell)| (name.clone(), value(name, &cell))).collect())
}

fn value(name: &str, cell: &str) -> Value {
    let nested = NESTED.contains(&name).then(|| serde_json::from_str(cell).ok()).flatten();
    nested.unwrap_or_else(|| if IDS.contains(&name) { cell.into() } else { cell.trim().into() })
}

fn record(place: Place, fields: &Map<String, Value>) -> Result<Record, String> {
    let own = id_of(fields, "id")?;
    let mut record = match (text(fields, "subject")?, text(fields, "value")?, text(fields, "text")?) {
        (Some(subject), Some(value), text) => Record { text, ..Record::fact(place, own, subject, value) },
        (None, _, Some(words)) | (None, Some(words), None) => Record::words(place, own, words),
        (Some(_), None, _) => return Err("there is a 'subject' and no 'value'".to_owned()),
        (None, None, None) => {
            return Err("there is neither a 'subject' with a 'value' nor a 'text'".to_owned());
        }
    };
    record.user = id(fields, "user_id")?;
    record.agent = id(fields, "agent_id")?;
    record.run = id(fields, "run_id")?;
    record.scope = text(fields, "scope")?;
    record.source = text(fields, "source")?;
    record.confidence = number(fields, "confidence")?;
    if let (Some(value), false) = (fields.get("confidence"), is_a_share(record.confidence)) {
        return Err(wrong("confidence", value, "a number from 0 to 1"));
    }
    record.kind = match text(fields, "kind")?.as_deref() {
        None | Some("state") => None,
        Some("event") => Some("event"),
        Some(other) => return Err(format!("the kind '{other}' is neither 'state' nor 'event'")),
    };
    for (name, part) in [
        ("head", &mut record.triple.head),
        ("relation", &mut record.triple.relation),
        ("tail", &mut record.triple.tail),
    ] {
        *part = text(fields, name)?.unwrap_or_default();
    }
    record.times = Times {
        said: date(fields, "said_at")?,
        from: date(fields, "valid_from")?,
        until: date(fields, "valid_until")?,
        ended: time(fields, &["ended"])?,
    };
    record.list = matches!(fields.get("list"), Some(Value::Bool(true)));
    record.created = time(fields, &["created", "created_at"])?;
    if let Some(said) = record.times.said {
        record.created = Some(said.first());
    }
    record.changed = time(fields, &["changed", "updated_at"])?;
    record.state = state(text(fields, "status")?.as_deref(), record.changed)?;
    record.supersedes = id(fields, "supersedes")?;
    record.pending = match fields.get("pending") {
        Some(pending) if !is_empty(pending) && !pending.is_object() => {
            return Err(wrong("pending", pending, "an object"));
        }
        pending => pending.filter(|pending| pending.is_object()).cloned(),
    };
    record.earlier = refined_from(fields.get("refined_from"))?;
    record.keep_metadata(fields.get("metadata"));
    for (name, value) in fields.iter().filter(|(name, _)| !NAMES.contains(&name.as_str())) {
        record.keep(name, Some(value));
    }
    Ok(record)
}

/// A date that may be as vague as a year.
fn date(fields: &Map<String, Value>, name: &str) -> Result<Option<When>, String> {
    let read = |text: String| text.parse().map_err(|why: NoDate| format!("'{name}' is '{text}': {why}"));
    text(fields, name)?.map(read).transpose()
}

fn is_a_share(number: Option<f64>) -> bool {
    number.is_none_or(|number| (0.0..=1.0).contains(&number))
}

fn refined_from(value: Option<&Value>) -> Result<Vec<Earlier>, String> {
    let Some(value) = value.filter(|value| !is_empty(value)) else { return Ok(Vec::new()) };
    let entries = value.as_array().ok_or_else(|| wrong("refined_from", value, "a list"))?;
    entries.iter().map(earlier).collect()
}

fn earlier(entry: &Value) -> Result<Earlier, String> {
    let fields = entry.as_object().ok_or_else(|| wrong("refined_from", entry, "a list of objects"))?;
    let (value, until) = (text(fields, "value")?, time(fields, &["until"])?);
    let (value, until) =
        value.zip(until).ok_or("an entry of 'refined_from' lacks its 'value' or its 'until'")?;
    Ok(Earlier { value, until })
}

fn state(status: Option<&str>, changed: Option<Timestamp>) -> Result<State, String> {
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
