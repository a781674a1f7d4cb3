//! Letta: the memory blocks of an agent file, and archival passages as the API gives them.

use super::fields::{id_of, made_id, string};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Place, Reading, Record, State};
use crate::cli::moment::moment;
use serde_json::Value;
use std::collections::BTreeMap;

pub fn read(files: &[File], reading: &mut Reading) {
    let found = found(files, reading, |key, fields| {
        let has = |name: &str| fields.contains_key(name);
        match key {
            "blocks" | "core_memory" | "agents" | "passages" | "archival" | "archival_memory" => See::Take,
            "" if has("text") || (has("label") && has("value")) => See::Take,
            "" if fields.values().any(Value::is_array) => See::Enter,
            "" => See::Take,
            _ => See::Pass,
        }
    });
    let agents = agents(&found);
    for object in found.iter().filter(|object| object.key != "agents") {
        let place = object.place.clone();
        if object.fields.contains_key("text") {
            reading.take(place.clone(), passage(place, object, &agents));
        } else {
            block(&place, object, &agents, reading);
        }
    }
}

/// The names of the agents, by their own ids and by those of their blocks.
fn agents(objects: &[Found]) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for object in objects.iter().filter(|object| object.key == "agents") {
        let (Some(id), Some(name)) = (string(&object.fields, "id"), string(&object.fields, "name")) else {
            continue;
        };
        let blocks = object.fields.get("block_ids").and_then(Value::as_array).into_iter().flatten();
        for block in blocks.filter_map(Value::as_str) {
            names.insert(block.to_owned(), name.clone());
        }
        names.insert(id, name);
    }
    names
}

/// A block is a page that the agent keeps; each line of it says something of its own.
fn block(place: &Place, object: &Found, agents: &BTreeMap<String, String>, reading: &mut Reading) {
    let fields = &object.fields;
    let (Some(label), Some(value)) = (string(fields, "label"), string(fields, "value")) else {
        let why = "it is neither a block with a 'label' and a 'value' nor a passage with a 'text'".to_owned();
        return reading.take(place.clone(), Err(why));
    };
    let block = id_of(fields, "id");
    let (agent, created) = (agents.get(&block), moment(fields.get("created_at")));
    for line in value.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut record = Record::words(place.clone(), format!("{block}/{}", made_id(line)), line);
        record.agent = agent.cloned();
        record.created = created;
        record.keep("block", Some(&label.clone().into()));
        record.keep("block_description", fields.get("description"));
        reading.records.push(record);
    }
}

fn passage(place: Place, object: &Found, agents: &BTreeMap<String, String>) -> Result<Record, String> {
    let fields = &object.fields;
    let words = string(fields, "text").ok_or("the passage has no text")?;
    let mut record = Record::words(place, id_of(fields, "id"), words);
    record.agent = string(fields, "agent_id").map(|id| agents.get(&id).cloned().unwrap_or(id));
    record.created = moment(fields.get("created_at"));
    if let Some(Value::Object(metadata)) = fields.get("metadata") {
        record.metadata = metadata.clone();
    }
    record.keep("tags", fields.get("tags"));
    if fields.get("is_deleted").and_then(Value::as_bool) == Some(true) {
        record.state = State::Ended(moment(fields.get("updated_at")));
    }
    Ok(record)
}
