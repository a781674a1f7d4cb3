//! The columns of a fact.

use super::spaces::SpaceVersion;
use crate::StoreError;
use crate::secrets::{Place, Secrets};
use domain::keys::{subject_key, text_key, value_key};
use domain::{Fact, FactId, Status};

/// What changed in a space since a version that the reader already holds.
#[derive(Debug)]
pub struct SpaceChanges {
    pub at: SpaceVersion,
    /// Whether `facts` is all that is active or flagged, rather than what has changed since.
    pub whole: bool,
    pub facts: Vec<Fact>,
}

impl SpaceChanges {
    /// Of a space that does not exist yet.
    pub(crate) fn none() -> Self {
        Self { at: SpaceVersion::default(), whole: true, facts: Vec::new() }
    }
}

/// A row as the database holds it, before it is opened.
pub(crate) struct SealedFact {
    pub id: FactId,
    pub space: i64,
    pub status: i64,
    pub body: Vec<u8>,
}

/// What is written of a fact besides its number and version.
pub(crate) struct FactColumns {
    pub status: i64,
    pub subject: [u8; 16],
    pub value: [u8; 16],
    pub text: [u8; 16],
    pub slot: Option<[u8; 16]>,
    pub body: Vec<u8>,
}

pub(crate) const fn status_code(status: Status) -> i64 {
    match status {
        Status::Active => 0,
        Status::Superseded => 1,
        Status::Historical => 2,
        Status::FlaggedConflict => 3,
    }
}

/// The status is part of a fact's place, so that flipping the column does not bring an old value back.
fn place(tenant: &str, id: FactId, space: i64, status: i64) -> Place<'_> {
    Place::new("a fact", tenant, id).within(space, status)
}

impl Secrets {
    pub fn fact_open(&self, tenant: &str, row: &SealedFact) -> Result<Fact, StoreError> {
        let fact: Fact = self.open_json(place(tenant, row.id, row.space, row.status), &row.body)?;
        if fact.id != row.id || status_code(fact.status) != row.status {
            return Err(StoreError::corrupt(
                "a fact",
                format!("row {} holds another fact's content", row.id),
            ));
        }
        Ok(fact)
    }

    pub fn facts_open(&self, tenant: &str, rows: &[SealedFact]) -> Result<Vec<Fact>, StoreError> {
        rows.iter().map(|row| self.fact_open(tenant, row)).collect()
    }

    pub fn fact_columns(&self, tenant: &str, space: i64, fact: &Fact) -> Result<FactColumns, StoreError> {
        let index = |purpose: &str, key: &str| self.index(purpose, tenant, space, key);
        let status = status_code(fact.status);
        Ok(FactColumns {
            status,
            subject: index("subject", &subject_key(&fact.subject)),
            value: index("value", &value_key(&fact.value)),
            text: index("text", &text_key(&fact.text)),
            slot: reconcile::slot_key(fact).map(|key| index("slot", &key)),
            body: self.seal_json(place(tenant, fact.id, space, status), fact)?,
        })
    }
}
