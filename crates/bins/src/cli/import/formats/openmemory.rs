//! OpenMemory: the two files of its export, `memories.json` and, unpacked, `memories.jsonl`.

use super::fields::{id, id_of, text, time};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Place, Reading, Record, State};
use domain::Timestamp;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub fn read(files: &mut dyn Iterator<Item = File>, reading: &mut Reading) {
    let found = found(files, reading, |key, fields| match key {
        "" if fields.contains_key("content") => See::Take,
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" | "user" | "apps" | "categories" | "memories" | "status_history" => See::Take,
        _ => See::Pass,
    });
    let names = Names::of(&found, reading);
    for object in found.iter().filter(|object| matches!(object.key.as_str(), "" | "memories")) {
        reading.take(object.place.clone(), memory(object, &names));
    }
}

/// What the memories name by ids. All of these but the user have ids that no other export has.
#[derive(Default)]
struct Names {
    /// Whose export each file is.
    users: BTreeMap<Arc<str>, BTreeSet<String>>,
    apps: BTreeMap<String, String>,
    categories: BTreeMap<String, String>,
    /// When a memory last left the state in which it is given to clients.
    ended: BTreeMap<String, Timestamp>,
}

impl Names {
    fn of(objects: &[Found], reading: &mut Reading) -> Self {
        let mut names = Self::default();
        for object in objects {
            if let Err(why) = names.learn(object) {
                reading.take(object.place.clone(), Err(why));
            }
        }
        names
    }

    fn learn(&mut self, object: &Found) -> Result<(), String> {
        let fields = &object.fields;
        match object.key.as_str() {
            "user" => {
                let user = id(fields, "user_id")?.ok_or("the user has no 'user_id'")?;
                self.users.entry(object.place.file.clone()).or_default().insert(user);
            }
            "apps" => self.apps.extend(id(fields, "id")?.zip(text(fields, "name")?)),
            "categories" => self.categories.extend(id(fields, "id")?.zip(text(fields, "name")?)),
            "status_history" if text(fields, "new_state")?.is_some_and(|state| state != "active") => {
                if let Some((memory, at)) = id(fields, "memory_id")?.zip(time(fields, &["changed_at"])?) {
                    self.ended.entry(memory).and_modify(|last| *last = at.max(*last)).or_insert(at);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The lines of `memories.jsonl` name no user: they are of the one whose `memories.json` is read with them.
    fn user(&self, object: &Found) -> Result<Option<String>, String> {
        let own = self.users.get(&object.place.file);
        let all: BTreeSet<&String> = self.users.values().flatten().collect();
        let of: Vec<&String> = own.map_or_else(|| all.into_iter().collect(), |own| own.iter().collect());
        match of.as_slice() {
            [] if object.key == "memories" => {
                Err("the file does not say in 'user' whose memory this is".to_owned())
            }
            [] => Ok(None),
            [user] if own.is_some() || object.key.is_empty() => Ok(Some((*user).clone())),
            _ => {
                Err("it is not clear whose memory this is; import the file by itself, with --user".to_owned())
            }
        }
    }
}

fn memory(object: &Found, names: &Names) -> Result<Record, String> {
    let (place, fields): (Place, &Map<String, Value>) = (object.place.clone(), &object.fields);
    let words = text(fields, "content")?.ok_or("there is no text in 'content'")?;
    let mut record = Record::words(place, id_of(fields, "id")?, words);
    record.user = names.user(object)?;
    record.created = time(fields, &["created_at"])?;
    record.changed = time(fields, &["updated_at"])?;
    record.keep("source_created_at", fields.get("created_at"));
    let app = id(fields, "app_id")?.and_then(|app| names.apps.get(&app).cloned());
    record.source = text(fields, "app")?.or(app);
    record.keep_metadata(fields.get("metadata"));
    let ids = fields.get("category_ids").and_then(Value::as_array).into_iter().flatten();
    let categories: Vec<Value> =
        ids.filter_map(|id| Some(names.categories.get(id.as_str()?)?.as_str().into())).collect();
    record.keep("categories", Some(&Value::Array(categories)));
    record.keep("categories", fields.get("categories"));
    let state = text(fields, "state")?.unwrap_or_else(|| "active".to_owned());
    match state.as_str() {
        "active" => {}
        "paused" | "archived" | "deleted" => {
            let known = time(fields, &["deleted_at", "archived_at"])?;
            let known = known.or_else(|| names.ended.get(&record.id).copied());
            record.state = State::Ended(known.or(time(fields, &["updated_at"])?));
            record.keep("source_state", Some(&state.into()));
        }
        other => return Err(format!("the state '{other}' is none of active, paused, archived, deleted")),
    }
    Ok(record)
}
