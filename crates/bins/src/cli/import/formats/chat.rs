//! What ChatGPT and Claude remember of a person: their own JSON, or a list that was copied from a page, one memory a line.

use super::fields::{made_id, text, wrong};
use super::lines::{heading, without_marker};
use crate::cli::import::files::File;
use crate::cli::import::json::{Found, See, objects};
use crate::cli::import::record::{Place, Reading, Record, is_empty};
use domain::moment;
use serde_json::{Map, Value, json};

pub fn read_chatgpt(files: &[File], reading: &mut Reading) -> Result<(), String> {
    let see = |key: &str, fields: &Map<String, Value>| match key {
        _ if fields.contains_key("content") => See::Take,
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" | "memories" | "results" => See::Take,
        _ => See::Pass,
    };
    read(files, reading, see, |object| Ok(vec![object.words("content")?]))
}

pub fn read_claude(files: &[File], reading: &mut Reading) -> Result<(), String> {
    let see = |key: &str, fields: &Map<String, Value>| match key {
        _ if fields.contains_key("conversations_memory") || fields.contains_key("project_memories") => {
            See::Take
        }
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" => See::Take,
        _ => See::Pass,
    };
    read(files, reading, see, remembered)
}

/// JSON is read as it says, and any other file as a list.
fn read(
    files: &[File],
    reading: &mut Reading,
    see: impl Fn(&str, &Map<String, Value>) -> See,
    records: impl Fn(&Found) -> Result<Vec<Record>, String>,
) -> Result<(), String> {
    for file in files {
        let text = file.text()?;
        let is_json =
            text.trim().starts_with(['{', '[']) && text.lines().all(|line| in_brackets(line).is_none());
        if !is_json {
            list(file, &text, reading);
            continue;
        }
        for object in objects(file, &text, &see)? {
            reading.take_all(object.place.clone(), records(&object));
        }
    }
    Ok(())
}

/// The memory of all conversations, and that of each project.
fn remembered(object: &Found) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    let page = text(&object.fields, "conversations_memory")?.unwrap_or_default();
    paragraphs(&object.place, &page, "", &mut records);
    match object.fields.get("project_memories").filter(|projects| !is_empty(projects)) {
        None if object.fields.contains_key("conversations_memory") => {}
        Some(Value::Object(projects)) => {
            for project in projects.keys() {
                let page = text(projects, project)?.unwrap_or_default();
                paragraphs(&object.place, &page, project, &mut records);
            }
        }
        Some(other) => return Err(wrong("project_memories", other, "an object")),
        None => return Err("there is neither a 'conversations_memory' nor any 'project_memories'".to_owned()),
    }
    Ok(records)
}

/// A page of text, with headings in bold.
fn paragraphs(place: &Place, page: &str, project: &str, records: &mut Vec<Record>) {
    let mut section = "";
    for line in page.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let bold = line.strip_prefix("**").and_then(|line| line.strip_suffix("**"));
        if let Some(heading) = bold.or_else(|| heading(line)) {
            section = heading.trim();
            continue;
        }
        let words = without_marker(line);
        let mut record = Record::words(place.clone(), made_id(&[project, words]), words);
        record.keep("section", Some(&json!(section)));
        record.keep("project", Some(&json!(project)));
        records.push(record);
    }
}

/// `[2024-05-01] - words`, `- words`, `1. words`, or words alone.
fn list(file: &File, text: &str, reading: &mut Reading) {
    for (line, n) in text.lines().map(str::trim).zip(1..) {
        if !line.is_empty() && !line.starts_with("```") && heading(line).is_none() {
            reading.take(file.place(n), entry(file.place(n), without_marker(line)));
        }
    }
}

fn entry(place: Place, line: &str) -> Result<Record, String> {
    let (date, words) = in_brackets(line).unwrap_or(("unknown", line));
    let created = moment(date);
    if created.is_none() && !date.to_lowercase().contains("unknown") {
        return Err(format!(
            "'{date}' is not a time such as 2026-11-18, and does not say that it is unknown"
        ));
    }
    Ok(Record { created, ..Record::words(place, made_id(&[words]), words) })
}

/// What is in brackets before an entry and a dash, and the entry. Other words in brackets are a part of it.
fn in_brackets(line: &str) -> Option<(&str, &str)> {
    let (date, rest) = line.strip_prefix('[')?.split_once(']')?;
    let rest = rest.trim_start();
    let words = rest.trim_start_matches(['-', '–', '—', ':']).trim_start();
    let is_date = words.len() < rest.len() || moment(date).is_some();
    (is_date && !words.is_empty() && !line.starts_with("[{")).then_some((date, words))
}
