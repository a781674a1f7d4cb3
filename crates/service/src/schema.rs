//! The JSON Schema of a tool's arguments, as short as an agent can do with.

use crate::place;
use crate::tool::Tool;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// With defaults.
pub(crate) fn schema<T: Tool>() -> Value {
    let generated = SchemaSettings::draft2020_12()
        .with(|s| s.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T::Args>();
    let mut own = match generated.to_value() {
        Value::Object(own) => own,
        _ => Map::new(),
    };
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    let mut properties = own.remove("properties").unwrap_or_else(|| json!({}));
    trim(&mut properties);
    schema.insert("properties".to_owned(), properties);
    if let Some(required) = own.remove("required") {
        schema.insert("required".to_owned(), required);
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    place::describe::<T::Place>(&mut schema);
    Value::Object(schema)
}

/// Takes out what tells an agent nothing: which machine number holds a value, that what may be left out may also be
/// null, and line breaks of the source.
fn trim(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.shift_remove("format");
            if fields.get("default").is_some_and(Value::is_null) {
                fields.shift_remove("default");
            }
            if let Some(Value::Array(types)) = fields.get("type") {
                let kept = types.iter().find(|kind| *kind != "null").cloned();
                fields.extend(kept.map(|kind| ("type".to_owned(), kind)));
            }
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            fields.values_mut().for_each(trim);
        }
        Value::Array(items) => items.iter_mut().for_each(trim),
        _ => {}
    }
}
