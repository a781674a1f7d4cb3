//! What every tool declares about itself.

use crate::args::{Arguments, Takes};
use crate::outcome::{Done, Stop};
use crate::service::Service;
use domain::{Capability, Space};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::future::Future;
use std::pin::Pin;
use store::Call;

/// What a call does to the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    ReadOnly,
    Write,
    /// Removes for good; doing it twice is doing it once.
    Destructive,
}

/// Whether a call reaches the language model or the embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    Open,
    Closed,
}

/// A call that has passed the gate.
pub(crate) struct Context<'a> {
    pub service: &'a Service,
    pub call: &'a Call,
    pub space: Space,
}

impl Context<'_> {
    /// The subject under which facts are held: a declared slot's own name for its aliases.
    pub fn subject<'a>(&'a self, named: &'a str) -> &'a str {
        self.service.subject(named)
    }
}

pub(crate) trait Tool {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const CAPABILITY: Capability;
    const EFFECT: Effect;
    const WORLD: World;
    const TAKES: Takes;
    type Args: DeserializeOwned + JsonSchema + Send;

    fn run(cx: Context<'_>, args: Self::Args) -> impl Future<Output = Result<Done, Stop>> + Send;
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<Done, Stop>> + Send + 'a>>;

/// A tool as the gate and the protocol see it.
#[derive(Debug)]
pub struct ToolInfo {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub capability: Capability,
    pub effect: Effect,
    pub world: World,
    pub(crate) takes: Takes,
    schema: fn() -> Value,
    run: for<'a> fn(Context<'a>, Arguments) -> Running<'a>,
}

impl ToolInfo {
    pub(crate) const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            capability: T::CAPABILITY,
            effect: T::EFFECT,
            world: T::WORLD,
            takes: T::TAKES,
            schema: schema::<T>,
            run: run::<T>,
        }
    }

    /// The JSON Schema of the arguments, with defaults.
    pub fn input_schema(&self) -> Value {
        (self.schema)()
    }

    pub(crate) fn start<'a>(&self, cx: Context<'a>, arguments: Arguments) -> Running<'a> {
        (self.run)(cx, arguments)
    }
}

fn run<T: Tool>(cx: Context<'_>, arguments: Arguments) -> Running<'_> {
    Box::pin(async move { T::run(cx, crate::args::parse(arguments)?).await })
}

fn schema<T: Tool>() -> Value {
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
    T::TAKES.describe(&mut schema);
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
