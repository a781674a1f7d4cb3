//! The columns of a fact.

use super::outbox;
use super::spaces::SpaceVersion;
use crate::StoreError;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow, Param, RowWrite, among, params, status_code};
use domain::keys::{subject_key, text_key, value_key};
use domain::{Fact, FactId, SpaceId, SpaceKey, Status, Tenant, Timestamp};
use reconcile::Write;
use std::sync::LazyLock;

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

pub(crate) const COLUMNS: &str = "id, space, status, body";

/// A row as the database holds it, before it is opened.
pub(crate) struct SealedFact {
    pub id: FactId,
    pub space: SpaceId,
    pub status: i64,
    pub body: Vec<u8>,
}

impl FromRow for SealedFact {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        let space = SpaceId(row.cell(1)?);
        Ok(Self { id: FactId(row.cell(0)?), space, status: row.cell(2)?, body: row.cell(3)? })
    }
}

/// The status is part of a fact's binding, so that flipping the column does not bring an old value back.
fn binding(tenant: &Tenant, id: FactId, space: SpaceId, status: i64) -> Binding<'_> {
    Binding::new("a fact", tenant.as_str(), id.0).within(space.0, status)
}

impl Secrets {
    fn fact_open(&self, tenant: &Tenant, row: &SealedFact) -> Result<Fact, StoreError> {
        let fact: Fact = self.open_json(binding(tenant, row.id, row.space, row.status), &row.body)?;
        if fact.id != row.id || status_code(fact.status) != row.status {
            return Err(StoreError::corrupt(
                "a fact",
                format!("row {} holds another fact's content", row.id),
            ));
        }
        Ok(fact)
    }

    /// The facts that can be opened, each with the number of its space. One that somebody tampered with is as good as
    /// gone to the entity graph, and must not keep it from the others.
    pub fn facts_open_placed(&self, tenant: &Tenant, rows: &[SealedFact]) -> Vec<(SpaceId, Fact)> {
        let open = |row: &SealedFact| match self.fact_open(tenant, row) {
            Ok(fact) => Some((row.space, fact)),
            Err(error) => {
                tracing::error!(%error, %tenant, fact = row.id.0, "the entity graph goes without a fact");
                None
            }
        };
        rows.iter().filter_map(open).collect()
    }

    pub fn facts_open(&self, tenant: &Tenant, rows: &[SealedFact]) -> Result<Vec<Fact>, StoreError> {
        rows.iter().map(|row| self.fact_open(tenant, row)).collect()
    }

    /// By which a value that was held under a subject is found.
    pub fn value_indexes(&self, space: SpaceKey<'_>, subject: &str, value: &str) -> ([u8; 16], [u8; 16]) {
        (self.index("subject", space, subject), self.index("value", space, value))
    }
}

/// What is active or flagged under subjects; `subjects` says which, as the third parameter has them.
pub(crate) fn standing_of(subjects: &str) -> String {
    let standing = among(&Status::STANDING);
    format!(
        "SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND space = $2 AND subject_ix {subjects} AND status {standing}"
    )
}

/// Whether a value was held under a subject and is no longer.
pub(crate) static WAS_HELD: LazyLock<String> = LazyLock::new(|| {
    let retired = among(&Status::RETIRED);
    format!(
        "SELECT id FROM fact WHERE tenant = $1 AND space = $2 AND subject_ix = $3 AND value_ix = $4
         AND status {retired} LIMIT 1"
    )
});

const ADVANCE: &str = "UPDATE space SET version = $3 WHERE tenant = $1 AND id = $2";
const INSERT: &str = "INSERT INTO fact
    (tenant, id, space, version, status, subject_ix, value_ix, text_ix, slot_ix, body, created)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
const UPDATE: &str =
    "UPDATE fact SET version = $4, status = $5, subject_ix = $6, value_ix = $7, text_ix = $8,
    slot_ix = $9, body = $10 WHERE tenant = $1 AND id = $2 AND space = $3";
/// A vector is of the words that the fact had; a refined one is embedded anew.
pub(crate) const UNEMBED: &str = "DELETE FROM vector WHERE tenant = $1 AND fact = $2";

/// The statements that write these facts to a space, which has come so far. They keep the order of the plan: a row
/// leaves its slot before another takes it, so that the unique index holds at every step.
pub(crate) fn write_steps<'a>(
    secrets: &Secrets,
    space: SpaceKey<'a>,
    at: SpaceVersion,
    writes: &[Write],
    now: Timestamp,
) -> Result<Vec<RowWrite<'a>>, StoreError> {
    if writes.is_empty() {
        return Ok(Vec::new());
    }
    let version = at.version + 1;
    let mut steps = vec![RowWrite::new(ADVANCE, params![space.tenant, space.id, version])];
    for write in writes {
        match write {
            Write::Insert(fact) => {
                let mut columns = secrets.fact_columns(space, version, fact)?;
                columns.push(fact.created.into());
                steps.push(RowWrite::new(INSERT, columns));
            }
            Write::Update(fact) => {
                let columns = secrets.fact_columns(space, version, fact)?;
                steps.push(RowWrite { changes: Some(fact.id), ..RowWrite::new(UPDATE, columns) });
                steps.push(RowWrite::new(UNEMBED, params![space.tenant, fact.id]));
            }
        }
    }
    steps.push(outbox::changed(space, version, now));
    Ok(steps)
}

impl Secrets {
    /// The columns that an insertion and an update write, from the tenant to the body.
    fn fact_columns<'a>(
        &self,
        space: SpaceKey<'a>,
        version: i64,
        fact: &Fact,
    ) -> Result<Vec<Param<'a>>, StoreError> {
        let index = |purpose: &str, key: &str| self.index(purpose, space, key);
        let slot = reconcile::slot_key(fact).map(|key| index("slot", &key).to_vec());
        let status = status_code(fact.status);
        let columns = params![
            space.tenant,
            fact.id,
            space.id,
            version,
            status,
            index("subject", &subject_key(&fact.subject)),
            index("value", &value_key(&fact.value)),
            index("text", &text_key(&fact.text)),
            slot,
            self.seal_json(binding(space.tenant, fact.id, space.id, status), fact)?,
        ];
        Ok(columns.into())
    }
}
