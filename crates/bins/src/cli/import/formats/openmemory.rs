//! OpenMemory: the two files of its export, `memories.json` and, unpacked, `memories.jsonl`.

use super::fields::{id_of, string};
use super::found::{File, Found, found};
use crate::cli::import::json_objects::See;
use crate::cli::import::record::{Place, Reading, Record, State};
use crate::cli::moment::moment;
use domain::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub fn read(files: &[File], reading: &mut Reading) {
    let found = found(files, reading, |key, fields| match key {
        "" if fields.contains_key("content") => See::Take,
        "" if fields.values().any(Value::is_array) => See::Enter,
        "" | "user" | "apps" | "categories" | "memories" | "status_history" => See::Take,
        _ => See::Pass,
    });
    let names = Names::of(&found);
    for object in found.iter().filter(|object| matches!(object.key.as_str(), "" | "memories")) {
        let place = object.place.clone();
        reading.take(place.clone(), memory(place, &object.fields, &names));
    }
}

/// What the memories name by ids.
struct Names {
    user: Option<String>,
    apps: BTreeMap<String, String>,
    categories: BTreeMap<String, String>,
    /// When a memory last left the state in which it is given to clients.
    ended: BTreeMap<String, Timestamp>,
}

impl Names {
    fn of(objects: &[Found]) -> Self {
        let of = |key: &'static str| objects.iter().filter(move |o| o.key == key).map(|o| &o.fields);
        let named = |key| -> BTreeMap<String, String> {
            of(key).filter_map(|fields| Some((string(fields, "id")?, string(fields, "name")?))).collect()
        };
        let mut ended = BTreeMap::new();
        for change in of("status_history") {
            let left = string(change, "new_state").is_some_and(|state| state != "active");
            if let (true, Some(memory), Some(at)) =
                (left, string(change, "memory_id"), moment(change.get("changed_at")))
            {
                ended.entry(memory).and_modify(|last: &mut Timestamp| *last = at.max(*last)).or_insert(at);
            }
        }
        Self {
            user: of("user").find_map(|fields| string(fields, "user_id")),
            apps: named("apps"),
            categories: named("categories"),
            ended,
        }
    }
}

fn memory(place: Place, fields: &Map<String, Value>, names: &Names) -> Result<Record, String> {
    let words = string(fields, "content").ok_or("there is no text in 'content'")?;
    let mut record = Record::words(place, id_of(fields, "id"), words);
    record.user.clone_from(&names.user);
    record.created = moment(fields.get("created_at"));
    let app = string(fields, "app").or_else(|| names.apps.get(&string(fields, "app_id")?).cloned());
    record.source = app;
    if let Some(Value::Object(metadata)) = fields.get("metadata") {
        record.metadata = metadata.clone();
    }
    let ids = fields.get("category_ids").and_then(Value::as_array).into_iter().flatten();
    let categories: Vec<Value> =
        ids.filter_map(|id| Some(names.categories.get(id.as_str()?)?.as_str().into())).collect();
    record.keep("categories", Some(&Value::Array(categories)));
    record.keep("categories", fields.get("categories"));
    let state = string(fields, "state").unwrap_or_else(|| "active".to_owned());
    match state.as_str() {
        "active" => {}
        "paused" | "archived" | "deleted" => {
            let times = ["deleted_at", "archived_at"].iter().find_map(|name| moment(fields.get(*name)));
            let known = times.or_else(|| names.ended.get(&record.id).copied());
            record.state = State::Ended(known.or_else(|| moment(fields.get("updated_at"))));
            record.keep("source_state", Some(&state.into()));
        }
        other => return Err(format!("the state '{other}' is none of active, paused, archived, deleted")),
    }
    Ok(record)
}
