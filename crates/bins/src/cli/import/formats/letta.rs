//! Letta: the memory blocks of an agent file, and archival passages as the API gives them.

use super::fields::{id, made_id, time};
use super::lines::without_marker;
use crate::cli::import::files::File;
use crate::cli::import::json::{Found, See, found};
use crate::cli::import::record::{Reading, Record, State};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn read(files: &[File], reading: &mut Reading) -> Result<(), String> {
    // Every agent file counts its agents and blocks from 0.
    for file in files {
        let found = found(std::slice::from_ref(file), |key, fields| {
            let has = |name: &str| fields.contains_key(name);
            match key {
                "blocks" | "core_memory" | "agents" | "passages" | "archival" | "archival_memory" => {
                    See::Take
                }
                "" if has("text") || (has("label") && has("value")) => See::Take,
                "" if fields.values().any(Value::is_array) => See::Enter,
                "" => See::Take,
                _ => See::Pass,
            }
        })?;
        let (agents, rest): (Vec<Found>, Vec<Found>) =
            found.into_iter().partition(|object| object.key == "agents");
        let mut names = BTreeMap::new();
        for agent in &agents {
            learn(agent, &mut names)?;
        }
        for object in rest {
            let is_passage = object.fields.contains_key("text");
            let records = if is_passage { passage(&object, &names) } else { block(&object, &names) };
            reading.take_all(object.place.clone(), records);
        }
    }
    Ok(())
}

/// The name of the agent, by its own id and by those of its blocks.
fn learn(agent: &Found, names: &mut BTreeMap<String, String>) -> Result<(), String> {
    let Some((own, name)) = id(&agent.fields, "id")?.zip(id(&agent.fields, "name")?) else { return Ok(()) };
    let blocks = agent.fields.get("block_ids").and_then(Value::as_array).into_iter().flatten();
    let blocks = blocks.filter_map(Value::as_str).map(str::to_owned);
    names.extend(blocks.chain([own]).map(|id| (id, name.clone())));
    Ok(())
}

/// A block is a page that the agent keeps; each line of it says something of its own.
fn block(object: &Found, names: &BTreeMap<String, String>) -> Result<Vec<Record>, String> {
    let (label, value, block) = (object.needed("label")?, object.needed("value")?, object.own_id("id")?);
    let created = time(&object.fields, &["created_at"])?;
    let lines = value.lines().map(without_marker).filter(|line| !line.is_empty());
    let record = |line| {
        let mut record = Record::words(object.place.clone(), format!("{block}/{}", made_id(&[line])), line);
        record.agent = names.get(&block).cloned();
        record.created = created;
        record.keep("block", Some(&json!(label)));
        record.keep("block_description", object.fields.get("description"));
        record
    };
    Ok(lines.map(record).collect())
}

fn passage(object: &Found, names: &BTreeMap<String, String>) -> Result<Vec<Record>, String> {
    let mut record = object.words("text")?;
    record.agent = record.agent.map(|id| names.get(&id).cloned().unwrap_or(id));
    record.keep("tags", object.fields.get("tags"));
    if object.fields.get("is_deleted").and_then(Value::as_bool) == Some(true) {
        record.state = State::Ended(record.changed.take());
    }
    Ok(vec![record])
}
