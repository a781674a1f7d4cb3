//! mem0: what `get_all` and the platform's API give, an export of theirs, and rows of the history.

use super::beside::mark_lists;
use super::fields::{id_of, made_id, string};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Earlier, Place, Reading, Record, State};
use crate::cli::moment::moment;
use domain::{Timestamp, Triple};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The lists that memories, their history and relations are in.
const LISTS: [&str; 6] = ["results", "memories", "history", "relations", "data", "items"];
/// Kept in the metadata: they have no place of their own in a fact.
const KEPT: [&str; 6] = ["app_id", "categories", "expiration_date", "immutable", "actor_id", "role"];

pub fn read(files: &[File], reading: &mut Reading) {
    let found = found(files, reading, |key, fields| {
        let has = |name: &str| fields.contains_key(name);
        match key {
            _ if has("memory") || has("event") || has("relationship") => See::Take,
            _ if LISTS.iter().any(|list| fields.get(*list).is_some_and(Value::is_array)) => See::Enter,
            "" => See::Take,
            _ if LISTS.contains(&key) => See::Take,
            _ => See::Pass,
        }
    });
    let mut history: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    let (first, mut memories) = (reading.records.len(), Vec::new());
    for object in found {
        let place = object.place.clone();
        if object.fields.contains_key("event") {
            match Event::read(place.clone(), &object) {
                Ok((memory, event)) => history.entry(memory).or_default().push(event),
                Err(why) => reading.take(place, Err(why)),
            }
        } else if object.fields.contains_key("relationship") {
            reading.take(place.clone(), relation(place, &object.fields));
        } else {
            match memory(place.clone(), &object.fields) {
                Ok(record) => memories.push(record),
                Err(why) => reading.take(place, Err(why)),
            }
        }
    }
    for mut record in memories {
        if let Some(events) = history.remove(&record.id) {
            record.earlier = earlier(&events, &record.value);
        }
        reading.records.push(record);
    }
    // What was deleted is in the history alone.
    for (memory, events) in history {
        told_by_history(memory, &events, reading);
    }
    mark_lists(reading.records.iter_mut().skip(first));
}

fn memory(place: Place, fields: &Map<String, Value>) -> Result<Record, String> {
    let words = string(fields, "memory").ok_or("there is no text in 'memory'")?;
    let mut record = Record::words(place, id_of(fields, "id"), words);
    record.user = string(fields, "user_id");
    record.agent = string(fields, "agent_id");
    record.run = string(fields, "run_id");
    record.created = moment(fields.get("created_at"));
    if let Some(Value::Object(metadata)) = fields.get("metadata") {
        record.metadata = metadata.clone();
    }
    for name in KEPT {
        record.keep(name, fields.get(name));
    }
    record.keep("source_updated_at", fields.get("updated_at"));
    Ok(record)
}

fn relation(place: Place, fields: &Map<String, Value>) -> Result<Record, String> {
    let part = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| string(fields, name));
        found.ok_or_else(|| format!("the relation has no '{}'", names.first().unwrap_or(&"")))
    };
    let (head, tail) = (part(["source", "source"])?, part(["target", "destination"])?);
    let triple = Triple { head, relation: part(["relationship", "relationship"])?, tail };
    let id = made_id(&format!("{}\u{1f}{}\u{1f}{}", triple.head, triple.relation, triple.tail));
    Ok(Record::relation(place, id, triple))
}

/// A row of the history of one memory.
struct Event {
    place: Place,
    old: Option<String>,
    new: Option<String>,
    is_end: bool,
    at: Option<Timestamp>,
    fields: Map<String, Value>,
}

impl Event {
    fn read(place: Place, object: &Found) -> Result<(String, Self), String> {
        let fields = &object.fields;
        let memory = string(fields, "memory_id").ok_or("the history names no 'memory_id'")?;
        let word = string(fields, "event").unwrap_or_default().to_uppercase();
        let event = Self {
            place,
            old: string(fields, "old_memory"),
            new: string(fields, "new_memory"),
            is_end: word == "DELETE",
            at: moment(fields.get("updated_at")).or_else(|| moment(fields.get("created_at"))),
            fields: fields.clone(),
        };
        match word.as_str() {
            "ADD" | "UPDATE" | "DELETE" => Ok((memory, event)),
            _ => Err(format!("the event '{word}' is none of ADD, UPDATE, DELETE")),
        }
    }
}

/// What the memory said before, as far as the history has it.
fn earlier(events: &[Event], now: &str) -> Vec<Earlier> {
    let mut events: Vec<&Event> = events.iter().collect();
    events.sort_by_key(|event| event.at);
    let changes = events.iter().filter(|event| !event.is_end && event.old.is_some());
    changes
        .filter_map(|event| Some(Earlier { value: event.old.clone()?, until: event.at? }))
        .filter(|earlier| earlier.value != now)
        .collect()
}

/// A memory of which only the history is left.
fn told_by_history(memory: String, events: &[Event], reading: &mut Reading) {
    let mut sorted: Vec<&Event> = events.iter().collect();
    sorted.sort_by_key(|event| event.at);
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return };
    let said = sorted.iter().rev().find_map(|event| event.new.clone().or_else(|| event.old.clone()));
    let Some(said) = said else {
        let why = "the history of this memory holds no text".to_owned();
        return reading.take(first.place.clone(), Err(why));
    };
    let mut record = Record::words(first.place.clone(), memory, said.clone());
    record.user = string(&first.fields, "user_id");
    record.created = moment(first.fields.get("created_at")).or(first.at);
    record.earlier = earlier(events, &said);
    record.state = if last.is_end { State::Ended(last.at) } else { State::Current };
    reading.records.push(record);
}
