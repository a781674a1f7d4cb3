//! Declared slots: subjects whose name, category and rules of change a deployment fixes.

use domain::keys::{glance_key, subject_key};
use domain::limits;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One declared subject.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// Stamped on every fact of the slot; decides whether the fact is critical.
    #[serde(default)]
    pub category: Option<String>,
    /// Values are compared letter by letter, since their case or spacing means something.
    #[serde(default)]
    pub verbatim: bool,
    /// A held value changes only by approval.
    #[serde(default)]
    pub confirm: bool,
    /// Holds a list of values.
    #[serde(default)]
    pub multi: bool,
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The words for whom or what it is about: "the patient", "we", "production". A statement about anybody or anything
    /// else never touches it.
    #[serde(default)]
    pub owner: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlotSchemaError {
    #[error("the slot schema is not of the form {{\"slots\": [{{\"name\": …}}]}}: {0}")]
    Malformed(String),
    #[error("slot number {0} has an empty name: give every slot a name")]
    EmptyName(usize),
    #[error("slot '{0}' has an empty alias: remove it")]
    EmptyAlias(String),
    #[error("slot '{slot}': a name or alias may have at most {} bytes", limits::SUBJECT_BYTES)]
    LongName { slot: String },
    #[error("slot '{slot}': '{name}' is already a name of slot '{owner}': remove one of the two")]
    Duplicate { slot: String, name: String, owner: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaFile {
    slots: Vec<Slot>,
}

/// The declared slots of a deployment.
#[derive(Debug, Clone, Default)]
pub struct SlotSchema {
    slots: Vec<Slot>,
    by_key: BTreeMap<String, usize>,
    /// By what a name is taken for at a glance; `None` where that is the name of several slots.
    by_glance: BTreeMap<String, Option<usize>>,
}

impl SlotSchema {
    /// No subject is declared.
    pub fn none() -> Self {
        Self::default()
    }

    pub fn from_json(text: &str) -> Result<Self, SlotSchemaError> {
        let file: SchemaFile =
            serde_json::from_str(text).map_err(|e| SlotSchemaError::Malformed(e.to_string()))?;
        let mut schema = Self::default();
        for slot in file.slots {
            schema.declare(slot)?;
        }
        Ok(schema)
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The slot that a subject names, by its name or an alias, whatever its case and punctuation; else the one slot that it
    /// is taken for at a glance. A second slot that looks like a guarded one would get around the guard.
    pub fn fold(&self, subject: &str) -> Option<&Slot> {
        let named = self.by_key.get(&subject_key(subject)).copied();
        let index = named.or_else(|| self.by_glance.get(&glance_key(subject)).copied().flatten())?;
        self.slots.get(index)
    }

    fn declare(&mut self, mut slot: Slot) -> Result<(), SlotSchemaError> {
        slot.name = slot.name.trim().to_owned();
        if slot.name.is_empty() {
            return Err(SlotSchemaError::EmptyName(self.slots.len() + 1));
        }
        let index = self.slots.len();
        for name in std::iter::once(&slot.name).chain(&slot.aliases) {
            self.claim(name, &slot.name, index)?;
        }
        self.slots.push(slot);
        Ok(())
    }

    fn claim(&mut self, name: &str, slot: &str, index: usize) -> Result<(), SlotSchemaError> {
        if name.trim().is_empty() {
            return Err(SlotSchemaError::EmptyAlias(slot.to_owned()));
        }
        if name.len() > limits::SUBJECT_BYTES {
            return Err(SlotSchemaError::LongName { slot: slot.to_owned() });
        }
        let glance = glance_key(name);
        if !glance.is_empty() {
            let known = self.by_glance.entry(glance).or_insert(Some(index));
            *known = known.filter(|known| *known == index);
        }
        match self.by_key.insert(subject_key(name), index) {
            None => Ok(()),
            Some(owner) => Err(SlotSchemaError::Duplicate {
                slot: slot.to_owned(),
                name: name.to_owned(),
                owner: self.slots.get(owner).map_or(slot, |s| &s.name).to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SlotSchema, SlotSchemaError};

    #[test]
    fn a_subject_folds_onto_its_slot_in_any_spelling() {
        let schema =
            SlotSchema::from_json(r#"{"slots":[{"name":"budget","aliases":["annual budget"]}]}"#).unwrap();
        for subject in ["budget", "BUDGET", "Annual-Budget", "annual_budget"] {
            assert_eq!(schema.fold(subject).map(|s| s.name.as_str()), Some("budget"), "{subject}");
        }
        assert!(schema.fold("annual").is_none());
        assert!(SlotSchema::none().fold("budget").is_none());
    }

    #[test]
    fn a_mistake_in_a_schema_is_named() {
        let refused = |json: &str| SlotSchema::from_json(json).unwrap_err().to_string();
        assert!(refused(r#"{"slots":[{"name":"a","colour":1}]}"#).contains("colour"));
        assert!(refused(r#"{"slots":[],"more":1}"#).contains("more"));
        assert!(refused(r#"{"slots":[{"confirm":true}]}"#).contains("name"));
        assert!(refused("[]").contains("slots"));
        assert_eq!(
            SlotSchema::from_json(r#"{"slots":[{"name":"a"},{"name":" "}]}"#).unwrap_err(),
            SlotSchemaError::EmptyName(2)
        );
        assert!(refused(r#"{"slots":[{"name":"a","aliases":[""]}]}"#).contains("'a'"));
        let twice = refused(r#"{"slots":[{"name":"a b"},{"name":"c","aliases":["A-B"]}]}"#);
        assert!(twice.contains("'c'") && twice.contains("'A-B'") && twice.contains("'a b'"));
        assert!(refused(r#"{"slots":[{"name":"a","aliases":["x","X"]}]}"#).contains("'X'"));
        let long = format!(r#"{{"slots":[{{"name":"a","aliases":["{}"]}}]}}"#, "x".repeat(300));
        assert!(refused(&long).contains("'a'"));
    }
}
