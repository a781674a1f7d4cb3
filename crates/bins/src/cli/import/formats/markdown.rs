//! Markdown notes of basic-memory and Obsidian: front matter, observations, relations, and text.

use super::beside::mark_lists;
use super::fields::{made_id, time};
use super::found::File;
use super::heading::heading;
use crate::cli::import::record::{Place, Reading, Record};
use crate::cli::import::utf8::{NOT_UTF8, is_whole};
use domain::keys::subject_key;
use domain::{Timestamp, Triple};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

pub fn read(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
    let files: Vec<File> = files.collect();
    let names = Names::of(&files);
    files.iter().for_each(|file| read_note(file, &names, reading));
}

/// How many notes are called the same.
#[derive(Default)]
struct Names {
    titles: BTreeMap<String, usize>,
    permalinks: BTreeMap<String, usize>,
    paths: BTreeMap<String, usize>,
}

impl Names {
    fn of(files: &[File]) -> Self {
        let mut names = Self::default();
        for file in files {
            let lines: Vec<&str> = file.text.lines().collect();
            let note = Note::of(&front_matter(&lines).0, file, true);
            *names.titles.entry(subject_key(&note.title)).or_default() += 1;
            *names.permalinks.entry(note.permalink).or_default() += 1;
            *names.paths.entry(without_ending(&file.inside)).or_default() += 1;
        }
        names
    }

    /// A note that is not the only one of its name is called by its path, as links call it.
    fn tell_apart(&self, note: &mut Note, file: &File) {
        let is_shared = |names: &BTreeMap<String, usize>, name: &str| names.get(name).is_some_and(|n| *n > 1);
        let inside = without_ending(&file.inside);
        let path = if is_shared(&self.paths, &inside) { without_ending(&file.path) } else { inside };
        if is_shared(&self.permalinks, &note.permalink) {
            note.permalink.clone_from(&path);
        }
        if is_shared(&self.titles, &subject_key(&note.title)) {
            note.title = path;
        }
    }
}

fn without_ending(path: &Path) -> String {
    path.with_extension("").to_string_lossy().into_owned()
}

fn read_note(file: &File, names: &Names, reading: &mut Reading) {
    let lines: Vec<&str> = file.text.lines().collect();
    let (front, body) = front_matter(&lines);
    let is_text = lines.iter().take(body).all(|line| is_whole(line));
    let mut note = Note::of(&front, file, is_text);
    names.tell_apart(&mut note, file);
    let first = reading.records.len();
    let mut block: Vec<(usize, &str)> = Vec::new();
    let (mut section, mut is_code) = (String::new(), false);
    for (line, n) in lines.iter().zip(1..).skip(body) {
        let bare = line.trim();
        if bare.starts_with("```") {
            is_code = !is_code;
        }
        let item = bare.strip_prefix("- ").or_else(|| bare.strip_prefix("* ")).filter(|_| !is_code);
        let own = item.and_then(|item| {
            let place = file.place(n);
            note.observation(&place, item).or_else(|| note.relation(&place, item))
        });
        match own {
            Some(record) => {
                note.end_block(file, &mut block, &section, reading);
                note.take(record, line, reading);
            }
            None if bare.is_empty() && !is_code => note.end_block(file, &mut block, &section, reading),
            None if heading(bare).is_some() && !is_code => {
                note.end_block(file, &mut block, &section, reading);
                section = heading(bare).unwrap_or_default().to_owned();
            }
            None => block.push((n, line)),
        }
    }
    note.end_block(file, &mut block, &section, reading);
    mark_lists(reading.records.iter_mut().skip(first));
}

/// The pairs between the two lines of dashes, and the number of lines up to the text. A list goes on in lines that begin
/// with a dash.
fn front_matter(lines: &[&str]) -> (Map<String, Value>, usize) {
    let mut fields = Map::new();
    let end = lines.iter().skip(1).position(|line| line.trim_end() == "---").map(|at| at + 1);
    let (Some(end), Some(&"---")) = (end, lines.first()) else { return (fields, 0) };
    let mut last = String::new();
    for line in lines.iter().take(end).skip(1) {
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            if let Some(Value::Array(items)) = fields.get_mut(&last) {
                items.push(unquoted(item).into());
            }
            continue;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        last = name.trim().to_lowercase();
        let value = value.trim();
        let list = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
        let value = match list {
            _ if value.is_empty() => Value::Array(Vec::new()),
            Some(items) => items.split(',').map(unquoted).filter(|item| !item.is_empty()).collect(),
            None => unquoted(value).into(),
        };
        fields.insert(last.clone(), value);
    }
    (fields, end + 1)
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

struct Note {
    title: String,
    /// What the note is called in links, and its records are named by.
    permalink: String,
    /// Where the front matter cannot be read, why nothing of the note is taken.
    created: Result<Option<Timestamp>, String>,
    tags: Option<Value>,
    path: String,
}

impl Note {
    fn of(front: &Map<String, Value>, file: &File, is_text: bool) -> Self {
        let stem = file.path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = |name: &str| front.get(name).and_then(Value::as_str).map(str::to_owned);
        let title = text("title").unwrap_or(stem);
        Self {
            permalink: text("permalink").unwrap_or_else(|| title.clone()),
            created: match is_text {
                true => time(front, &["created", "date", "created_at"]),
                false => Err(NOT_UTF8.to_owned()),
            },
            tags: front.get("tags").cloned(),
            path: file.inside.to_string_lossy().into_owned(),
            title,
        }
    }

    fn record(&self, mut record: Record) -> Record {
        record.keep("note", Some(&self.permalink.clone().into()));
        record.keep("path", Some(&self.path.clone().into()));
        record.keep("tags", self.tags.as_ref());
        record
    }

    /// The lines that the record is from may be no text.
    fn take(&self, record: Record, lines: &str, reading: &mut Reading) {
        let whole = if is_whole(lines) { self.created.clone() } else { Err(NOT_UTF8.to_owned()) };
        reading.take(record.place.clone(), whole.map(|created| Record { created, ..record }));
    }

    fn id(&self, words: &str) -> String {
        format!("{}/{}", self.permalink, made_id(words))
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
        let (words, context) =
            context.map_or((words, None), |(words, context)| (words.trim(), Some(context)));
        let tags: Vec<Value> = words
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('#').filter(|tag| !tag.is_empty()))
            .map(Value::from)
            .collect();
        let record = Record {
            kind: Some("event"),
            text: Some(item.to_owned()),
            ..Record::fact(place.clone(), self.id(item), format!("{} {category}", self.title), words)
        };
        let mut record = self.record(record);
        record.keep("category", Some(&category.into()));
        record.keep("context", context.map(Value::from).as_ref());
        record.keep("tags", Some(&Value::Array(tags)));
        Some(record)
    }

    /// `verb [[Other note]] (context)`; a verb of several words is in quotes.
    fn relation(&self, place: &Place, item: &str) -> Option<Record> {
        let (verb, rest) = item.split_once("[[")?;
        let (target, after) = rest.split_once("]]")?;
        let verb = verb.trim();
        let bare = unquoted(verb);
        let is_verb = !bare.is_empty() && (bare.len() < verb.len() || !verb.contains(char::is_whitespace));
        let after = after.trim();
        let is_context = after.is_empty() || (after.starts_with('(') && after.ends_with(')'));
        if !is_verb || !is_context || after.contains("[[") {
            return None;
        }
        // `[[folder/Note#Heading|shown]]` leads to the note.
        let tail = target.split(['|', '#']).next().unwrap_or(target).trim();
        let triple = Triple { head: self.title.clone(), relation: bare.to_owned(), tail: tail.to_owned() };
        let mut record = self.record(Record::relation(place.clone(), self.id(item), triple));
        let context = after.trim_start_matches('(').trim_end_matches(')');
        record.keep("context", Some(&context.into()));
        Some(record)
    }

    /// The text since the last empty line: what it says is for the model to read.
    fn end_block(&self, file: &File, block: &mut Vec<(usize, &str)>, section: &str, reading: &mut Reading) {
        let Some((line, _)) = block.first().copied() else { return };
        let words = block.drain(..).map(|(_, line)| line.trim_end()).collect::<Vec<_>>().join("\n");
        let mut record = self.record(Record::words(file.place(line), self.id(&words), words.trim()));
        record.keep("section", Some(&section.into()));
        self.take(record, &words, reading);
    }
}
