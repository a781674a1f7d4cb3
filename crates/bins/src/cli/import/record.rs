//! A record of another memory, as its reader understood it.

use domain::{Times, Timestamp, Triple};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Where a record is: a file as it was named, and a line in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: Arc<str>,
    pub line: usize,
}

impl Place {
    /// Of what is in no file.
    pub fn nowhere() -> Self {
        Self { file: Arc::from(""), line: 0 }
    }

    pub fn is_nowhere(&self) -> bool {
        self.file.is_empty()
    }
}

#[derive(Debug, Clone)]
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
    pub kind: Option<&'static str>,
    pub confidence: Option<f64>,
    pub source: Option<String>,
    pub triple: Triple,
    pub metadata: Map<String, Value>,
    /// What it said before, oldest first.
    pub earlier: Vec<Earlier>,
    pub created: Option<Timestamp>,
    /// When it was said and holds, where it says so apart from that.
    pub times: Times,
    /// Whether it is one value of several.
    pub list: bool,
    /// When it last changed, where its state does not say so.
    pub changed: Option<Timestamp>,
    pub state: State,
    /// It is put down as it is, because telling it would take back what still holds.
    pub is_history: bool,
    /// The id of the record that it replaced.
    pub supersedes: Option<String>,
    /// The change that it waits to make, in the form of an export.
    pub pending: Option<Value>,
    /// How many records with the same id, that say something else, are before it.
    pub namesake: usize,
    /// Another record with the same id says something else.
    pub has_namesakes: bool,
    /// The files are all that its memory holds, so no other memory has its id.
    pub is_whole: bool,
    /// It is in no file any more.
    pub has_vanished: bool,
}

#[derive(Debug, Clone)]
pub struct Earlier {
    pub value: String,
    pub until: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
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
        Self {
            place,
            id,
            user: None,
            agent: None,
            run: None,
            subject: None,
            value: words.into(),
            text: None,
            scope: None,
            kind: None,
            confidence: None,
            source: None,
            triple: Triple::default(),
            metadata: Map::new(),
            earlier: Vec::new(),
            created: None,
            times: Times::default(),
            list: false,
            changed: None,
            state: State::Current,
            is_history: false,
            supersedes: None,
            pending: None,
            namesake: 0,
            has_namesakes: false,
            is_whole: false,
            has_vanished: false,
        }
    }

    pub fn fact(place: Place, id: String, subject: impl Into<String>, value: impl Into<String>) -> Self {
        Self { subject: Some(subject.into()), ..Self::words(place, id, value) }
    }

    /// A relation between two things.
    pub fn relation(place: Place, id: String, triple: Triple) -> Self {
        let verb = triple.relation.replace('_', " ").to_lowercase();
        let subject = format!("{} {verb}", triple.head);
        let text = format!("{subject} {}.", triple.tail);
        Self { triple: triple.clone(), text: Some(text), ..Self::fact(place, id, subject, triple.tail) }
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
    pub unread: Vec<Unread>,
}

/// Something in a file that could not be read as a record.
#[derive(Debug)]
pub struct Unread {
    pub place: Place,
    pub why: String,
}

impl Reading {
    pub fn take(&mut self, place: Place, record: Result<Record, String>) {
        match record {
            Ok(record) => self.records.push(record),
            Err(why) => self.unread.push(Unread { place, why }),
        }
    }
}
