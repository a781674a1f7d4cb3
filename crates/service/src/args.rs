//! Reading a call's arguments: strictly, with an error that names the argument.

use crate::outcome::Stop;
use domain::{Space, limits};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

pub(crate) type Arguments = Map<String, Value>;

/// In the place of a `user_id`: every space that the caller reaches.
pub(crate) const ALL_SPACES: &str = "*";

/// Which of the three arguments that select a space a tool takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// `user_id`, `agent_id` and `run_id`.
    Space,
    /// The same, or `*` as the `user_id` for every space that the caller reaches.
    SpaceOrAll,
    /// `user_id` alone.
    User,
    NoSpace,
}

impl Takes {
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Space | Self::SpaceOrAll => &["user_id", "agent_id", "run_id"],
            Self::User => &["user_id"],
            Self::NoSpace => &[],
        }
    }

    /// Takes the space out of the arguments, so that a tool sees only its own.
    pub fn take_space(self, arguments: &mut Arguments) -> Result<Option<Space>, Stop> {
        if self == Self::NoSpace {
            return Ok(None);
        }
        let mut take = |name: &str| match arguments.shift_remove(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => named(name, text),
            Some(other) => Err(wrong_type(name, "a string", &other)),
        };
        let user_id = take("user_id")?;
        let user_id = if user_id.is_empty() { domain::DEFAULT_USER.to_owned() } else { user_id };
        let (agent_id, run_id) = match self {
            Self::Space | Self::SpaceOrAll => (take("agent_id")?, take("run_id")?),
            Self::User | Self::NoSpace => Default::default(),
        };
        Ok(Some(Space { user_id, agent_id, run_id }))
    }

    /// Adds the arguments of the space to a tool's own.
    pub fn describe(self, schema: &mut Map<String, Value>) {
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        let Some(properties) = properties.as_object_mut() else { return };
        // The instructions of the server say what they are for; here they would be said thirty times.
        for name in self.names() {
            let default = if *name == "user_id" { domain::DEFAULT_USER } else { "" };
            properties.insert((*name).to_owned(), json!({ "type": "string", "default": default }));
        }
    }
}

/// A name that will stand in the audit log and in receipts: short, and of one line.
pub(crate) fn named(argument: &str, text: String) -> Result<String, Stop> {
    if text.len() > limits::NAME_BYTES {
        return Err(Stop::refused(format!(
            "Argument '{argument}' is too long: {} bytes, at most {} are taken.",
            text.len(),
            limits::NAME_BYTES
        )));
    }
    if text.chars().any(char::is_control) {
        return Err(Stop::refused(format!(
            "Argument '{argument}' must not hold line breaks or control characters."
        )));
    }
    Ok(text)
}

/// A text that must say something and must not be a book.
pub(crate) fn worded(argument: &str, text: &str, most: usize) -> Result<(), Stop> {
    if text.trim().is_empty() {
        return Err(Stop::refused(format!("Argument '{argument}' is empty: give it some text.")));
    }
    if text.len() > most {
        return Err(Stop::refused(format!(
            "Argument '{argument}' is too long: {} bytes, at most {most} are taken. Split it.",
            text.len()
        )));
    }
    Ok(())
}

pub(crate) fn parse<T: DeserializeOwned>(arguments: Arguments) -> Result<T, Stop> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner().to_string();
        let text = match path.as_str() {
            "." => format!("Invalid arguments: {inner}."),
            argument => format!("Invalid argument '{argument}': {inner}."),
        };
        Stop::refused(text)
    })
}

fn wrong_type(argument: &str, wanted: &str, got: &Value) -> Stop {
    let got = match got {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Stop::refused(format!("Invalid argument '{argument}': it takes {wanted}, not {got}."))
}

// A whole number, also when a client wrote it as a string. Not a doc comment: that would stand in every schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Whole(pub i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let value = Value::deserialize(deserializer)?;
        let number = match &value {
            Value::Number(number) => number.as_i64().or_else(|| whole_float(number.as_f64()?)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.map(Self).ok_or_else(|| D::Error::custom("it takes a whole number"))
    }
}

/// A number of days, fractions included, also when a client wrote it as a string. None is off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Days(pub f64);

impl<'de> Deserialize<'de> for Days {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let value = Value::deserialize(deserializer)?;
        let number = match &value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let days = number.filter(|days| days.is_finite() && *days >= 0.0);
        days.map(Self)
            .ok_or_else(|| D::Error::custom("it takes a number of days from 0 (off) on, such as 7 or 0.5"))
    }
}

/// `3.0` is the same number as `3`; some clients write every number so.
fn whole_float(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}
