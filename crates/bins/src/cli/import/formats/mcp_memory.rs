//! The file of the reference MCP memory server: entities with observations, and relations, one a line.

use super::beside::mark_lists;
use super::fields::{made_id, string};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Place, Reading, Record};
use domain::Triple;
use serde_json::Value;

pub fn read(files: &[File], reading: &mut Reading) {
    // The reply of `read_graph` has the same objects in two lists, without their types.
    let found = found(files, reading, |key, fields| match key {
        "" if fields.contains_key("entities") || fields.contains_key("relations") => See::Enter,
        "" | "entities" | "relations" => See::Take,
        _ => See::Pass,
    });
    let first = reading.records.len();
    for object in found {
        let place = object.place.clone();
        let kind = string(&object.fields, "type");
        match kind.as_deref().unwrap_or(object.key.as_str()) {
            "entity" | "entities" => entity(&place, &object, reading),
            "relation" | "relations" => reading.take(place.clone(), relation(place, &object)),
            other => {
                let why = format!("its type is '{other}', and neither 'entity' nor 'relation'");
                reading.take(place, Err(why));
            }
        }
    }
    mark_lists(reading.records.iter_mut().skip(first));
}

/// Each observation is a record of its own: it can come and go by itself. An observation is a sentence about the entity,
/// and any number of them hold at once.
fn entity(place: &Place, object: &Found, reading: &mut Reading) {
    let fields = &object.fields;
    let Some(name) = string(fields, "name") else {
        return reading.take(place.clone(), Err("the entity has no 'name'".to_owned()));
    };
    let kind = string(fields, "entityType");
    let observations = fields.get("observations").and_then(Value::as_array);
    let Some(observations) = observations else {
        return reading.take(place.clone(), Err("the entity has no list of 'observations'".to_owned()));
    };
    let keep = |mut record: Record| {
        record.keep("entity_type", kind.clone().map(Value::from).as_ref());
        record
    };
    if observations.is_empty() {
        let id = made_id(&format!("entity\u{1f}{name}"));
        let value = kind.clone().unwrap_or_else(|| "entity".to_owned());
        let record = Record::fact(place.clone(), id, format!("{name} type"), value);
        return reading.take(place.clone(), Ok(keep(record)));
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
}

fn relation(place: Place, object: &Found) -> Result<Record, String> {
    let part =
        |name: &str| string(&object.fields, name).ok_or_else(|| format!("the relation has no '{name}'"));
    let triple = Triple { head: part("from")?, relation: part("relationType")?, tail: part("to")? };
    let id = made_id(&format!("relation\u{1f}{}\u{1f}{}\u{1f}{}", triple.head, triple.relation, triple.tail));
    Ok(Record::relation(place, id, triple))
}
