//! Plain JSONL, which `svc export` writes too, and CSV with the same names as columns.

use super::fields::{id, text, time, wrong};
use crate::cli::import::csv_rows::rows;
use crate::cli::import::files::File;
use crate::cli::import::json::{Found, See, found};
use crate::cli::import::record::{Reading, Record, State, is_empty};
use domain::{Action, Earlier, NoDate, Pending, Times, Triple, When};
use serde_json::{Map, Value};

/// In these, spaces count.
const IDS: [&str; 5] = ["id", "user_id", "agent_id", "run_id", "supersedes"];
/// What is a list or an object, which a table holds as JSON.
const NESTED: [&str; 3] = ["metadata", "pending", "refined_from"];
/// What has a place of its own in a fact. Anything else goes into its metadata.
const NAMES: &str = "id user_id agent_id run_id subject value text scope kind status confidence source metadata head \
    relation tail supersedes pending refined_from list said_at valid_from valid_until ended created created_at changed \
    updated_at created_timestamp";

pub fn read_jsonl(files: &[File], reading: &mut Reading) -> Result<(), String> {
    let found = found(files, |key, fields| match key {
        // The reply of `export_memory` holds the facts as `records`.
        "" if fields.contains_key("records") => See::Enter,
        "" | "records" => See::Take,
        _ => See::Pass,
    })?;
    found.iter().for_each(|object| reading.take(object.place.clone(), record(object)));
    Ok(())
}

pub fn read_csv(files: &[File], reading: &mut Reading) -> Result<(), String> {
    for file in files {
        let refused = |why: String| format!("{} cannot be read: {why}.", file.name);
        let mut rows = rows(&file.text()?).map_err(refused)?.into_iter();
        let Some((line, header)) = rows.next() else { continue };
        let names: Vec<String> = header.iter().map(|name| name.trim().to_lowercase()).collect();
        for (n, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            if names.iter().take(n).any(|before| before == name) {
                return Err(refused(format!("the header names '{name}' twice at line {line}")));
            }
        }
        for (line, row) in rows {
            if row.len() != names.len() {
                let why = format!(
                    "the row has {} fields, and the header {}, at line {line}",
                    row.len(),
                    names.len()
                );
                return Err(refused(why));
            }
            let filled = names.iter().zip(row).filter(|(_, cell)| !cell.trim().is_empty());
            let fields = filled.map(|(name, cell)| (name.clone(), value(name, &cell))).collect();
            let object = Found { place: file.place(line), key: String::new(), fields };
            reading.take(file.place(line), record(&object));
        }
    }
    Ok(())
}

fn value(name: &str, cell: &str) -> Value {
    let nested = NESTED.contains(&name).then(|| serde_json::from_str(cell).ok()).flatten();
    nested.unwrap_or_else(|| if IDS.contains(&name) { cell.into() } else { cell.trim().into() })
}

fn record(object: &Found) -> Result<Record, String> {
    let fields = &object.fields;
    let mut record = match (text(fields, "subject")?, text(fields, "value")?, text(fields, "text")?) {
        (Some(subject), Some(_), text) => Record { subject: Some(subject), text, ..object.words("value")? },
        (None, _, Some(_)) => object.words("text")?,
        (None, Some(_), None) => object.words("value")?,
        (Some(_), None, _) => return Err("there is a 'subject' and no 'value'".to_owned()),
        (None, None, None) => {
            return Err("there is neither a 'subject' with a 'value' nor a 'text'".to_owned());
        }
    };
    record.metadata.remove("source_created_at");
    record.created = time(fields, &["created"])?.or(record.created);
    record.changed = time(fields, &["changed"])?.or(record.changed);
    record.scope = text(fields, "scope")?;
    record.source = text(fields, "source")?;
    if let Some(share) = text(fields, "confidence")? {
        let sure = share.parse().ok().filter(|sure| (0.0..=1.0).contains(sure));
        record.confidence =
            Some(sure.ok_or_else(|| format!("'confidence' is {share}, which is not a number from 0 to 1"))?);
    }
    record.is_event = match text(fields, "kind")?.as_deref() {
        None | Some("state") => false,
        Some("event") => true,
        Some(other) => return Err(format!("the kind '{other}' is neither 'state' nor 'event'")),
    };
    let part = |name| Ok::<_, String>(text(fields, name)?.unwrap_or_default());
    record.triple = Triple { head: part("head")?, relation: part("relation")?, tail: part("tail")? };
    record.times = Times {
        said: date(fields, "said_at")?,
        from: date(fields, "valid_from")?,
        until: date(fields, "valid_until")?,
        ended: time(fields, &["ended"])?,
    };
    record.list = matches!(fields.get("list"), Some(Value::Bool(true)));
    record.state = state(&part("status")?, &record)?;
    record.supersedes = id(fields, "supersedes")?;
    record.pending = pending(fields.get("pending"))?;
    record.earlier = refined_from(fields.get("refined_from"))?;
    for (name, value) in fields.iter().filter(|(name, _)| !NAMES.split(' ').any(|known| known == *name)) {
        record.keep(name, Some(value));
    }
    Ok(record)
}

/// A date that may be as vague as a year.
fn date(fields: &Map<String, Value>, name: &str) -> Result<Option<When>, String> {
    let read = |text: String| text.parse().map_err(|why: NoDate| format!("'{name}' is '{text}': {why}"));
    text(fields, name)?.map(read).transpose()
}

fn refined_from(value: Option<&Value>) -> Result<Vec<Earlier>, String> {
    let Some(value) = value.filter(|value| !is_empty(value)) else { return Ok(Vec::new()) };
    let earlier = |entry: &Value| {
        let fields = entry.as_object().ok_or_else(|| wrong("refined_from", entry, "a list of objects"))?;
        let said = text(fields, "value")?.zip(time(fields, &["until"])?);
        let (value, until) = said.ok_or("an entry of 'refined_from' lacks its 'value' or its 'until'")?;
        Ok(Earlier { value, until })
    };
    value.as_array().ok_or_else(|| wrong("refined_from", value, "a list"))?.iter().map(earlier).collect()
}

/// In the form of an export.
fn pending(value: Option<&Value>) -> Result<Option<(Pending, Option<String>)>, String> {
    let Some(value) = value.filter(|value| !is_empty(value)) else { return Ok(None) };
    let fields = value.as_object().ok_or_else(|| wrong("pending", value, "an object"))?;
    let action = text(fields, "action")?.and_then(|word| Action::from_word(&word));
    let pending = Pending {
        action: action.ok_or_else(|| wrong("pending", value, "a change with an 'action'"))?,
        target: None,
        target_value: text(fields, "target_value")?,
        gated: matches!(fields.get("gated"), Some(Value::Bool(true))),
    };
    Ok(Some((pending, id(fields, "target")?)))
}

fn state(word: &str, record: &Record) -> Result<State, String> {
    match word.to_uppercase().as_str() {
        "" | "ACTIVE" => Ok(State::Current),
        "SUPERSEDED" => Ok(State::Ended(record.times.ended.or(record.changed))),
        "HISTORICAL" => Ok(State::Past),
        "FLAGGED_CONFLICT" if record.subject.is_some() => Ok(State::Waiting),
        "FLAGGED_CONFLICT" => {
            Err("it waits for a decision, and has no 'subject' that it would change".to_owned())
        }
        _ => Err(format!("the status '{word}' is none of ACTIVE, SUPERSEDED, HISTORICAL, FLAGGED_CONFLICT")),
    }
}
