//! Records that are brought from another memory, and what came of each.

use super::statements::ids_write;
use crate::StoreError;
use crate::secrets::Secrets;
use crate::sql::{RowWrite, params};
use domain::{Action, Fact, FactId, Metadata, Proposed, SpaceKey, Timestamp};
use reconcile::{Outcome, Plan};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A record of another memory.
#[derive(Debug, Clone)]
pub struct Brought {
    /// Names the record and what it says. One that was last brought under the same key is not brought again.
    pub key: String,
    /// Names the record, whatever it says.
    pub name: String,
    /// The record's id where it comes from.
    pub id: String,
    pub how: Bringing,
}

#[derive(Debug, Clone)]
pub enum Bringing {
    /// Told like a statement, at the time at which it was true.
    Told(BroughtWords),
    /// Put down as it is; no rule judges it.
    AsIs(Box<BroughtFact>),
}

#[derive(Debug, Clone)]
pub struct BroughtWords {
    pub text: Arc<str>,
    pub source: Option<String>,
    pub metadata: Metadata,
    pub facts: Vec<Proposed>,
    pub at: Timestamp,
}

#[derive(Debug, Clone)]
pub struct BroughtFact {
    /// Without its links, which name facts by numbers that they do not have here.
    pub fact: Fact,
    /// The id of the record that it replaced.
    pub supersedes: Option<String>,
    /// The id of the record that a change which waits would change.
    pub target: Option<String>,
}

impl BroughtFact {
    /// The fact, with what the ids of its links are here.
    pub fn linked(&self, here: impl Fn(&str) -> Option<FactId>) -> Result<Fact, Outcome> {
        let mut fact = self.fact.clone();
        fact.supersedes = self.supersedes.as_deref().and_then(&here);
        if let Some(pending) = &mut fact.pending {
            pending.target = self.target.as_deref().and_then(&here);
            if self.target.is_some() && pending.target.is_none() {
                return Err(Outcome {
                    action: Action::Skip,
                    reason: "the fact that it would change has not been brought".to_owned(),
                    subject: fact.subject,
                    value: fact.value,
                    id: None,
                });
            }
        }
        Ok(fact)
    }
}

/// What came of a record.
#[derive(Debug, Clone)]
pub enum Arrival {
    /// It had been brought before, and came to these facts.
    Known(Vec<FactId>),
    New(Plan),
}

impl Arrival {
    /// It cannot be taken.
    pub fn refused(reason: String) -> Self {
        let (subject, value) = (String::new(), String::new());
        let skipped = Outcome { action: Action::Skip, subject, value, reason, id: None };
        Self::New(Plan { outcomes: vec![skipped], writes: Vec::new() })
    }
}

const KEEP: &str = "INSERT INTO statement (tenant, space, text_ix, facts) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, space, text_ix) DO UPDATE SET facts = excluded.facts";

/// Where it is noted that a record was brought, by its key or by its name.
pub(crate) fn index(secrets: &Secrets, space: SpaceKey<'_>, noted: &str) -> [u8; 16] {
    secrets.index("import", space, noted)
}

/// Notes what the record came to. One that was not put down is not noted: it can be told instead.
pub(crate) fn notes<'a>(
    secrets: &Secrets,
    space: SpaceKey<'a>,
    record: &Brought,
    plan: &Plan,
) -> Result<Vec<RowWrite<'a>>, StoreError> {
    let ids: Vec<FactId> = plan.outcomes.iter().filter_map(|outcome| outcome.id).collect();
    if ids.is_empty() && matches!(record.how, Bringing::AsIs(_)) {
        return Ok(Vec::new());
    }
    let note = |noted: &str| -> Result<RowWrite<'a>, StoreError> {
        let values = params![space.tenant, space.id, index(secrets, space, noted), ids_write(&ids)?];
        Ok(RowWrite::new(KEEP, values))
    };
    Ok(vec![note(&record.key)?, note(&record.name)?])
}

/// What is noted of records, by key and by name.
#[derive(Debug, Default)]
pub struct Notes(pub BTreeMap<String, Vec<FactId>>);

impl Notes {
    /// The facts that the record came to, where it says what it said when it was brought last.
    pub fn known(&self, key: &str, name: &str) -> Option<&[FactId]> {
        let (noted, last) = (self.0.get(key)?, self.0.get(name));
        last.is_none_or(|last| last == noted).then_some(noted)
    }

    /// What the record came to when it was brought last, whatever it said then.
    pub fn came_to(&self, name: &str) -> &[FactId] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn add(&mut self, record: &Brought, ids: &[FactId]) {
        for noted in [&record.key, &record.name] {
            self.0.insert(noted.clone(), ids.to_vec());
        }
    }
}
