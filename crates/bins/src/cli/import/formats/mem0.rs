//! mem0: what `get_all` and the platform's API give, an export of theirs, and rows of the history.

use super::beside::mark_lists;
use super::fields::{id, id_of, made_id, text, time};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Earlier, Place, Reading, Record, State};
use domain::{Timestamp, Triple};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The lists that memories, their history and relations are in.
const LISTS: [&str; 6] = ["results", "memories", "history", "relations", "data", "items"];
/// Kept in the metadata: they have no place of their own in a fact.
const KEPT: [&str; 6] = ["app_id", "categories", "expiration_date", "immutable", "actor_id", "role"];

pub fn read(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
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
    let (first, mut memories, mut relations) = (reading.records.len(), Vec::new(), Vec::new());
    for object in found {
        let place = object.place.clone();
        if object.fields.contains_key("event") {
            match Event::read(place.clone(), &object) {
                Ok((memory, event)) => history.entry(memory).or_default().push(event),
                Err(why) => reading.take(place, Err(why)),
            }
        } else if object.fields.contains_key("relationship") {
            relations.push(object);
        } else {
            match memory(place.clone(), &object.fields) {
                Ok(record) => memories.push(record),
                Err(why) => reading.take(place, Err(why)),
            }
        }
    }
    let owners = Owners::of(&memories);
    for Found { place, fields, .. } in relations {
        let user = id(&fields, "user_id").and_then(|own| owners.owner(own, &place));
        let record = user.and_then(|user| Ok(Record { user, ..relation(place.clone(), &fields)? }));
        reading.take(place, record);
    }
    for mut record in memories {
        if let Some(events) = history.remove(&record.id) {
            record.earlier = earlier(&events, &record.value);
        }
        reading.records.push(record);
    }
    // What was deleted is in the history alone.
    for (memory, events) in history {
        let Some(first) = events.first() else { continue };
        let (own, place) = (first.user.clone(), first.place.clone());
        let record =
            owners.owner(own, &place).and_then(|user| told_by_history(memory, user, place.clone(), &events));
        reading.take(place, record);
    }
    mark_lists(reading.records.iter_mut().skip(first));
}

fn memory(place: Place, fields: &Map<String, Value>) -> Result<Record, String> {
    let words = text(fields, "memory")?.ok_or("there is no text in 'memory'")?;
    let mut record = Record::words(place, id_of(fields, "id")?, words);
    record.user = id(fields, "user_id")?;
    record.agent = id(fields, "agent_id")?;
    record.run = id(fields, "run_id")?;
    record.created = time(fields, &["created_at"])?;
    record.changed = time(fields, &["updated_at"])?;
    record.keep_metadata(fields.get("metadata"));
    for name in KEPT {
        record.keep(name, fields.get(name));
    }
    record.keep("source_created_at", fields.get("created_at"));
    // It is no longer given to clients from then on.
    if let Some(at) = time(fields, &["expiration_date"])? {
        record.state = State::Ended(Some(at));
    }
    Ok(record)
}

/// The users whose memories are in each file.
struct Owners(BTreeMap<Arc<str>, BTreeSet<Option<String>>>);

impl Owners {
    fn of(memories: &[Record]) -> Self {
        let mut owners: BTreeMap<Arc<str>, BTreeSet<Option<String>>> = BTreeMap::new();
        for memory in memories {
            owners.entry(memory.place.file.clone()).or_default().insert(memory.user.clone());
        }
        Self(owners)
    }

    /// Whose it is, where it names nobody: the one user whose memories are in the same file, or else in all of them.
    fn owner(&self, own: Option<String>, place: &Place) -> Result<Option<String>, String> {
        if own.is_some() {
            return Ok(own);
        }
        let beside = self.0.get(&place.file).cloned();
        let users = beside.unwrap_or_else(|| self.0.values().flatten().cloned().collect());
        match users.len() {
            0 | 1 => Ok(users.into_iter().next().flatten()),
            _ => Err("it is not clear whose this is: it names no user, and the memories beside it have several; bring \
                      it alone, with --user"
                .to_owned()),
        }
    }
}

fn relation(place: Place, fields: &Map<String, Value>) -> Result<Record, String> {
    let none = |name: &str| format!("the relation has no '{name}'");
    let part = |name: &str| text(fields, name)?.ok_or_else(|| none(name));
    let tail = text(fields, "target")?.or(text(fields, "destination")?).ok_or_else(|| none("target"))?;
    let triple = Triple { head: part("source")?, relation: part("relationship")?, tail };
    let id = made_id(&format!("{}\u{1f}{}\u{1f}{}", triple.head, triple.relation, triple.tail));
    Ok(Record::relation(place, id, triple))
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
    fn read(place: Place, object: &Found) -> Result<(String, Self), String> {
        let fields = &object.fields;
        let memory = id(fields, "memory_id")?.ok_or("the history names no 'memory_id'")?;
        let word = text(fields, "event")?.unwrap_or_default().to_uppercase();
        let event = Self {
            place,
            user: id(fields, "user_id")?,
            old: text(fields, "old_memory")?,
            new: text(fields, "new_memory")?,
            is_end: word == "DELETE",
            created: time(fields, &["created_at"])?,
            at: time(fields, &["updated_at", "created_at"])?,
        };
        match word.as_str() {
            "ADD" | "UPDATE" | "DELETE" => Ok((memory, event)),
            _ => Err(format!("the event '{word}' is none of ADD, UPDATE, DELETE")),
        }
    }
}

/// A deletion is written without a time.
fn in_order(events: &[Event]) -> Vec<&Event> {
    let mut events: Vec<&Event> = events.iter().collect();
    events.sort_by_key(|event| (event.at.is_none(), event.at));
    events
}

/// What the memory said before, as far as the history has it.
fn earlier(events: &[Event], now: &str) -> Vec<Earlier> {
    let changes = in_order(events).into_iter().filter(|event| !event.is_end);
    let mut earlier: Vec<Earlier> =
        changes.filter_map(|event| Some(Earlier { value: event.old.clone()?, until: event.at? })).collect();
    // A change to the same text is none.
    earlier.dedup_by(|later, before| {
        let is_same = later.value == before.value;
        if is_same {
            before.until = later.until;
        }
        is_same
    });
    earlier.pop_if(|last| last.value == now);
    earlier
}

/// A memory of which only the history is left.
fn told_by_history(
    memory: String,
    user: Option<String>,
    place: Place,
    events: &[Event],
) -> Result<Record, String> {
    let sorted = in_order(events);
    let none = || "the history of this memory holds no text".to_owned();
    let (first, last) = sorted.first().zip(sorted.last()).ok_or_else(none)?;
    let said = sorted.iter().rev().find_map(|event| event.new.clone().or_else(|| event.old.clone()));
    let said = said.ok_or_else(none)?;
    let mut record = Record::words(place, memory, said.clone());
    record.user = user;
    record.created = first.created.or(first.at);
    record.earlier = earlier(events, &said);
    record.state = if last.is_end { State::Ended(last.at) } else { State::Current };
    Ok(record)
}
