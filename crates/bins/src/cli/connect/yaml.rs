//! YAML, line by line: no library edits it and keeps its comments, so that an entry is put in as lines of its own. That
//! the result says what it should is checked by the caller, who reads it again.

use super::document::Fault;
use super::server::NAME;
use serde_json::{Map, Value, json};

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Value::Null);
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let error = error.without_snippet();
        let place = |number: Option<u64>| number.and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
        Fault::Broken {
            line: place(error.location().map(|location| location.line())),
            column: place(error.location().map(|location| location.column())),
            problem: error.to_string().lines().next().unwrap_or_default().to_owned(),
        }
    })
}

/// What such a file must begin with.
pub(super) fn heading() -> Map<String, Value> {
    let heading = json!({ "name": NAME, "version": "1.0.0", "schema": "v1" });
    heading.as_object().cloned().unwrap_or_default()
}

pub(super) fn put(text: &str, section: &str, entry: &Value) -> Result<String, Fault> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if read(text)?.is_null() {
        end_last_line(&mut lines);
        lines.extend(heading().iter().map(|(name, value)| format!("{name}: {}\n", scalar(value))));
    }
    let opening = format!("{section}:");
    let Some(at) = lines.iter().position(|line| without_comment(line) == opening) else {
        end_last_line(&mut lines);
        lines.push(format!("{opening}\n"));
        lines.push(item(entry, "  "));
        return Ok(lines.concat());
    };
    let (indent, end) = list(&lines, at + 1);
    let range = ours(&lines, at + 1, end, &indent).unwrap_or(end..end);
    if let Some(line) = range.start.checked_sub(1).and_then(|before| lines.get_mut(before)) {
        end_line(line);
    }
    lines.splice(range, [item(entry, &indent)]);
    Ok(lines.concat())
}

pub(super) fn take(text: &str, section: &str) -> Result<String, Fault> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let opening = format!("{section}:");
    let Some(at) = lines.iter().position(|line| without_comment(line) == opening) else {
        return Ok(text.to_owned());
    };
    let (indent, end) = list(&lines, at + 1);
    let Some(mut range) = ours(&lines, at + 1, end, &indent) else { return Ok(text.to_owned()) };
    // A comment before the next item is about that one.
    let is_content = |line: &String| !without_comment(line).is_empty();
    while range.len() > 1 && !lines.get(range.end - 1).is_some_and(is_content) {
        range.end -= 1;
    }
    lines.drain(range);
    let is_item = |line: &String| line.starts_with(&format!("{indent}- "));
    if !lines.iter().skip(at + 1).take_while(|line| !is_content(line) || is_item(line)).any(is_item) {
        lines.remove(at);
    }
    Ok(lines.concat())
}

/// The list that follows: how far its items are indented, and the line behind its last one.
fn list(lines: &[String], from: usize) -> (String, usize) {
    let is_content = |line: &&String| !without_comment(line).is_empty();
    let first = lines.iter().skip(from).find(is_content).filter(|line| line.trim_start().starts_with("- "));
    let indent = first.map_or("  ".to_owned(), |line| " ".repeat(indentation(line)));
    let belongs = |line: &String| {
        let depth = indentation(line);
        depth > indent.len() || (depth == indent.len() && line.trim_start().starts_with("- "))
    };
    let mut end = from;
    for (number, line) in lines.iter().enumerate().skip(from).filter(|(_, line)| is_content(line)) {
        if first.is_none() || !belongs(line) {
            break;
        }
        end = number + 1;
    }
    (indent, end)
}

/// The lines of the item that has our name.
fn ours(lines: &[String], from: usize, end: usize, indent: &str) -> Option<std::ops::Range<usize>> {
    let mark = format!("{indent}- ");
    let within = || lines.iter().enumerate().take(end).skip(from);
    let starts: Vec<usize> = within().filter(|(_, line)| line.starts_with(&mark)).map(|(at, _)| at).collect();
    let ends = starts.iter().copied().skip(1).chain([end]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).find(|range| {
        let text = lines.get(range.clone()).unwrap_or_default().concat();
        let name = read(&text).ok().and_then(|items| items.get(0)?.get("name")?.as_str().map(str::to_owned));
        name.as_deref() == Some(NAME)
    })
}

/// An entry as an item of a list.
pub(super) fn item(entry: &Value, indent: &str) -> String {
    let mut text = String::new();
    let inner = format!("{indent}  ");
    fields(entry, &inner, &mut text);
    // The first line carries the mark of the item in place of its indentation.
    format!("{indent}- {}", text.strip_prefix(&inner).unwrap_or_default())
}

fn fields(object: &Value, indent: &str, text: &mut String) {
    for (name, value) in object.as_object().into_iter().flatten() {
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                text.push_str(&format!("{indent}{name}:\n"));
                fields(value, &format!("{indent}  "), text);
            }
            other => text.push_str(&format!("{indent}{name}: {}\n", scalar(other))),
        }
    }
}

/// Words that YAML takes for something else when they stand without quotes.
const NO_WORDS: [&str; 9] = ["on", "off", "yes", "no", "y", "n", "true", "false", "null"];

/// JSON is YAML too; only plain words go without quotes.
fn scalar(value: &Value) -> String {
    match value.as_str() {
        Some(word) if NO_WORDS.contains(&word.to_lowercase().as_str()) => value.to_string(),
        Some(word)
            if word.starts_with(char::is_alphabetic)
                && word.chars().all(|c| c.is_alphanumeric() || c == '-') =>
        {
            word.to_owned()
        }
        _ => value.to_string(),
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// A line without its end and without a comment that takes the rest of it.
fn without_comment(line: &str) -> &str {
    let text = if line.trim_start().starts_with('#') { "" } else { line };
    text.split(" #").next().unwrap_or_default().trim_end()
}

fn end_last_line(lines: &mut [String]) {
    if let Some(line) = lines.last_mut() {
        end_line(line);
    }
}

fn end_line(line: &mut String) {
    if !line.ends_with('\n') {
        line.push('\n');
    }
}
