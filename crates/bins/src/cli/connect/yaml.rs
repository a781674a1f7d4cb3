//! YAML, for a person to paste: no library edits it and keeps its comments, so this program does not edit it either.

use super::server::NAME;
use serde_json::{Map, Value, json};

/// A whole file with the entry in it. Servers are a list here, each with its name.
pub(super) fn file(section: &str, entry: &Value) -> String {
    let heading = json!({ "name": NAME, "version": "1.0.0", "schema": "v1" });
    let mut text = String::new();
    fields(heading.as_object(), "", &mut text);
    text.push_str(&format!("{section}:\n"));
    let mut item = String::new();
    fields(entry.as_object(), "    ", &mut item);
    // The first line has the mark of a list item in its indentation.
    text.push_str(&item.replacen("    ", "  - ", 1));
    text
}

fn fields(object: Option<&Map<String, Value>>, indent: &str, text: &mut String) {
    for (name, value) in object.into_iter().flatten() {
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                text.push_str(&format!("{indent}{name}:\n"));
                fields(Some(inner), &format!("{indent}  "), text);
            }
            other => text.push_str(&format!("{indent}{name}: {}\n", scalar(other))),
        }
    }
}

/// Words that YAML takes for something else when they are not in quotes.
const RESERVED: [&str; 9] = ["on", "off", "yes", "no", "y", "n", "true", "false", "null"];

/// JSON is YAML too; only plain words go without quotes.
fn scalar(value: &Value) -> String {
    let is_plain = |word: &str| {
        word.starts_with(char::is_alphabetic)
            && word.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !RESERVED.contains(&word.to_lowercase().as_str())
    };
    match value.as_str() {
        Some(word) if is_plain(word) => word.to_owned(),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::file;
    use serde_json::json;

    #[test]
    fn an_entry_is_an_item_of_the_list_of_servers() {
        let entry = json!({ "name": "svc", "args": [], "env": { "SVC_SIGN": "off", "SVC_DB": "/a b.db" } });
        let lines = [
            "name: svc",
            "version: \"1.0.0\"",
            "schema: v1",
            "mcpServers:",
            "  - name: svc",
            "    args: []",
            "    env:",
            "      SVC_SIGN: \"off\"",
            "      SVC_DB: \"/a b.db\"",
        ];
        assert_eq!(file("mcpServers", &entry).lines().collect::<Vec<_>>(), lines);
    }
}
