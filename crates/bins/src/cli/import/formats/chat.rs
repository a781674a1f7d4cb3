//! What ChatGPT and Claude remember of a person: their own JSON, or a list that was copied from a page, one memory a line.

use super::fields::{id_of, made_id, string};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Place, Reading, Record};
use crate::cli::moment::{moment, moment_of};
use serde_json::{Map, Value};
use std::path::Path;

pub fn read_chatgpt(files: &[File], reading: &mut Reading) {
    let found = found(&json_of(files, reading), reading, |key, fields| match key {
        _ if fields.contains_key("content") => See::Take,
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" | "memories" | "results" => See::Take,
        _ => See::Pass,
    });
    for object in found {
        reading.take(object.place.clone(), saved(object.place, &object.fields));
    }
}

fn saved(place: Place, fields: &Map<String, Value>) -> Result<Record, String> {
    let words = string(fields, "content").ok_or("there is no text in 'content'")?;
    let mut record = Record::words(place, id_of(fields, "id"), words);
    let times = ["created_timestamp", "created_at", "updated_at"];
    record.created = times.iter().find_map(|name| moment(fields.get(*name)));
    record.keep("source_updated_at", fields.get("updated_at"));
    Ok(record)
}

pub fn read_claude(files: &[File], reading: &mut Reading) {
    let found = found(&json_of(files, reading), reading, |key, fields| match key {
        _ if fields.contains_key("conversations_memory") || fields.contains_key("project_memories") => {
            See::Take
        }
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" => See::Take,
        _ => See::Pass,
    });
    for Found { place, fields, .. } in found {
        let whole = string(&fields, "conversations_memory");
        let projects = fields.get("project_memories").and_then(Value::as_object);
        if whole.is_none() && projects.is_none() {
            let why = "there is neither a 'conversations_memory' nor any 'project_memories'".to_owned();
            reading.take(place.clone(), Err(why));
        }
        for words in whole.iter() {
            paragraphs(&place, words, None, reading);
        }
        for (project, words) in projects.into_iter().flatten() {
            paragraphs(&place, words.as_str().unwrap_or_default(), Some(project), reading);
        }
    }
}

/// The memory is one page of text, with headings in bold.
fn paragraphs(place: &Place, text: &str, project: Option<&String>, reading: &mut Reading) {
    let mut section = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let heading = line.strip_prefix("**").and_then(|line| line.strip_suffix("**"));
        if let Some(heading) =
            heading.or_else(|| line.strip_prefix('#').map(|line| line.trim_start_matches('#')))
        {
            heading.trim().clone_into(&mut section);
            continue;
        }
        let words = line.strip_prefix("- ").unwrap_or(line);
        let id = made_id(&format!("{}\u{1f}{words}", project.map_or("", String::as_str)));
        let mut record = Record::words(place.clone(), id, words);
        record.keep("section", Some(&section.clone().into()));
        record.keep("project", project.map(|project| project.clone().into()).as_ref());
        reading.records.push(record);
    }
}

/// The files that hold JSON; any other is read as a list.
fn json_of(files: &[File], reading: &mut Reading) -> Vec<File> {
    let (json, lists): (Vec<&File>, Vec<&File>) = files.iter().partition(|file| is_json(&file.text));
    lists.into_iter().for_each(|file| list(&file.path, &file.text, reading));
    json.into_iter().cloned().collect()
}

fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '['])
        && text.trim_start().lines().next().is_none_or(|line| dated(line).is_none())
}

/// `[2024-05-01] - words`, `- words`, or words alone.
fn list(file: &Path, text: &str, reading: &mut Reading) {
    let lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
    for (line, n) in lines {
        let line = line.trim();
        if line.is_empty() || line.starts_with("```") || line.starts_with('#') {
            continue;
        }
        let line = ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
        let (created, words) = dated(line).unwrap_or((None, line));
        let mut record = Record::words(Place::new(file, n), made_id(words), words);
        record.created = created;
        reading.records.push(record);
    }
}

/// The date in brackets before an entry, which may say that it is unknown.
fn dated(line: &str) -> Option<(Option<domain::Timestamp>, &str)> {
    let (date, words) = line.strip_prefix('[')?.split_once(']')?;
    let words = words.trim_start().trim_start_matches(['-', '–', '—', ':']).trim_start();
    Some((moment_of(date), words)).filter(|(_, words)| !words.is_empty() && !line.starts_with("[{"))
}
