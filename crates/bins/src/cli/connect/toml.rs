//! TOML, with its comments and its order.

use super::fault::Fault;
use super::server::NAME;
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, Value as TomlValue, value};

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    let document = parse(text)?;
    toml_edit::de::from_document(document).map_err(|error| Fault::unusual(error.message().to_owned()))
}

pub(super) fn put(text: &str, section: &str, entry: &Value) -> Result<String, Fault> {
    let mut document = parse(text)?;
    // Only the tables of the servers get a heading of their own, not the section around them.
    let mut around = Table::new();
    around.set_implicit(true);
    let servers = document.entry(section).or_insert(Item::Table(around));
    let servers = servers
        .as_table_like_mut()
        .ok_or_else(|| Fault::unusual(format!("'{section}' in it is not a table")))?;
    servers.insert(NAME, Item::Table(table(entry)));
    Ok(document.to_string())
}

pub(super) fn take(text: &str, section: &str) -> Result<String, Fault> {
    let mut document = parse(text)?;
    let servers = document.get_mut(section).and_then(Item::as_table_like_mut);
    let is_empty = servers.is_some_and(|servers| {
        servers.remove(NAME);
        servers.is_empty()
    });
    if is_empty {
        document.remove(section);
    }
    Ok(document.to_string())
}

pub(super) fn show(entry: &Value) -> String {
    let mut document = DocumentMut::new();
    *document.as_table_mut() = table(entry);
    document.to_string().trim_end().to_owned()
}

fn parse(text: &str) -> Result<DocumentMut, Fault> {
    text.parse::<DocumentMut>().map_err(|error| {
        let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
        Fault::Broken {
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
            problem: error.message().trim().replace('\n', ", "),
        }
    })
}

fn table(entry: &Value) -> Table {
    let mut table = Table::new();
    for (name, field) in entry.as_object().into_iter().flatten() {
        let item = match field {
            Value::Object(_) => Item::Table(self::table(field)),
            other => plain(other).map_or(Item::None, value),
        };
        table.insert(name, item);
    }
    table
}

/// A value on one line. TOML has no null, and no entry of ours has one.
fn plain(field: &Value) -> Option<TomlValue> {
    match field {
        Value::Null | Value::Object(_) => None,
        Value::Bool(value) => Some((*value).into()),
        Value::Number(number) => {
            number.as_i64().map(TomlValue::from).or_else(|| number.as_f64().map(TomlValue::from))
        }
        Value::String(text) => Some(text.as_str().into()),
        Value::Array(items) => Some(TomlValue::Array(items.iter().filter_map(plain).collect::<Array>())),
    }
}
