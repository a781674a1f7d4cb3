//! What ChatGPT and Claude remember of a person: their own JSON, or a list that was copied from a page, one memory a line.

use super::fields::{id_of, made_id, text, time, wrong};
use super::found::{File, Found, found};
use super::heading::heading;
use super::marker::without_marker;
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Place, Reading, Record, is_empty};
use crate::cli::import::utf8::{NOT_UTF8, is_whole};
use domain::{Timestamp, moment};
use serde_json::{Map, Value};
use std::iter;

pub fn read_chatgpt(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
    let see = |key: &str, fields: &Map<String, Value>| match key {
        _ if fields.contains_key("content") => See::Take,
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" | "memories" | "results" => See::Take,
        _ => See::Pass,
    };
    for object in objects(files, reading, see) {
        reading.take(object.place.clone(), saved(object.place, &object.fields));
    }
}

fn saved(place: Place, fields: &Map<String, Value>) -> Result<Record, String> {
    let words = text(fields, "content")?.ok_or("there is no text in 'content'")?;
    let mut record = Record::words(place, id_of(fields, "id")?, words);
    record.created = time(fields, &["created_timestamp", "created_at", "updated_at"])?;
    record.changed = time(fields, &["updated_at"])?;
    record.keep("source_created_at", fields.get("created_at"));
    Ok(record)
}

pub fn read_claude(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
    let see = |key: &str, fields: &Map<String, Value>| match key {
        _ if fields.contains_key("conversations_memory") || fields.contains_key("project_memories") => {
            See::Take
        }
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" => See::Take,
        _ => See::Pass,
    };
    for object in objects(files, reading, see) {
        if let Err(why) = remembered(&object, reading) {
            reading.take(object.place, Err(why));
        }
    }
}

fn remembered(Found { place, fields, .. }: &Found, reading: &mut Reading) -> Result<(), String> {
    let (of_all, of_projects) = (fields.get("conversations_memory"), fields.get("project_memories"));
    if of_all.or(of_projects).is_none() {
        return Err("there is neither a 'conversations_memory' nor any 'project_memories'".to_owned());
    }
    page(place, "conversations_memory", of_all, None, reading);
    match of_projects.filter(|projects| !is_empty(projects)) {
        None => {}
        Some(Value::Object(projects)) => {
            for (project, words) in projects {
                page(place, &format!("project_memories.{project}"), Some(words), Some(project), reading);
            }
        }
        Some(other) => return Err(wrong("project_memories", other, "an object")),
    }
    Ok(())
}

fn page(place: &Place, name: &str, words: Option<&Value>, project: Option<&String>, reading: &mut Reading) {
    match words {
        None | Some(Value::Null) => {}
        Some(Value::String(words)) => paragraphs(place, words, project, reading),
        Some(other) => reading.take(place.clone(), Err(wrong(name, other, "a text"))),
    }
}

/// The memory is one page of text, with headings in bold.
fn paragraphs(place: &Place, text: &str, project: Option<&String>, reading: &mut Reading) {
    let mut section = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let bold = line.strip_prefix("**").and_then(|line| line.strip_suffix("**"));
        if let Some(heading) = bold.or_else(|| heading(line)) {
            heading.trim().clone_into(&mut section);
            continue;
        }
        let words = without_marker(line);
        let id = made_id(&format!("{}\u{1f}{words}", project.map_or("", String::as_str)));
        let mut record = Record::words(place.clone(), id, words);
        record.keep("section", Some(&section.clone().into()));
        record.keep("project", project.map(|project| project.clone().into()).as_ref());
        reading.records.push(record);
    }
}

/// The objects of the files that hold JSON; any other is read as a list.
fn objects(
    files: &mut dyn Iterator<Item = File>,
    reading: &mut Reading,
    see: impl Fn(&str, &Map<String, Value>) -> See,
) -> Vec<Found> {
    let mut all = Vec::new();
    for file in files {
        if is_json(&file.text) {
            all.extend(found(iter::once(file), reading, &see));
        } else {
            list(&file, reading);
        }
    }
    all
}

fn is_json(text: &str) -> bool {
    let text = text.trim();
    // The beginning may be missing.
    let is_rest = text.contains("\":") && text.ends_with(['}', ']']);
    is_rest
        || text.starts_with(['{', '[']) && text.lines().next().is_none_or(|line| in_brackets(line).is_none())
}

/// `[2024-05-01] - words`, `- words`, `1. words`, or words alone.
fn list(file: &File, reading: &mut Reading) {
    for (line, n) in file.text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("```") || heading(line).is_some() {
            continue;
        }
        reading.take(file.place(n), entry(file.place(n), without_marker(line)));
    }
}

fn entry(place: Place, line: &str) -> Result<Record, String> {
    if !is_whole(line) {
        return Err(NOT_UTF8.to_owned());
    }
    let (created, words) = match in_brackets(line) {
        Some((date, words)) => (date_of(date)?, words),
        None => (None, line),
    };
    Ok(Record { created, ..Record::words(place, made_id(words), words) })
}

fn date_of(date: &str) -> Result<Option<Timestamp>, String> {
    if date.to_lowercase().contains("unknown") {
        return Ok(None);
    }
    let why = || format!("'{date}' is not a time such as 2026-11-18, and does not say that it is unknown");
    moment(date).map(Some).ok_or_else(why)
}

/// What is in brackets before an entry and a dash, and the entry. Other words in brackets are a part of it.
fn in_brackets(line: &str) -> Option<(&str, &str)> {
    let (date, rest) = line.strip_prefix('[')?.split_once(']')?;
    let rest = rest.trim_start();
    let words = rest.trim_start_matches(['-', '–', '—', ':']).trim_start();
    let is_date = words.len() < rest.len() || moment(date).is_some();
    (is_date && !words.is_empty() && !line.starts_with("[{")).then_some((date, words))
}
