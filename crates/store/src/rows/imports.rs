//! Records that are brought from another memory, and what came of each.

use super::statements::ids_write;
use crate::StoreError;
use crate::secrets::Secrets;
use crate::sql::{RowWrite, params};
use domain::{Fact, FactId, Metadata, Proposed, SpaceKey, Timestamp};
use reconcile::{Outcome, Plan, Trust};
use std::sync::Arc;

/// A record of another memory.
#[derive(Debug, Clone)]
pub struct Brought {
    /// Names the record and what it says. One that was brought under the same key is not brought again.
    pub key: String,
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
    pub trust: Trust,
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
                    action: domain::Action::Skip,
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

const KEEP: &str = "INSERT INTO statement (tenant, space, text_ix, facts) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, space, text_ix) DO UPDATE SET facts = excluded.facts";

/// Where it is noted that a record was brought.
pub(crate) fn index(secrets: &Secrets, space: SpaceKey<'_>, key: &str) -> [u8; 16] {
    secrets.index("import", space, key)
}

pub(crate) fn note<'a>(
    secrets: &Secrets,
    space: SpaceKey<'a>,
    key: &str,
    plan: &Plan,
) -> Result<RowWrite<'a>, StoreError> {
    let ids: Vec<FactId> = plan.outcomes.iter().filter_map(|outcome| outcome.id).collect();
    Ok(RowWrite::new(KEEP, params![space.tenant, space.id, index(secrets, space, key), ids_write(&ids)?]))
}
