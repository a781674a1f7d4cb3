//! Records that are brought from another memory, and what came of each.

use crate::StoreError;
use crate::secrets::Secrets;
use crate::sql::{RowWrite, params};
use domain::{Action, Fact, FactId, Metadata, Proposed, SourcePolicy, SpaceKey, Status, Timestamp, When};
use reconcile::{Before, Ends, HeldFacts, Outcome, Plan, PuttingDown, SlotSchema, Telling};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A record of another memory.
#[derive(Debug, Clone)]
pub struct Brought {
    /// Names the record and what it says. One that was last brought under the same key is not brought again.
    pub key: String,
    /// Names the record, whatever it says.
    pub name: String,
    /// The same of what the record says last. Where that was brought, nothing of it is brought again.
    pub last: (String, String),
    /// The record's id where it comes from.
    pub id: String,
    /// No other record has that id.
    pub is_unique: bool,
    pub how: Bringing,
}

#[derive(Debug, Clone)]
pub enum Bringing {
    /// Told like a statement, at the time at which it was true.
    Told(Box<BroughtWords>),
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
    /// The same, where the record says it.
    pub said: Option<When>,
    /// A model read the facts out of the words.
    pub by_model: bool,
    /// The record says no more after this.
    pub is_last: bool,
    /// When the record was changed last, as far as it says.
    pub changed: Option<Timestamp>,
    /// When this ended, where the record is over.
    pub until: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct BroughtFact {
    /// Without its links, which name facts by numbers that they do not have here.
    pub fact: Fact,
    /// The id of the record that it replaced.
    pub supersedes: Option<String>,
    /// The id of the record that a change which waits would change.
    pub target: Option<String>,
    /// The rules judge what its end ends, though not what it puts down.
    pub ends_by_rules: bool,
    /// Where nothing of the record stands, nothing is put down.
    pub is_end_alone: bool,
}

impl BroughtFact {
    pub const fn putting<'a>(
        &self,
        before: Before<'a>,
        policy: &'a SourcePolicy,
        slots: &'a SlotSchema,
        now: Timestamp,
    ) -> PuttingDown<'a> {
        let ends = if self.ends_by_rules { Ends::ByRules(policy, slots) } else { Ends::Unjudged };
        PuttingDown { before, ends, is_end_alone: self.is_end_alone, now }
    }

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

impl Brought {
    /// Whether it says that it has ended.
    pub fn is_over(&self) -> bool {
        match &self.how {
            Bringing::Told(words) => {
                !words.by_model && words.facts.iter().all(|p| p.fact.action.as_deref() == Some("RETRACT"))
            }
            Bringing::AsIs(brought) => matches!(brought.fact.status, Status::Superseded | Status::Historical),
        }
    }
}

impl BroughtWords {
    pub const fn telling<'a>(&self, before: Before<'a>, now: Timestamp) -> Telling<'a> {
        let Self { by_model, is_last, changed, until, said, .. } = *self;
        Telling { before, by_model, is_last, until, changed, said, now }
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
        Self::New(Plan { outcomes: vec![skipped], ..Plan::default() })
    }
}

const KEEP: &str = "INSERT INTO statement (tenant, space, text_ix, facts) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, space, text_ix) DO UPDATE SET facts = excluded.facts";

/// By what a record's name, or what it says, is known in the database.
pub(crate) fn index(secrets: &Secrets, space: SpaceKey<'_>, noted: &str) -> [u8; 16] {
    secrets.index("import", space, noted)
}

/// What is noted of a record, under its name.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Noted {
    /// The index of its key.
    pub key: String,
    pub facts: Vec<FactId>,
    #[serde(default)]
    pub is_over: bool,
}

/// Notes what the record came to. One that was not put down is not noted: it can be told instead.
pub(crate) fn note<'a>(
    secrets: &Secrets,
    space: SpaceKey<'a>,
    record: &Brought,
    came_to: &CameTo,
) -> Result<Option<RowWrite<'a>>, StoreError> {
    let CameTo { facts, is_put_down } = came_to;
    if !is_put_down {
        return Ok(None);
    }
    let key = hex::encode(index(secrets, space, &record.key));
    let noted = Noted { key, facts: facts.clone(), is_over: record.is_over() };
    let noted = serde_json::to_string(&noted).map_err(|e| StoreError::corrupt("a note", e))?;
    let values = params![space.tenant, space.id, index(secrets, space, &record.name), noted];
    Ok(Some(RowWrite::new(KEEP, values)))
}

/// What a record came to.
#[derive(Debug, Clone)]
pub struct CameTo {
    pub facts: Vec<FactId>,
    pub is_put_down: bool,
}

impl CameTo {
    pub fn of(record: &Brought, plan: &Plan, held: &HeldFacts, before: Before<'_>) -> Self {
        let facts = reconcile::came_to(plan, held, before);
        let is_skipped = plan.outcomes.iter().any(|outcome| outcome.action == Action::Skip);
        let is_put_down = match record.how {
            Bringing::Told(_) => true,
            Bringing::AsIs(_) => !is_skipped && !facts.is_empty(),
        };
        Self { facts, is_put_down }
    }
}

/// What is noted of records, by name.
#[derive(Debug, Default)]
pub struct Notes(pub BTreeMap<String, Note>);

#[derive(Debug)]
pub struct Note {
    /// The key under which it was brought last, where that is one of those that were asked for.
    pub key: Option<String>,
    pub facts: Vec<FactId>,
    pub is_over: bool,
}

impl Notes {
    /// The facts that the record came to, where it says what it said when it was brought last.
    pub fn known(&self, key: &str, name: &str, last: &(String, String)) -> Option<&[FactId]> {
        let brought = |key: &str, name: &str| {
            let note = self.0.get(name).filter(|note| note.key.as_deref() == Some(key))?;
            Some(note.facts.as_slice())
        };
        brought(key, name).or_else(|| brought(&last.0, &last.1))
    }

    /// The record, as it was brought last.
    pub fn before(&self, record: &Brought) -> Before<'_> {
        let last = self.0.get(&record.name);
        Before {
            came_to: last.map(|last| last.facts.as_slice()).unwrap_or_default(),
            was_over: last.is_some_and(|last| last.is_over),
            is_unique: record.is_unique,
        }
    }

    pub fn add(&mut self, record: &Brought, came_to: CameTo) {
        let CameTo { facts, is_put_down } = came_to;
        if is_put_down {
            let note = Note { key: Some(record.key.clone()), facts, is_over: record.is_over() };
            self.0.insert(record.name.clone(), note);
        }
    }
}
