//! OpenMemory: the two files of its export, `memories.json` and, unpacked, `memories.jsonl`.

use super::fields::{id, text, time};
use crate::cli::import::files::File;
use crate::cli::import::json::{Found, See, found};
use crate::cli::import::record::{Reading, Record, State};
use serde_json::Value;
use std::collections::BTreeMap;

pub fn read(files: &[File], reading: &mut Reading) -> Result<(), String> {
    for file in files {
        let found = found(std::slice::from_ref(file), |key, fields| match key {
            "" if fields.contains_key("content") => See::Take,
            "" if fields.values().any(Value::is_array) => See::Enter,
            "" | "user" | "apps" | "categories" | "memories" => See::Take,
            _ => See::Pass,
        })?;
        // What the memories name by ids. The user has no other name than that.
        let (mut user, mut names) = (None, BTreeMap::new());
        for Found { key, fields, .. } in &found {
            match key.as_str() {
                "user" => user = id(fields, "user_id")?,
                "apps" | "categories" => names.extend(id(fields, "id")?.zip(text(fields, "name")?)),
                _ => {}
            }
        }
        for object in found.iter().filter(|object| matches!(object.key.as_str(), "" | "memories")) {
            // The lines of `memories.jsonl` name no user.
            let is_owned = user.is_some() || object.key.is_empty();
            let owned = if is_owned { memory(object, &names) } else { Err(NO_USER.to_owned()) };
            reading.take(object.place.clone(), owned.map(|record| Record { user: user.clone(), ..record }));
        }
    }
    Ok(())
}

const NO_USER: &str = "the file does not say in 'user' whose memory this is";

fn memory(object: &Found, names: &BTreeMap<String, String>) -> Result<Record, String> {
    let (mut record, fields) = (object.words("content")?, &object.fields);
    let app = id(fields, "app_id")?.and_then(|app| names.get(&app).cloned());
    record.source = text(fields, "app")?.or(app);
    let ids = fields.get("category_ids").and_then(Value::as_array).into_iter().flatten();
    let categories = ids.filter_map(|id| Some(Value::from(names.get(id.as_str()?)?.as_str())));
    record.keep("categories", Some(&categories.collect()));
    record.keep("categories", fields.get("categories"));
    let state = text(fields, "state")?.unwrap_or_else(|| "active".to_owned());
    match state.as_str() {
        "active" => {}
        "paused" | "archived" | "deleted" => {
            let known = time(fields, &["deleted_at", "archived_at"])?;
            record.state = State::Ended(known.or(record.changed));
            record.keep("source_state", Some(&state.into()));
        }
        other => return Err(format!("the state '{other}' is none of active, paused, archived, deleted")),
    }
    Ok(record)
}
