//! Zep and Graphiti: nodes and edges as their API gives them, with the times between which an edge is valid.

use super::beside::mark_lists;
use super::fields::{id, id_of, text, time};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Place, Reading, Record, State};
use domain::Triple;
use serde_json::Value;
use std::collections::BTreeMap;

pub fn read(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
    let found = found(files, reading, |key, fields| match key {
        _ if fields.contains_key("source_node_uuid") => See::Take,
        // Episodes are what was said, and no memory yet.
        "episodes" | "attributes" => See::Pass,
        _ if fields.contains_key("uuid") => See::Take,
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" | "nodes" | "edges" | "entities" | "facts" => See::Take,
        _ => See::Enter,
    });
    let names: BTreeMap<String, String> = found
        .iter()
        .filter(|object| !is_edge(object))
        .filter_map(|object| id(&object.fields, "uuid").ok()?.zip(text(&object.fields, "name").ok()?))
        .collect();
    let first = reading.records.len();
    for object in &found {
        let place = object.place.clone();
        if is_edge(object) {
            reading.take(place.clone(), edge(place, object, &names));
        } else if let Some(record) = node(place.clone(), object).transpose() {
            reading.take(place, record);
        }
    }
    mark_lists(reading.records.iter_mut().skip(first));
}

fn is_edge(object: &Found) -> bool {
    object.fields.contains_key("source_node_uuid")
}

/// A node says something where it has a summary; otherwise it only lends edges its name.
fn node(place: Place, object: &Found) -> Result<Option<Record>, String> {
    let fields = &object.fields;
    let name = text(fields, "name")?.ok_or("the node has no 'name'")?;
    let Some(summary) = text(fields, "summary")? else { return Ok(None) };
    let mut record = Record::fact(place, id_of(fields, "uuid")?, format!("{name} summary"), summary);
    record.user = id(fields, "group_id")?;
    record.created = time(fields, &["created_at"])?;
    record.keep("labels", fields.get("labels"));
    record.keep("attributes", fields.get("attributes"));
    Ok(Some(record))
}

fn edge(place: Place, object: &Found, names: &BTreeMap<String, String>) -> Result<Record, String> {
    let fields = &object.fields;
    let fact = text(fields, "fact")?.ok_or("the edge has no 'fact'")?;
    let relation = text(fields, "name")?.ok_or("the edge has no 'name'")?;
    let head = id(fields, "source_node_uuid")?.and_then(|node| names.get(&node).cloned());
    let tail = id(fields, "target_node_uuid")?.and_then(|node| names.get(&node).cloned());
    let uuid = id_of(fields, "uuid")?;
    let mut record = match (head, tail) {
        (Some(head), Some(tail)) => Record::relation(place, uuid, Triple { head, relation, tail }),
        // Without the names of its ends an edge is the sentence that it stands for.
        _ => Record::words(place, uuid, fact.clone()),
    };
    record.text = Some(fact);
    record.user = id(fields, "group_id")?;
    record.created = time(fields, &["valid_at", "created_at"])?;
    let ended = time(fields, &["invalid_at", "expired_at"])?;
    if ended.is_some() {
        record.state = State::Ended(ended);
    }
    record.keep("attributes", fields.get("attributes"));
    record.keep("episodes", fields.get("episodes"));
    record.keep("source_created_at", fields.get("created_at"));
    Ok(record)
}
