//! Reading a call's arguments: strictly, with an error that names the argument.

use crate::outcome::Stop;
use domain::limits;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

pub(crate) type Arguments = Map<String, Value>;

/// A name that goes into the audit log and into receipts: short, and of one line.
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

pub(crate) fn wrong_type(argument: &str, wanted: &str, got: &Value) -> Stop {
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

// A whole number, also when a client wrote it as a string. Not a doc comment: that would show up in every schema.
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
