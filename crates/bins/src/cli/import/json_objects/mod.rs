//! The objects in a JSON file, or in one with an object a line, each with its line. Where the file is damaged, what is
//! whole in it is still found.

mod distinct;
mod object;
mod rescue;
mod tokens;
mod tree;

use distinct::Distinct;
use domain::limits;
use object::Object;
pub use object::{Objects, See};
use rescue::rescue;
use serde_json::{Deserializer, Map, Value};
use tokens::TOO_DEEP;

/// So many lines show whether each holds an object.
const LINES_TRIED: usize = 10;

pub fn objects(text: &str, see: impl Fn(&str, &Map<String, Value>) -> See) -> Objects {
    let mut found = Objects::default();
    if !is_lines(text) {
        read(text, 1, &see, &mut found);
        return found;
    }
    for (line, n) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        if line.trim_start().starts_with('{') {
            read(line, n, &see, &mut found);
        } else {
            found.damaged.insert((n, 0), "this line is not a JSON object".to_owned());
        }
    }
    found
}

/// Whether every line is an object of its own, rather than a part of one document. Some may be damaged.
fn is_lines(text: &str) -> bool {
    let tried: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES_TRIED).collect();
    let is_object = |line: &str| line.starts_with('{') && is_sound(line);
    let alike = tried.iter().filter(|line| line.starts_with('{') && line.ends_with('}')).count();
    tried.len() > 1 && (tried.first().is_some_and(|line| is_object(line)) || alike * 2 >= tried.len())
}

fn is_sound(text: &str) -> bool {
    Deserializer::from_str(text).into_iter::<Distinct>().all(|value| value.is_ok())
}

fn read(text: &str, first_line: usize, see: &impl Fn(&str, &Map<String, Value>) -> See, found: &mut Objects) {
    if is_sound(text) {
        scan(text, first_line, see, found);
    } else {
        rescue(text, first_line, see, found);
    }
}

fn scan(text: &str, first_line: usize, see: &impl Fn(&str, &Map<String, Value>) -> See, found: &mut Objects) {
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
                if let Some(Ok(fields)) = stream.next() {
                    match see(&key, &fields) {
                        See::Enter if within.len() >= limits::IMPORT_NESTING => {
                            step = stream.byte_offset().max(1);
                            found.damaged.insert((line, at), TOO_DEEP.to_owned());
                        }
                        See::Enter => within.push(key.clone()),
                        seen => {
                            step = stream.byte_offset().max(1);
                            if seen == See::Take {
                                found.taken.push(Object { line, key: key.clone(), fields });
                            }
                        }
                    }
                }
            }
            _ => step = char_bytes(rest),
        }
        line += rest.get(..step).unwrap_or_default().matches('\n').count();
        at += step;
    }
}

fn char_bytes(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

/// The bytes of the string at the start, with its quotes.
fn string_bytes(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
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
