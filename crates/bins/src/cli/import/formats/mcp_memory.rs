//! The file of the reference MCP memory server: entities with observations, and relations, one a line.

use super::beside::mark_lists;
use super::fields::{made_id, text};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Place, Reading, Record};
use domain::Triple;
use serde_json::Value;

pub fn read(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
    // The reply of `read_graph` has the same objects in two lists, without their types.
    let found = found(files, reading, |key, fields| match key {
        "" if fields.contains_key("entities") || fields.contains_key("relations") => See::Enter,
        "" | "entities" | "relations" => See::Take,
        _ => See::Pass,
    });
    let first = reading.records.len();
    for object in found {
        let place = object.place.clone();
        if let Err(why) = read_object(&place, &object, reading) {
            reading.take(place, Err(why));
        }
    }
    mark_lists(reading.records.iter_mut().skip(first));
}

fn read_object(place: &Place, object: &Found, reading: &mut Reading) -> Result<(), String> {
    let kind = text(&object.fields, "type")?;
    match kind.as_deref().unwrap_or(object.key.as_str()) {
        "entity" | "entities" => entity(place, object, reading),
        "relation" | "relations" => {
            reading.records.push(relation(place.clone(), object)?);
            Ok(())
        }
        other => Err(format!("its type is '{other}', and neither 'entity' nor 'relation'")),
    }
}

/// Each observation is a record of its own: it can come and go by itself. An observation is a sentence about the entity,
/// and any number of them hold at once.
fn entity(place: &Place, object: &Found, reading: &mut Reading) -> Result<(), String> {
    let fields = &object.fields;
    let name = text(fields, "name")?.ok_or("the entity has no 'name'")?;
    let kind = text(fields, "entityType")?;
    let observations = fields.get("observations").and_then(Value::as_array);
    let observations = observations.ok_or("the entity has no list of 'observations'")?;
    let keep = |mut record: Record| {
        record.keep("entity_type", kind.clone().map(Value::from).as_ref());
        record
    };
    if observations.is_empty() {
        let id = made_id(&format!("entity\u{1f}{name}"));
        let value = kind.clone().unwrap_or_else(|| "entity".to_owned());
        reading.records.push(keep(Record::fact(place.clone(), id, format!("{name} type"), value)));
    }
    for observation in observations {
        let record = match observation {
            Value::String(words) if !words.trim().is_empty() => {
                let id = made_id(&format!("observation\u{1f}{name}\u{1f}{words}"));
                let text = Some(format!("{name}: {words}"));
                let record = Record::fact(place.clone(), id, name.clone(), words.trim());
                Ok(keep(Record { kind: Some("event"), text, ..record }))
            }
            other => Err(format!("an observation of '{name}' is {other}, and not a text")),
        };
        reading.take(place.clone(), record);
    }
    Ok(())
}

fn relation(place: Place, object: &Found) -> Result<Record, String> {
    let part =
        |name: &str| text(&object.fields, name)?.ok_or_else(|| format!("the relation has no '{name}'"));
    let triple = Triple { head: part("from")?, relation: part("relationType")?, tail: part("to")? };
    let id = made_id(&format!("relation\u{1f}{}\u{1f}{}\u{1f}{}", triple.head, triple.relation, triple.tail));
    Ok(Record::relation(place, id, triple))
}
