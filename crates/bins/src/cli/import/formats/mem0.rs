//! mem0: what `get_all` and the platform's API give, an export of theirs, and rows of the history.

use super::fields::{id, made_id, text, time};
use crate::cli::import::files::File;
use crate::cli::import::json::{Found, See, found};
use crate::cli::import::record::{Place, Reading, Record, State};
use domain::{Earlier, Timestamp, Triple};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The lists that memories, their history and relations are in.
const LISTS: [&str; 6] = ["results", "memories", "history", "relations", "data", "items"];
/// Kept in the metadata: they have no place of their own in a fact.
const KEPT: [&str; 6] = ["app_id", "categories", "expiration_date", "immutable", "actor_id", "role"];

pub fn read(files: &[File], reading: &mut Reading) -> Result<(), String> {
    let found = found(files, |key, fields| {
        let has = |name: &str| fields.contains_key(name);
        match key {
            _ if has("memory") || has("event") || has("relationship") => See::Take,
            _ if LISTS.iter().any(|list| fields.get(*list).is_some_and(Value::is_array)) => See::Enter,
            "" => See::Take,
            _ if LISTS.contains(&key) => See::Take,
            _ => See::Pass,
        }
    })?;
    let mut history: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    let (mut memories, mut relations) = (Vec::new(), Vec::new());
    for object in found {
        if object.fields.contains_key("event") {
            match Event::read(&object) {
                Ok((memory, event)) => history.entry(memory).or_default().push(event),
                Err(why) => reading.take(object.place, Err(why)),
            }
        } else if object.fields.contains_key("relationship") {
            relations.push(object);
        } else {
            match memory(&object) {
                Ok(record) => memories.push(record),
                Err(why) => reading.take(object.place, Err(why)),
            }
        }
    }
    let users: BTreeSet<Option<String>> = memories.iter().map(|memory| memory.user.clone()).collect();
    for object in relations {
        reading.take(object.place.clone(), relation(&object, &users));
    }
    for mut record in memories {
        if let Some(mut events) = history.remove(&record.id) {
            record.earlier = earlier(&mut events, &record.value);
        }
        reading.records.push(record);
    }
    // What was deleted is in the history alone.
    for (memory, mut events) in history {
        if let Some(place) = events.first().map(|event| event.place.clone()) {
            reading.take(place.clone(), told_by_history(memory, place, &mut events, &users));
        }
    }
    Ok(())
}

fn memory(object: &Found) -> Result<Record, String> {
    let mut record = object.words("memory")?;
    for name in KEPT {
        record.keep(name, object.fields.get(name));
    }
    // It is no longer given to clients from then on.
    if let Some(at) = time(&object.fields, &["expiration_date"])? {
        record.state = State::Ended(Some(at));
    }
    Ok(record)
}

/// Whose it is: where it names nobody, the one user whose memories are beside it.
fn owner(own: Option<String>, users: &BTreeSet<Option<String>>) -> Result<Option<String>, String> {
    if own.is_none() && users.len() > 1 {
        return Err("it is not clear whose this is; bring it alone, with --user".to_owned());
    }
    Ok(own.or_else(|| users.first().cloned().flatten()))
}

fn relation(object: &Found, users: &BTreeSet<Option<String>>) -> Result<Record, String> {
    let (head, relation) = (object.needed("source")?, object.needed("relationship")?);
    let tail = text(&object.fields, "target")?.map_or_else(|| object.needed("destination"), Ok)?;
    let made = made_id(&[&head, &relation, &tail]);
    let user = owner(id(&object.fields, "user_id")?, users)?;
    Ok(Record { user, ..Record::relation(object.place.clone(), made, Triple { head, relation, tail }) })
}

/// A row of the history of one memory.
struct Event {
    place: Place,
    user: Option<String>,
    old: Option<String>,
    new: Option<String>,
    is_end: bool,
    created: Option<Timestamp>,
    at: Option<Timestamp>,
}

impl Event {
    fn read(object: &Found) -> Result<(String, Self), String> {
        let fields = &object.fields;
        let memory = id(fields, "memory_id")?.ok_or("the history names no 'memory_id'")?;
        let word = text(fields, "event")?.unwrap_or_default().to_uppercase();
        if !["ADD", "UPDATE", "DELETE"].contains(&word.as_str()) {
            return Err(format!("the event '{word}' is none of ADD, UPDATE, DELETE"));
        }
        let event = Self {
            place: object.place.clone(),
            user: id(fields, "user_id")?,
            old: text(fields, "old_memory")?,
            new: text(fields, "new_memory")?,
            is_end: word == "DELETE",
            created: time(fields, &["created_at"])?,
            at: time(fields, &["updated_at", "created_at"])?,
        };
        Ok((memory, event))
    }
}

/// What the memory said before, as far as the history has it. A deletion is written without a time.
fn earlier(events: &mut [Event], now: &str) -> Vec<Earlier> {
    events.sort_by_key(|event| (event.at.is_none(), event.at));
    let changes = events.iter().filter(|event| !event.is_end);
    let mut earlier: Vec<Earlier> =
        changes.filter_map(|event| Some(Earlier { value: event.old.clone()?, until: event.at? })).collect();
    // A change to the same text is none.
    earlier.dedup_by(|later, before| {
        let is_same = later.value == before.value;
        before.until = if is_same { later.until } else { before.until };
        is_same
    });
    earlier.pop_if(|last| last.value == now);
    earlier
}

/// A memory of which only the history is left.
fn told_by_history(
    memory: String,
    place: Place,
    events: &mut [Event],
    users: &BTreeSet<Option<String>>,
) -> Result<Record, String> {
    events.sort_by_key(|event| (event.at.is_none(), event.at));
    let none = || "the history of this memory holds no text".to_owned();
    let said = events.iter().rev().find_map(|event| event.new.clone().or_else(|| event.old.clone()));
    let mut record = Record::words(place, memory, said.ok_or_else(none)?);
    record.earlier = earlier(events, &record.value);
    let (first, last) = events.first().zip(events.last()).ok_or_else(none)?;
    record.user = owner(first.user.clone(), users)?;
    record.created = first.created.or(first.at);
    record.state = if last.is_end { State::Ended(last.at) } else { State::Current };
    Ok(record)
}
