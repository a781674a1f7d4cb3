//! The objects in a JSON file, or in one with an object a line, each with its line. Where the file is damaged, what is
//! whole in it is still found.

use super::utf8::{NOT_UTF8, is_whole};
use serde_json::{Deserializer, Map, Value};
use std::collections::BTreeMap;

/// What a reader wants of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum See {
    /// It is a record, or what a record needs.
    Take,
    /// There is nothing in it for a memory.
    Pass,
    /// Look at what is inside.
    Enter,
}

#[derive(Debug)]
pub struct Object {
    pub line: usize,
    /// The name under which it, or the list that it is in, is found; empty at the top.
    pub key: String,
    pub fields: Map<String, Value>,
}

#[derive(Debug, Default)]
pub struct Objects {
    pub taken: Vec<Object>,
    /// What is wrong, by line and column.
    pub damaged: BTreeMap<(usize, usize), String>,
}

/// So many lines show whether each holds an object.
const LINES_TRIED: usize = 10;

pub fn objects(text: &str, see: impl Fn(&str, &Map<String, Value>) -> See) -> Objects {
    let mut found = Objects::default();
    if !is_lines(text) {
        found.scan(text, 1, &see);
        return found;
    }
    for (line, n) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let before = found.damaged.len();
        if !line.trim_start().starts_with('{') {
            found.damaged.insert((n, 1), "this line is not a JSON object".to_owned());
            continue;
        }
        found.scan(line, n, &see);
        if found.damaged.len() == before && serde_json::from_str::<Value>(line).is_err() {
            found.damaged.insert((n, 1), "there is more on this line than one JSON object".to_owned());
        }
    }
    found
}

/// Whether every line is an object of its own, rather than a part of one document. Some may be damaged.
fn is_lines(text: &str) -> bool {
    let is_object =
        |line: &&str| line.starts_with('{') && serde_json::from_str::<Map<String, Value>>(line).is_ok();
    let tried: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LINES_TRIED).collect();
    let objects = tried.iter().filter(|line| is_object(line)).count();
    objects > 0 && objects * 2 >= tried.len()
}

impl Objects {
    fn scan(&mut self, text: &str, first_line: usize, see: &impl Fn(&str, &Map<String, Value>) -> See) {
        let (mut at, mut line) = (0, first_line);
        let (mut within, mut key, mut last): (Vec<String>, String, String) = Default::default();
        while let Some(rest) = text.get(at..) {
            let Some(next) = rest.bytes().next() else { return };
            let mut step = 1;
            match next {
                b'"' => {
                    step = string_bytes(rest);
                    last = rest.get(1..step.saturating_sub(1)).unwrap_or_default().to_owned();
                }
                b':' => key = std::mem::take(&mut last),
                b'[' => within.push(key.clone()),
                b']' | b'}' => key = within.pop().unwrap_or_default(),
                b'{' => {
                    let mut stream = Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
                    match stream.next() {
                        Some(Ok(fields)) => match see(&key, &fields) {
                            See::Enter => within.push(key.clone()),
                            seen => {
                                step = stream.byte_offset().max(1);
                                if seen == See::Take {
                                    self.taken.push(Object { line, key: key.clone(), fields });
                                }
                            }
                        },
                        Some(Err(error)) => {
                            self.note_damage(text.get(..at).unwrap_or_default(), rest, line, &error);
                            within.push(key.clone());
                        }
                        None => {}
                    }
                }
                _ => step = char_bytes(rest),
            }
            line += rest.get(..step).unwrap_or_default().matches('\n').count();
            at += step;
        }
    }

    /// An object is damaged where one within it is, so the place of the damage tells whether it was noted before.
    fn note_damage(&mut self, before: &str, rest: &str, line: usize, error: &serde_json::Error) {
        let lines_on = error.line().saturating_sub(1);
        let before_it =
            if lines_on == 0 { before.len() - before.rfind('\n').map_or(0, |at| at + 1) } else { 0 };
        let damage = error.to_string();
        let what = damage.split(" at line ").next().unwrap_or_default();
        let why = match rest.lines().nth(lines_on).is_none_or(is_whole) {
            true => format!("the JSON is damaged here: {what}"),
            false => NOT_UTF8.to_owned(),
        };
        self.damaged.entry((line + lines_on, before_it + error.column())).or_insert(why);
    }
}

fn char_bytes(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

/// The bytes of the string at the start, with its quotes. No string of JSON goes on over the end of a line, so one that
/// is not closed there is damaged, and ends.
fn string_bytes(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{Objects, See, objects};

    fn read(text: &str) -> (Vec<(usize, String)>, Vec<usize>) {
        let found: Objects = objects(text, |key, fields| match key {
            _ if fields.contains_key("id") => See::Take,
            "tools" => See::Pass,
            _ => See::Enter,
        });
        let taken = found.taken.iter().map(|object| (object.line, object.fields["id"].to_string()));
        (taken.collect(), found.damaged.into_keys().map(|(line, _)| line).collect())
    }

    fn ids(lines: &[(usize, &str)]) -> Vec<(usize, String)> {
        lines.iter().map(|(line, id)| (*line, (*id).to_owned())).collect()
    }

    #[test]
    fn objects_are_found_wherever_they_are() {
        let whole = "{\n \"results\": [\n  {\"id\": 1},\n  {\"id\": 2, \"x\": {\"id\": 9}}\n ],\n \"tools\": [{\"a\": {\"id\": 7}}]\n}";
        assert_eq!(read(whole), (ids(&[(3, "1"), (4, "2")]), vec![]));
        assert_eq!(read("{\"id\": 1}\n\n{\"id\": 2}\n"), (ids(&[(1, "1"), (3, "2")]), vec![]));
        assert_eq!(read("[{\"id\": 1}, {\"s\": \"a {\\\"id\\\": 5}\"}]"), (ids(&[(1, "1")]), vec![]));
    }

    #[test]
    fn what_is_whole_in_a_damaged_file_is_found() {
        let cut = "[\n {\"id\": 1},\n {\"id\": 2},\n {\"id\": 3, \"text\": \"half";
        assert_eq!(read(cut), (ids(&[(2, "1"), (3, "2")]), vec![4]));
        let lines = "{\"id\": 1}\n{\"id\": 2, \"t\"\n{\"id\": 3}\nnonsense\n{\"id\": 5}";
        assert_eq!(read(lines), (ids(&[(1, "1"), (3, "3"), (5, "5")]), vec![2, 4]));
        let one_line = "{\"results\": [{\"id\": 1 2}, {\"id\": 2}, {\"id\": , \"x\": {}}]}";
        assert_eq!(read(one_line), (ids(&[(1, "2")]), vec![1, 1]));
        let inner = "{\"results\": [\n{\"id\": 1},\n{\"id\": 2 \"memory\": 3},\n{\"id\": 3}\n]}";
        assert_eq!(read(inner), (ids(&[(2, "1"), (4, "3")]), vec![3]));
    }
}
