//! The file of the reference MCP memory server: entities with observations, and relations, one a line.

use super::fields::{made_id, text};
use crate::cli::import::files::File;
use crate::cli::import::json::{Found, See, found};
use crate::cli::import::record::{Reading, Record};
use domain::Triple;
use serde_json::{Value, json};

pub fn read(files: &[File], reading: &mut Reading) -> Result<(), String> {
    // The reply of `read_graph` has the same objects in two lists, without their types.
    let found = found(files, |key, fields| match key {
        "" if fields.contains_key("entities") || fields.contains_key("relations") => See::Enter,
        "" | "entities" | "relations" => See::Take,
        _ => See::Pass,
    })?;
    for object in found {
        let kind = text(&object.fields, "type").map(|kind| kind.unwrap_or_else(|| object.key.clone()));
        let records = kind.and_then(|kind| match kind.as_str() {
            "entity" | "entities" => entity(&object),
            "relation" | "relations" => Ok(vec![relation(&object)?]),
            other => Err(format!("its type is '{other}', and neither 'entity' nor 'relation'")),
        });
        reading.take_all(object.place, records);
    }
    Ok(())
}

/// Each observation is a record of its own, since it can come and go by itself: a sentence about the entity, of which any
/// number hold at once.
fn entity(object: &Found) -> Result<Vec<Record>, String> {
    let (name, kind) = (object.needed("name")?, text(&object.fields, "entityType")?);
    let observations = object.fields.get("observations").and_then(Value::as_array);
    let observations = observations.ok_or("the entity has no list of 'observations'")?;
    let mut records = Vec::new();
    if observations.is_empty() {
        let value = kind.clone().unwrap_or_else(|| "entity".to_owned());
        let (id, subject) = (made_id(&["entity", &name]), format!("{name} type"));
        records.push(Record::fact(object.place.clone(), id, subject, value));
    }
    for observation in observations {
        let words = observation.as_str().map(str::trim).filter(|words| !words.is_empty());
        let words =
            words.ok_or_else(|| format!("an observation of '{name}' is {observation}, and not a text"))?;
        let id = made_id(&["observation", &name, words]);
        let mut record = Record::fact(object.place.clone(), id, name.clone(), words);
        (record.is_event, record.text) = (true, Some(format!("{name}: {words}")));
        records.push(record);
    }
    records.iter_mut().for_each(|record| record.keep("entity_type", Some(&json!(kind))));
    Ok(records)
}

fn relation(object: &Found) -> Result<Record, String> {
    let (head, relation, tail) =
        (object.needed("from")?, object.needed("relationType")?, object.needed("to")?);
    let id = made_id(&["relation", &head, &relation, &tail]);
    Ok(Record::relation(object.place.clone(), id, Triple { head, relation, tail }))
}
