//! Records that are brought from another memory, and what came of each.

use crate::StoreError;
use crate::secrets::Secrets;
use crate::sql::{RowWrite, params};
use domain::{Action, FactId, Metadata, Proposed, Proposer, SpaceKey, When};
use reconcile::{AsIs, Outcome, Plan};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A record of another memory, or one of the things that it said after each other.
#[derive(Debug, Clone)]
pub struct Brought {
    /// Names the record, whatever it says.
    pub name: String,
    /// Of all that the record says. What was brought with the same digest last is not brought again.
    pub digest: String,
    /// The record says no more after this.
    pub is_last: bool,
    pub text: Arc<str>,
    pub source: Option<String>,
    pub metadata: Metadata,
    pub facts: Vec<Proposed>,
    pub proposer: Proposer,
    /// When it was said, where the record says so.
    pub said: Option<When>,
    /// The same for a record that has changed since it was brought.
    pub said_again: Option<When>,
    /// Where no rule judges it.
    pub as_is: Option<BroughtAsIs>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BroughtAsIs {
    /// Without its links, which name facts by numbers that they do not have here.
    pub fact: AsIs,
    /// The name of the record that it replaced.
    pub supersedes: Option<String>,
    /// The name of the record that a change which waits would change.
    pub target: Option<String>,
}

/// What came of a record.
#[derive(Debug, Clone)]
pub enum Arrival {
    /// It had been brought before.
    Known,
    New(Plan),
}

impl Arrival {
    /// It cannot be taken.
    pub fn refused(reason: String) -> Self {
        let (subject, value) = (String::new(), String::new());
        let outcome = Outcome { action: Action::Skip, subject, value, reason, id: None };
        Self::New(Plan { outcomes: vec![outcome], ..Plan::default() })
    }
}

pub(crate) const NOTED: &str =
    "SELECT facts FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3";
const KEEP: &str = "INSERT INTO statement (tenant, space, text_ix, facts) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, space, text_ix) DO UPDATE SET facts = excluded.facts";

/// By what a record's name, or what it says, is known in the database.
pub(crate) fn index(secrets: &Secrets, space: SpaceKey<'_>, noted: &str) -> [u8; 16] {
    secrets.index("import", space, noted)
}

/// What is noted of a record, under its name.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Noted {
    /// The index of what it said last.
    pub key: String,
    pub facts: Vec<FactId>,
}

/// By what it is noted that a record says this.
pub(crate) fn key(secrets: &Secrets, space: SpaceKey<'_>, record: &Brought) -> String {
    hex::encode(index(secrets, space, &record.digest))
}

/// Notes what the record came to, with what it says last. One that was not put down is not noted: it can be told instead.
pub(crate) fn note<'a>(
    secrets: &Secrets,
    space: SpaceKey<'a>,
    record: &Brought,
    plan: &Plan,
) -> Result<Option<RowWrite<'a>>, StoreError> {
    let is_left_out = plan.outcomes.iter().any(|outcome| outcome.action == Action::Skip);
    if !record.is_last || record.as_is.is_some() && is_left_out {
        return Ok(None);
    }
    let facts = plan.outcomes.iter().filter_map(|outcome| outcome.id).collect();
    let noted = Noted { key: key(secrets, space, record), facts };
    let noted = serde_json::to_string(&noted).map_err(|e| StoreError::corrupt("a note", e))?;
    let values = params![space.tenant, space.id, index(secrets, space, &record.name), noted];
    Ok(Some(RowWrite::new(KEEP, values)))
}
