//! What those are called whom facts and the audit log name by an id.

use crate::foreign::foreign;
use domain::{CallerId, Fact};
use maud::{Markup, html};
use serde_json::Value;
use std::collections::HashMap;

const ASSERTED_BY: &str = "asserted_by";

/// Where the metadata of a fact names a caller.
const CALLERS: [&str; 3] = [ASSERTED_BY, domain::APPROVED_BY, domain::REJECTED_BY];

#[derive(Debug, Default)]
pub(crate) struct Names(pub HashMap<String, String>);

/// Every caller that the fact names.
pub(crate) fn callers(fact: &Fact) -> impl Iterator<Item = &str> {
    CALLERS.into_iter().filter_map(|key| text(fact, key))
}

fn text<'a>(fact: &'a Fact, key: &str) -> Option<&'a str> {
    fact.metadata.get(key).and_then(Value::as_str)
}

impl Names {
    /// The name, or the id of somebody who has none.
    pub fn of<'a>(&'a self, id: &'a str) -> &'a str {
        match CallerId::of(id) {
            Some(CallerId::Local) => "the person at this machine",
            _ => self.0.get(id).map_or(id, String::as_str),
        }
    }

    /// One entry of a fact's metadata, with the name where it is of a caller.
    pub fn shown(&self, key: &str, value: &Value) -> String {
        match value {
            Value::String(id) if CALLERS.contains(&key) => self.of(id).to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// Who said it: the source that the words claim, which can be anybody's, and whose key it was. Each has a line of its
    /// own, so that no source reads like a key.
    pub fn said_by(&self, fact: &Fact) -> Markup {
        let key = text(fact, ASSERTED_BY);
        html! {
            @if let Some(source) = &fact.source { span.claimed { "“" (foreign(source)) "”" } }
            @match (&fact.source, key) {
                (Some(_), Some(key)) => span.by { "with the key of " (self.key(key)) },
                (None, Some(key)) => span.by { (self.key(key)) },
                (Some(_), None) => {}
                (None, None) => span.by { "unknown" },
            }
        }
    }

    /// Names need not be unique, so the id is there for those who look for it.
    fn key(&self, id: &str) -> Markup {
        html! { strong title=(id) { (foreign(self.of(id))) } }
    }
}
