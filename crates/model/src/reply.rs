//! Reads facts out of a model's reply, and nothing else.

use domain::RawFact;
use serde_json::{Deserializer, Map, Value};
use std::collections::HashSet;

pub(crate) enum Reply {
    /// A complete list of facts, which may be empty.
    Whole(Vec<RawFact>),
    /// No complete list, though some entries of it may be complete.
    Broken { salvaged: Vec<RawFact> },
}

/// Each failed reading may walk the whole text. A reply with this many stray brackets before its JSON is broken.
const FAILED_READINGS: u32 = 32;

pub(crate) fn facts(text: &str) -> Reply {
    let text = without_thinking(text);
    match whole_list(text) {
        Some(facts) => Reply::Whole(facts),
        None => Reply::Broken { salvaged: until_repeated(salvage(text)) },
    }
}

/// A model that goes round in circles until it is cut off has said all that it has to say before it first repeats
/// itself. In a complete reply a fact listed twice means nothing.
fn until_repeated(mut facts: Vec<RawFact>) -> Vec<RawFact> {
    let says =
        |fact: &RawFact| (fact.subject.clone(), fact.value.clone(), fact.scope.clone(), fact.action.clone());
    let mut seen = HashSet::new();
    let end = facts.iter().position(|fact| !seen.insert(says(fact))).unwrap_or(facts.len());
    facts.truncate(end);
    facts
}

/// Some models write their thoughts before their reply, and some templates swallow the tag that opens them. Tags
/// within the reply itself are left alone: they may belong to a value.
pub(crate) fn without_thinking(text: &str) -> &str {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "</think>";
    let mut text = text.trim();
    while let Some(thoughts) = text.strip_prefix(OPEN) {
        text = thoughts.split_once(CLOSE).map_or("", |(_, rest)| rest.trim_start());
    }
    match text.split_once(CLOSE) {
        Some((thoughts, rest)) if !thoughts.contains(OPEN) && !text.starts_with(['{', '[', '`']) => {
            rest.trim()
        }
        _ => text,
    }
}

/// The last complete list in the text: a model that drafts before it replies puts the reply last.
fn whole_list(text: &str) -> Option<Vec<RawFact>> {
    if text == "[]" {
        return Some(Vec::new());
    }
    let mut found = None;
    let mut rest = text;
    let mut failed = 0;
    while let Some(candidate) = rest.find(['{', '[']).and_then(|start| rest.get(start..)) {
        let mut values = Deserializer::from_str(candidate).into_iter::<Value>();
        let read = match values.next() {
            Some(Ok(value)) => {
                let list = match value {
                    Value::Object(object) => listed_facts(object),
                    // Within something broken, a list is not the reply but a part of it.
                    Value::Array(items) if failed == 0 => bare_facts(items),
                    _ => None,
                };
                found = list.or(found);
                values.byte_offset()
            }
            _ if failed < FAILED_READINGS => {
                failed += 1;
                1
            }
            _ => break,
        };
        rest = candidate.get(read..).unwrap_or_default();
    }
    found
}

fn listed_facts(mut object: Map<String, Value>) -> Option<Vec<RawFact>> {
    match object.remove("facts")? {
        Value::Array(items) => items.into_iter().map(object_of).map(|o| o.as_ref().map(raw_fact)).collect(),
        _ => None,
    }
}

/// A list without the key before it must have entries that look like facts.
fn bare_facts(items: Vec<Value>) -> Option<Vec<RawFact>> {
    let facts: Option<Vec<RawFact>> = items
        .into_iter()
        .map(|item| object_of(item).as_ref().map(raw_fact).filter(names_a_subject))
        .collect();
    facts.filter(|list| !list.is_empty())
}

fn object_of(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// The complete entries of a list that is broken or breaks off. After an entry without a clear end, what follows cannot
/// be distinguished from its parts.
fn salvage(text: &str) -> Vec<RawFact> {
    let mut facts = Vec::new();
    let mut rest = list_body(text).unwrap_or_default();
    while let Some(entry) = rest.find(['{', ']']).and_then(|start| rest.get(start..)) {
        let Some((object, after)) = balanced(entry).and_then(|end| entry.split_at_checked(end)) else {
            break;
        };
        if let Ok(object) = serde_json::from_str::<Map<String, Value>>(object) {
            facts.extend(Some(raw_fact(&object)).filter(names_a_subject));
        }
        rest = after;
    }
    facts
}

/// What follows the bracket that opens the list.
fn list_body(text: &str) -> Option<&str> {
    let after_key = |(at, key): (usize, &str)| {
        let after = text.get(at + key.len()..)?.trim_start();
        after.strip_prefix(':')?.trim_start().strip_prefix('[')
    };
    let bare = || text.get(text.find(['{', '['])?..)?.strip_prefix('[');
    text.match_indices("\"facts\"").find_map(after_key).or_else(bare)
}

/// The length of the object that the text begins with, if it begins with one and that one ends.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (byte == b'}').then_some(at + 1);
        }
    }
    None
}

fn names_a_subject(fact: &RawFact) -> bool {
    fact.subject.as_deref().is_some_and(|s| !s.trim().is_empty())
}

fn raw_fact(object: &Map<String, Value>) -> RawFact {
    let text = |name| object.get(name).and_then(Value::as_str).map(str::to_owned);
    RawFact {
        subject: text("subject"),
        value: object.get("value").and_then(plain_value),
        kind: text("kind"),
        scope: text("scope"),
        head: text("head"),
        relation: text("relation"),
        tail: text("tail"),
        time_ref: text("time_ref"),
        action: text("action"),
        confidence: object.get("confidence").and_then(finite_number),
        reason: text("reason"),
        target_id: object.get("target_id").and_then(fact_id),
        ..RawFact::default()
    }
}

/// A model that writes `5` or `true` for a value means these words.
fn plain_value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

fn finite_number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|n| n.is_finite())
}

/// As a number or as the text `12` or `#12`.
fn fact_id(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole_number(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.strip_prefix('#').unwrap_or(text).parse().ok()
        }
        _ => None,
    }
}

/// `12.0` is twelve. Above 2^53 a float no longer says which whole number was meant.
fn whole_number(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

#[cfg(test)]
mod tests;
