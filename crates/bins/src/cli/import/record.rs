//! A record of another memory, as its reader understood it.

use domain::{Earlier, Pending, Times, Timestamp, Triple};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Where a record is: a file as it was named, and a line in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    pub file: Arc<str>,
    pub line: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Record {
    pub place: Place,
    /// The id that it has where it comes from, or one that is made of what it says.
    pub id: String,
    pub user: Option<String>,
    pub agent: Option<String>,
    pub run: Option<String>,
    /// `None` where the record is words alone, from which the model reads the facts.
    pub subject: Option<String>,
    /// The value of the subject, or the words.
    pub value: String,
    /// The sentence that the value is from.
    pub text: Option<String>,
    pub scope: Option<String>,
    pub is_event: bool,
    /// Whether it is one value of several.
    pub list: bool,
    pub confidence: Option<f64>,
    pub source: Option<String>,
    pub triple: Triple,
    pub metadata: Map<String, Value>,
    /// What it said before, oldest first.
    pub earlier: Vec<Earlier>,
    pub created: Option<Timestamp>,
    /// When it was said and holds, where it says so apart from that.
    pub times: Times,
    /// When it last changed, where its state does not say so.
    pub changed: Option<Timestamp>,
    pub state: State,
    /// The id of the record that it replaced.
    pub supersedes: Option<String>,
    /// The change that it waits to make, and the id of the record that this would change.
    pub pending: Option<(Pending, Option<String>)>,
    /// How many records with the same id, that say something else, are before it.
    pub namesake: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum State {
    #[default]
    Current,
    /// It was replaced or deleted, at that time if it is known.
    Ended(Option<Timestamp>),
    /// It was over when it was told.
    Past,
    /// It waits for a decision.
    Waiting,
}

impl Record {
    pub fn words(place: Place, id: String, words: impl Into<String>) -> Self {
        Self { place, id, value: words.into(), ..Self::default() }
    }

    pub fn fact(place: Place, id: String, subject: impl Into<String>, value: impl Into<String>) -> Self {
        Self { subject: Some(subject.into()), ..Self::words(place, id, value) }
    }

    /// A relation between two things, of which a thing may have several: none of them replaces another.
    pub fn relation(place: Place, id: String, triple: Triple) -> Self {
        let subject = format!("{} {}", triple.head, triple.relation.replace('_', " ").to_lowercase());
        let text = format!("{subject} {}.", triple.tail);
        Self {
            triple: triple.clone(),
            text: Some(text),
            list: true,
            ..Self::fact(place, id, subject, triple.tail)
        }
    }

    /// When it ended, where it is over.
    pub const fn ended(&self) -> Option<Timestamp> {
        match self.state {
            State::Ended(at) => at,
            State::Current | State::Past | State::Waiting => None,
        }
    }

    /// What ends later than now holds until then.
    pub fn is_over(&self, now: Timestamp) -> bool {
        matches!(self.state, State::Ended(_) | State::Past) && self.ended().is_none_or(|at| at <= now)
    }

    /// Keeps what has no place of its own in a fact.
    pub fn keep(&mut self, name: &str, value: Option<&Value>) {
        if let Some(value) = value.filter(|value| !is_empty(value)) {
            self.metadata.insert(name.to_owned(), value.clone());
        }
    }

    /// Metadata that are no object have no names of their own.
    pub fn keep_metadata(&mut self, metadata: Option<&Value>) {
        match metadata {
            Some(Value::Object(metadata)) => self.metadata.clone_from(metadata),
            other => self.keep("metadata", other),
        }
    }
}

pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What was found in files.
#[derive(Debug, Default)]
pub struct Reading {
    pub records: Vec<Record>,
    /// What is in the form, and cannot be taken as it says.
    pub refused: Vec<(Place, String)>,
}

impl Reading {
    pub fn take_all(&mut self, place: Place, records: Result<Vec<Record>, String>) {
        match records {
            Ok(records) => self.records.extend(records),
            Err(why) => self.refused.push((place, why)),
        }
    }

    pub fn take(&mut self, place: Place, record: Result<Record, String>) {
        self.take_all(place, record.map(|record| vec![record]));
    }
}
