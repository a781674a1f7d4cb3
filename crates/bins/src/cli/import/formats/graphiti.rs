//! Zep and Graphiti: nodes and edges as their API gives them, with the times between which an edge is valid.

use super::fields::{id, text, time};
use crate::cli::import::files::File;
use crate::cli::import::json::{Found, See, found};
use crate::cli::import::record::{Reading, Record, State};
use domain::Triple;
use serde_json::Value;
use std::collections::BTreeMap;

pub fn read(files: &[File], reading: &mut Reading) -> Result<(), String> {
    let found = found(files, |key, fields| match key {
        _ if fields.contains_key("source_node_uuid") => See::Take,
        // Episodes are what was said, and no memory yet.
        "episodes" | "attributes" => See::Pass,
        _ if fields.contains_key("uuid") => See::Take,
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" | "nodes" | "edges" | "entities" | "facts" => See::Take,
        _ => See::Enter,
    })?;
    let (edges, nodes): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|object| object.fields.contains_key("source_node_uuid"));
    let mut names = BTreeMap::new();
    for object in &nodes {
        let name = id(&object.fields, "uuid").and_then(|uuid| Ok(uuid.zip(text(&object.fields, "name")?)));
        names.extend(name.unwrap_or_default());
        // A node says something where it has a summary; otherwise it only lends edges its name.
        if let Some(record) = node(object).transpose() {
            reading.take(object.place.clone(), record);
        }
    }
    edges.iter().for_each(|object| reading.take(object.place.clone(), edge(object, &names)));
    Ok(())
}

fn node(object: &Found) -> Result<Option<Record>, String> {
    let (name, fields) = (object.needed("name")?, &object.fields);
    let Some(summary) = text(fields, "summary")? else { return Ok(None) };
    let subject = format!("{name} summary");
    let mut record = Record::fact(object.place.clone(), object.own_id("uuid")?, subject, summary);
    record.user = id(fields, "group_id")?;
    record.created = time(fields, &["created_at"])?;
    record.keep("labels", fields.get("labels"));
    record.keep("attributes", fields.get("attributes"));
    Ok(Some(record))
}

fn edge(object: &Found, names: &BTreeMap<String, String>) -> Result<Record, String> {
    let (fields, fact, relation) = (&object.fields, object.needed("fact")?, object.needed("name")?);
    let end = |name| Ok::<_, String>(id(fields, name)?.and_then(|node| names.get(&node).cloned()));
    let (place, uuid) = (object.place.clone(), object.own_id("uuid")?);
    let mut record = match (end("source_node_uuid")?, end("target_node_uuid")?) {
        (Some(head), Some(tail)) => Record::relation(place, uuid, Triple { head, relation, tail }),
        // Without the names of its ends an edge is the sentence that it stands for.
        _ => Record::words(place, uuid, fact.clone()),
    };
    record.text = Some(fact);
    record.user = id(fields, "group_id")?;
    record.created = time(fields, &["valid_at", "created_at"])?;
    if let Some(ended) = time(fields, &["invalid_at", "expired_at"])? {
        record.state = State::Ended(Some(ended));
    }
    record.keep("attributes", fields.get("attributes"));
    record.keep("episodes", fields.get("episodes"));
    record.keep("source_created_at", fields.get("created_at"));
    Ok(record)
}
