//! Markdown notes of basic-memory and Obsidian: front matter, observations, relations, and text.

use super::fields::{made_id, time};
use super::lines::heading;
use crate::cli::import::files::File;
use crate::cli::import::record::{Place, Reading, Record};
use domain::keys::subject_key;
use domain::{Timestamp, Triple};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub fn read(files: &[File], reading: &mut Reading) -> Result<(), String> {
    let texts: Vec<String> = files.iter().map(File::text).collect::<Result<_, String>>()?;
    let mut notes = Vec::new();
    for (file, text) in files.iter().zip(&texts) {
        let lines: Vec<&str> = text.lines().collect();
        match Note::of(file, &lines) {
            Ok(note) => notes.push((file, lines, note)),
            Err(why) => reading.take(file.place(1), Err(why)),
        }
    }
    let mut titles: BTreeMap<String, usize> = BTreeMap::new();
    for (.., note) in &notes {
        *titles.entry(subject_key(&note.title)).or_default() += 1;
    }
    for (file, lines, mut note) in notes {
        // A note that is not the only one of its name is called by its path, as links call it.
        if titles.get(&subject_key(&note.title)).is_some_and(|notes| *notes > 1) {
            note.title = file.inside.with_extension("").to_string_lossy().into_owned();
        }
        note.read(file, &lines, reading);
    }
    Ok(())
}

/// The pairs between the two lines of dashes, and the number of lines up to the text. A list goes on in lines that begin
/// with a dash.
fn front_matter(lines: &[&str]) -> (Map<String, Value>, usize) {
    let (mut fields, mut last) = (Map::new(), String::new());
    let end = lines.iter().skip(1).position(|line| line.trim_end() == "---").map(|at| at + 1);
    let (Some(end), Some(&"---")) = (end, lines.first()) else { return (fields, 0) };
    for line in lines.iter().take(end).skip(1) {
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            if let Some(Value::Array(items)) = fields.get_mut(&last) {
                items.push(unquoted(item).into());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            last = name.trim().to_lowercase();
            let value = value.trim();
            let list = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
            let value = match list.or(value.is_empty().then_some("")) {
                Some(items) => items.split(',').map(unquoted).filter(|item| !item.is_empty()).collect(),
                None => unquoted(value).into(),
            };
            fields.insert(last.clone(), value);
        }
    }
    (fields, end + 1)
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

struct Note {
    /// What the note is called in links.
    title: String,
    created: Option<Timestamp>,
    tags: Option<Value>,
    path: String,
    /// The lines before its text.
    front: usize,
}

impl Note {
    fn of(file: &File, lines: &[&str]) -> Result<Self, String> {
        let (fields, front) = front_matter(lines);
        let stem = file.path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let title = fields.get("title").and_then(Value::as_str).map(str::to_owned);
        Ok(Self {
            title: title.or(stem).unwrap_or_default(),
            created: time(&fields, &["created", "date", "created_at"])?,
            tags: fields.get("tags").cloned(),
            path: file.inside.to_string_lossy().into_owned(),
            front,
        })
    }

    fn read(&self, file: &File, lines: &[&str], reading: &mut Reading) {
        let mut block: Vec<(usize, &str)> = Vec::new();
        let (mut section, mut is_code) = ("", false);
        for (line, n) in lines.iter().zip(1..).skip(self.front) {
            let bare = line.trim();
            is_code ^= bare.starts_with("```");
            let item = bare.strip_prefix("- ").or_else(|| bare.strip_prefix("* ")).filter(|_| !is_code);
            let place = file.place(n);
            let own =
                item.and_then(|item| self.observation(&place, item).or_else(|| self.relation(&place, item)));
            let title = heading(bare).filter(|_| !is_code);
            if own.is_none() && title.is_none() && (is_code || !bare.is_empty()) {
                block.push((n, line));
                continue;
            }
            reading.records.extend(self.text(file, &mut block, section));
            reading.records.extend(own);
            section = title.unwrap_or(section);
        }
        reading.records.extend(self.text(file, &mut block, section));
    }

    /// What is common to all records of the note. The same words have the same id.
    fn record(&self, words: &str, record: Record) -> Record {
        let id = format!("{}/{}", self.path, made_id(&[words]));
        let mut record = Record { id, created: self.created, ..record };
        record.keep("note", Some(&json!(self.title)));
        record.keep("path", Some(&json!(self.path)));
        record.keep("tags", self.tags.as_ref());
        record
    }

    /// `[category] words #tag (context)`
    fn observation(&self, place: &Place, item: &str) -> Option<Record> {
        let (category, words) = item.strip_prefix('[')?.split_once(']')?;
        let (category, words) = (category.trim(), words.strip_prefix(' ')?.trim());
        // A box to tick, a time code and a link are in brackets too.
        let is_mark = category.chars().count() < 2 || category.contains(['[', '(', ':']);
        if is_mark || words.is_empty() {
            return None;
        }
        let context = words.strip_suffix(')').and_then(|words| words.rsplit_once(" ("));
        let (words, context) = context.map_or((words, ""), |(words, context)| (words.trim(), context));
        let tags =
            words.split_whitespace().filter_map(|word| word.strip_prefix('#').filter(|tag| !tag.is_empty()));
        let subject = format!("{} {category}", self.title);
        let mut record = self.record(item, Record::fact(place.clone(), String::new(), subject, words));
        (record.is_event, record.text) = (true, Some(item.to_owned()));
        record.keep("category", Some(&json!(category)));
        record.keep("context", Some(&json!(context)));
        record.keep("tags", Some(&tags.collect()));
        Some(record)
    }

    /// `verb [[Other note]] (context)`; a verb of several words is in quotes.
    fn relation(&self, place: &Place, item: &str) -> Option<Record> {
        let (verb, rest) = item.split_once("[[")?;
        let (target, after) = rest.split_once("]]")?;
        let (verb, after) = (verb.trim(), after.trim());
        let bare = unquoted(verb);
        let is_verb = !bare.is_empty() && (bare.len() < verb.len() || !verb.contains(char::is_whitespace));
        let is_context = after.is_empty() || (after.starts_with('(') && after.ends_with(')'));
        if !is_verb || !is_context || after.contains("[[") {
            return None;
        }
        // `[[folder/Note#Heading|shown]]` leads to the note.
        let tail = target.split(['|', '#']).next().unwrap_or(target).trim();
        let triple = Triple { head: self.title.clone(), relation: bare.to_owned(), tail: tail.to_owned() };
        let mut record = self.record(item, Record::relation(place.clone(), String::new(), triple));
        record.keep("context", Some(&json!(after.trim_matches(['(', ')']))));
        Some(record)
    }

    /// The text since the last empty line: what it says is for the model to read.
    fn text(&self, file: &File, block: &mut Vec<(usize, &str)>, section: &str) -> Option<Record> {
        let (line, _) = *block.first()?;
        let words = block.drain(..).map(|(_, line)| line.trim_end()).collect::<Vec<_>>().join("\n");
        let mut record = self.record(&words, Record::words(file.place(line), String::new(), words.trim()));
        record.keep("section", Some(&json!(section)));
        Some(record)
    }
}
