//! Which records of other memories hold a fact. Where one of them ends, the others go on to hold it, and so does whoever
//! said it here.

use domain::{Fact, Metadata};
use serde_json::{Value, json};
use std::fmt;

/// The keys of a fact's metadata that name the memory it was brought from, and its record there.
pub const IMPORTED_FROM: &str = "imported_from";
pub const IMPORTED_ID: &str = "imported_id";
/// The key that says that the record did not say since when it holds.
pub const IMPORTED_UNDATED: &str = "imported_undated";
/// The further records that say the same.
const IMPORTED_ALSO: &str = "imported_also";
/// Why the end of one record ends no fact.
pub(super) const HELD_ON: &str = "another record holds it still";
pub(super) const MANY: &str =
    "its record has ended, and of the many others that said the same not all are known";
/// More make the fact long. That there were more is noted.
const MOST: usize = 100;
const IMPORTED_BY_MORE: &str = "imported_by_more";

/// A record of another memory, as the metadata of a fact that it holds name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub from: String,
    pub id: String,
}

impl Holder {
    pub(super) fn of(metadata: &Metadata) -> Option<Self> {
        let part = |key| metadata.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self { from: part(IMPORTED_FROM)?, id: part(IMPORTED_ID)? })
    }

    fn read(value: &Value) -> Option<Self> {
        let part = |key| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self { from: part("from")?, id: part("id")? })
    }

    fn write(&self) -> Value {
        json!({ "from": self.from, "id": self.id })
    }

    pub(super) fn holds(&self, fact: &Fact) -> bool {
        Self::of(&fact.metadata).as_ref() == Some(self) || further(fact).contains(self)
    }
}

/// As words that were put down as they are call it.
impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.from, self.id)
    }
}

pub(super) fn is_undated(metadata: &Metadata) -> bool {
    metadata.contains_key(IMPORTED_UNDATED)
}

/// The records that hold the fact.
pub fn holders(fact: &Fact) -> Vec<Holder> {
    Holder::of(&fact.metadata).into_iter().chain(further(fact)).collect()
}

fn further(fact: &Fact) -> Vec<Holder> {
    let listed = fact.metadata.get(IMPORTED_ALSO).and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Holder::read).collect()
}

fn set_further(fact: &mut Fact, records: &[Holder]) {
    if records.is_empty() {
        fact.metadata.remove(IMPORTED_ALSO);
    } else {
        let listed = records.iter().map(Holder::write).collect();
        fact.metadata.insert(IMPORTED_ALSO.to_owned(), Value::Array(listed));
    }
}

/// The fact with the record among those that hold it; `None` where nothing is to be noted. What was said here holds
/// whatever a record does.
pub(super) fn with(fact: &Fact, record: &Holder) -> Option<Fact> {
    let mut records = further(fact);
    if Holder::of(&fact.metadata).is_none() || record.holds(fact) {
        return None;
    }
    let mut fact = fact.clone();
    if records.len() >= MOST {
        return fact.metadata.insert(IMPORTED_BY_MORE.to_owned(), true.into()).is_none().then_some(fact);
    }
    records.push(record.clone());
    set_further(&mut fact, &records);
    Some(fact)
}

/// Who holds a fact when a record no longer does.
pub(super) enum Left {
    Nobody,
    /// Another record; the fact as it is then.
    Record(Box<Fact>),
    /// Somebody who said it here.
    Somebody,
    /// A record that was one too many to be noted, unless that has ended too.
    Unknown,
}

pub(super) fn without(fact: &Fact, record: &Holder) -> Left {
    let Some(first) = Holder::of(&fact.metadata) else { return Left::Somebody };
    let mut records = further(fact);
    records.retain(|other| other != record);
    let mut fact = fact.clone();
    if first == *record {
        if records.is_empty() {
            let had_more = fact.metadata.contains_key(IMPORTED_BY_MORE);
            return if had_more { Left::Unknown } else { Left::Nobody };
        }
        let Holder { from, id } = records.remove(0);
        fact.metadata.insert(IMPORTED_FROM.to_owned(), from.into());
        fact.metadata.insert(IMPORTED_ID.to_owned(), id.into());
    }
    set_further(&mut fact, &records);
    Left::Record(Box::new(fact))
}
