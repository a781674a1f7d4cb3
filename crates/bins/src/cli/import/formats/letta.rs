//! Letta: the memory blocks of an agent file, and archival passages as the API gives them.

use super::fields::{id, id_of, made_id, text, time};
use super::found::{File, Found, found};
use super::marker::without_marker;
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Reading, Record, State};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub fn read(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
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
    let agents = Agents::of(&found, reading);
    for object in found.iter().filter(|object| object.key != "agents") {
        if object.fields.contains_key("text") {
            reading.take(object.place.clone(), passage(object, &agents));
        } else if let Err(why) = block(object, &agents, reading) {
            reading.take(object.place.clone(), Err(why));
        }
    }
}

/// The names of the agents, by their own ids and by those of their blocks. Every agent file counts them from 0.
#[derive(Default)]
struct Agents {
    names: BTreeMap<String, BTreeMap<Arc<str>, String>>,
}

impl Agents {
    fn of(objects: &[Found], reading: &mut Reading) -> Self {
        let mut agents = Self::default();
        for object in objects.iter().filter(|object| object.key == "agents") {
            if let Err(why) = agents.learn(object) {
                reading.take(object.place.clone(), Err(why));
            }
        }
        agents
    }

    fn learn(&mut self, object: &Found) -> Result<(), String> {
        let (agent, name) = (id(&object.fields, "id")?, id(&object.fields, "name")?);
        let Some((agent, name)) = agent.zip(name) else { return Ok(()) };
        let blocks = object.fields.get("block_ids").and_then(Value::as_array).into_iter().flatten();
        let blocks = blocks.filter_map(Value::as_str).map(str::to_owned);
        for id in blocks.chain([agent]) {
            self.names.entry(id).or_default().insert(object.place.file.clone(), name.clone());
        }
        Ok(())
    }

    /// The agent that the object's own file calls so, or the only one that another file does.
    fn name(&self, id: &str, object: &Found) -> Option<&String> {
        let names = self.names.get(id)?;
        let different: BTreeSet<&String> = names.values().collect();
        let only = different.first().copied().filter(|_| different.len() == 1);
        names.get(&object.place.file).or(only)
    }
}

/// A block is a page that the agent keeps; each line of it says something of its own.
fn block(object: &Found, agents: &Agents, reading: &mut Reading) -> Result<(), String> {
    let fields = &object.fields;
    let (label, value) = text(fields, "label")?
        .zip(text(fields, "value")?)
        .ok_or("it is neither a block with a 'label' and a 'value' nor a passage with a 'text'")?;
    let block = id_of(fields, "id")?;
    let (agent, created) = (agents.name(&block, object), time(fields, &["created_at"])?);
    let lines = value.lines().map(|line| without_marker(line.trim())).filter(|line| !line.is_empty());
    for line in lines {
        let mut record = Record::words(object.place.clone(), format!("{block}/{}", made_id(line)), line);
        record.agent = agent.cloned();
        record.created = created;
        record.keep("block", Some(&label.clone().into()));
        record.keep("block_description", fields.get("description"));
        reading.records.push(record);
    }
    Ok(())
}

fn passage(object: &Found, agents: &Agents) -> Result<Record, String> {
    let fields = &object.fields;
    let words = text(fields, "text")?.ok_or("the passage has no text")?;
    let mut record = Record::words(object.place.clone(), id_of(fields, "id")?, words);
    record.agent = id(fields, "agent_id")?.map(|id| agents.name(&id, object).cloned().unwrap_or(id));
    record.created = time(fields, &["created_at"])?;
    record.keep_metadata(fields.get("metadata"));
    record.keep("tags", fields.get("tags"));
    if fields.get("is_deleted").and_then(Value::as_bool) == Some(true) {
        record.state = State::Ended(time(fields, &["updated_at"])?);
    }
    Ok(record)
}
