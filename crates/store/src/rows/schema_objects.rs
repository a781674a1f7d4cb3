//! What the schema of a database consists of, compared with what the migrations make. A trigger that somebody slipped in
//! would act with the rights of the service, on every write from then on.

use crate::StoreError;
use std::collections::BTreeMap;

/// How many differences a message names.
const NAMED: usize = 3;

/// A table, index, trigger, view, function and so on, as the database describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaObject {
    pub kind: String,
    pub name: String,
    pub definition: String,
}

impl SchemaObject {
    fn key(&self) -> (&str, &str) {
        (&self.kind, &self.name)
    }
}

fn by_key(objects: &[SchemaObject]) -> BTreeMap<(&str, &str), &str> {
    objects.iter().map(|object| (object.key(), object.definition.as_str())).collect()
}

/// An error names what was added, changed or removed.
pub(crate) fn refuse_other(expected: &[SchemaObject], found: &[SchemaObject]) -> Result<(), StoreError> {
    let (expected, found) = (by_key(expected), by_key(found));
    let mut wrong = Vec::new();
    for ((kind, name), definition) in &found {
        match expected.get(&(*kind, *name)) {
            None => wrong.push(format!("the {kind} {name} was added")),
            Some(ours) if ours != definition => wrong.push(format!("the {kind} {name} was changed")),
            Some(_) => {}
        }
    }
    for (kind, name) in expected.keys().filter(|key| !found.contains_key(*key)) {
        wrong.push(format!("the {kind} {name} is missing"));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let more = wrong.len().saturating_sub(NAMED);
    let mut named = wrong.into_iter().take(NAMED).collect::<Vec<_>>().join("; ");
    if more > 0 {
        named.push_str(&format!("; and {more} more"));
    }
    Err(StoreError::Startup(format!(
        "the schema of this database is not the one that svc made: {named}. Somebody changed it by hand. Find out who, \
         take the change back (drop what was added), or restore a backup with svc restore FILE"
    )))
}

#[cfg(test)]
mod tests {
    use super::{SchemaObject, refuse_other};

    fn object(kind: &str, name: &str, definition: &str) -> SchemaObject {
        SchemaObject { kind: kind.to_owned(), name: name.to_owned(), definition: definition.to_owned() }
    }

    #[test]
    fn every_difference_is_named_up_to_three() {
        let ours = [object("table", "fact", "a"), object("index", "by_a", "b")];
        assert!(refuse_other(&ours, &ours).is_ok());
        let found =
            [object("table", "fact", "c"), object("trigger", "spy", "d"), object("view", "fact", "e")];
        let said = refuse_other(&ours, &found).unwrap_err().to_string();
        for part in ["table fact was changed", "trigger spy was added", "view fact was added", "1 more"] {
            assert!(said.contains(part), "{said}");
        }
    }
}
