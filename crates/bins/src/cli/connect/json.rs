//! JSON as editors write it: with comments and trailing commas, which stay where they are.

use super::fault::Fault;
use super::server::NAME;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::Value;

/// What the clients themselves take; anything looser is a fault that the client would stumble over too.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn read(text: &str) -> Result<Value, Fault> {
    let root = parse(text)?;
    match root.value() {
        None => Ok(Value::Null),
        Some(value) => {
            value.to_serde_value().ok_or_else(|| Fault::unusual("it holds a value that cannot be read"))
        }
    }
}

pub(super) fn put(text: &str, section: &str, entry: &Value) -> Result<String, Fault> {
    let root = parse(text)?;
    let unusual = || Fault::unusual(format!("'{section}' in it is not an object"));
    let settings = root.object_value_or_create().ok_or_else(unusual)?;
    let servers = match settings.get(section) {
        // A section that is there but empty, `null`, is ours to fill.
        Some(property) if property.value().is_some_and(|value| value.as_null_keyword().is_some()) => {
            property.object_value_or_set()
        }
        _ => settings.object_value_or_create(section).ok_or_else(unusual)?,
    };
    match servers.get(NAME) {
        Some(property) => property.set_value(input(entry)),
        None => {
            servers.append(NAME, input(entry));
        }
    }
    let mut changed = root.to_string();
    if text.trim().is_empty() {
        changed = format!("{}\n", changed.trim());
    }
    Ok(changed)
}

pub(super) fn take(text: &str, section: &str) -> Result<String, Fault> {
    let root = parse(text)?;
    let settings = root.object_value();
    let servers = settings.as_ref().and_then(|settings| settings.object_value(section));
    if let Some(property) = servers.as_ref().and_then(|servers| servers.get(NAME)) {
        property.remove();
    }
    if servers.is_some_and(|servers| servers.properties().is_empty())
        && let Some(section) = settings.and_then(|settings| settings.get(section))
    {
        section.remove();
    }
    Ok(root.to_string())
}

fn parse(text: &str) -> Result<CstRootNode, Fault> {
    CstRootNode::parse(text, &OPTIONS).map_err(|error| Fault::Broken {
        line: error.line_display(),
        column: error.column_display(),
        problem: error.kind().to_string(),
    })
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
