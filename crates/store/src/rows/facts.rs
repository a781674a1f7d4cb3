//! The columns of a fact.

use super::outbox;
use super::spaces::{SpaceRow, SpaceVersion};
use super::statement_texts::{self, StatementTexts, TextIndex, text_index};
use crate::StoreError;
use crate::script::Rows;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow, Param, RowWrite, among, params, status_code};
use crate::storage_quota::Amount;
use domain::keys::{subject_key, text_key, value_key};
use domain::{Fact, FactId, SpaceId, SpaceKey, Status, Tenant, Timestamp};
use reconcile::Write;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
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

pub(crate) const COLUMNS: &str = "id, space, status, body, statement_ix";

/// A row as the database holds it, before it is opened.
pub(crate) struct SealedFact {
    pub id: FactId,
    pub space: SpaceId,
    pub status: i64,
    pub body: Vec<u8>,
    /// Where its words are, unless the body holds them.
    pub statement: Option<TextIndex>,
}

impl FromRow for SealedFact {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            id: FactId(row.cell(0)?),
            space: SpaceId(row.cell(1)?),
            status: row.cell(2)?,
            body: row.cell(3)?,
            statement: row.cell::<Option<Vec<u8>>>(4)?.map(text_index).transpose()?,
        })
    }
}

/// The status is part of a fact's binding, so that flipping the column does not bring an old value back. Where its words
/// are kept is part of it too.
fn binding(tenant: &Tenant, id: FactId, space: SpaceId, status: i64, words: Words) -> Binding<'_> {
    let what = match words {
        Words::Within => "a fact",
        Words::Apart => "a fact whose words are apart",
    };
    Binding::new(what, tenant.as_str(), id.0).within(space.0, status)
}

/// Where the words are that a fact was taken from. A fact whose words are apart holds their index in their place.
#[derive(Clone, Copy)]
enum Words {
    Within,
    Apart,
}

impl Words {
    const fn at(statement: Option<TextIndex>) -> Self {
        match statement {
            None => Self::Within,
            Some(_) => Self::Apart,
        }
    }
}

impl SealedFact {
    pub fn binding<'t>(&self, tenant: &'t Tenant) -> Binding<'t> {
        binding(tenant, self.id, self.space, self.status, Words::at(self.statement))
    }
}

impl Secrets {
    pub fn fact_open(
        &self,
        tenant: &Tenant,
        row: &SealedFact,
        texts: &StatementTexts,
    ) -> Result<Fact, StoreError> {
        let words = Words::at(row.statement);
        let mut fact: Fact =
            self.open_json(binding(tenant, row.id, row.space, row.status, words), &row.body)?;
        if fact.id != row.id || status_code(fact.status) != row.status {
            return Err(StoreError::corrupt(
                "a fact",
                format!("row {} holds another fact's content", row.id),
            ));
        }
        if let Some(index) = row.statement {
            let text = texts.get(&index).filter(|_| *fact.text == hex::encode(index));
            fact.text = text.cloned().ok_or_else(|| {
                StoreError::corrupt("a fact", format!("the words of row {} are gone", row.id))
            })?;
        }
        Ok(fact)
    }

    /// The fact in the row, or `None` where it does not open; that is noted, and the others of its space go on.
    fn fact_readable(&self, tenant: &Tenant, row: &SealedFact, texts: &StatementTexts) -> Option<Fact> {
        if self.unreadable.is_replaced(SpaceKey { tenant, id: row.space }, row.id) {
            return None;
        }
        match self.fact_open(tenant, row, texts) {
            Ok(fact) => Some(fact),
            Err(error) => {
                if self.unreadable.note(SpaceKey { tenant, id: row.space }, row.id) {
                    tracing::error!(%error, %tenant, fact = row.id.0, "a fact does not open, and is left out");
                }
                None
            }
        }
    }

    /// The facts that can be opened, each with the number of its space.
    pub fn facts_readable(
        &self,
        tenant: &Tenant,
        rows: &[SealedFact],
        texts: &StatementTexts,
    ) -> Vec<(SpaceId, Fact)> {
        let open = |row: &SealedFact| Some((row.space, self.fact_readable(tenant, row, texts)?));
        rows.iter().filter_map(open).collect()
    }

    /// All of the facts; an error where one does not open.
    pub fn facts_open(
        &self,
        tenant: &Tenant,
        rows: &[SealedFact],
        texts: &StatementTexts,
    ) -> Result<Vec<Fact>, StoreError> {
        let open = |row: &SealedFact| {
            if self.unreadable.is_replaced(SpaceKey { tenant, id: row.space }, row.id) {
                let why = format!("row {} is not as the audit log left it", row.id);
                return Err(StoreError::corrupt("a fact", why));
            }
            self.fact_open(tenant, row, texts)
        };
        rows.iter().map(open).collect()
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

/// The facts of a value that were held under a subject and are no longer, the last ones first. By a number that no index
/// has, or SQLite would walk through all facts of the tenant in that order.
pub(crate) static PAST: LazyLock<String> = LazyLock::new(|| {
    let retired = among(&Status::RETIRED);
    format!(
        "SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND space = $2 AND subject_ix = $3 AND value_ix = $4
         AND status {retired} ORDER BY id + 0 DESC LIMIT 20"
    )
});

/// What was held under a subject until something else took its place, the last ones first: of one that has had very many
/// values, those before are of no use.
pub(crate) static SUPERSEDED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND space = $2 AND subject_ix = $3 AND status = {}
         ORDER BY id DESC LIMIT 50",
        status_code(Status::Superseded)
    )
});

const ADVANCE: &str = "UPDATE space SET version = $3 WHERE tenant = $1 AND id = $2";
const INSERT: &str = "INSERT INTO fact
    (tenant, id, space, version, status, subject_ix, value_ix, text_ix, slot_ix, body, statement_ix, created,
    writer)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
const UPDATE: &str =
    "UPDATE fact SET version = $4, status = $5, subject_ix = $6, value_ix = $7, text_ix = $8,
    slot_ix = $9, body = $10, statement_ix = $11 WHERE tenant = $1 AND id = $2 AND space = $3";
/// A vector is of the words that the fact had; a refined one is embedded anew.
pub(crate) const UNEMBED: &str = "DELETE FROM vector WHERE tenant = $1 AND fact = $2";

/// Statements that write facts, and what they add. What a row that is written anew grows by is not in it.
#[derive(Default)]
pub(crate) struct FactWrites<'a> {
    pub steps: Vec<RowWrite<'a>>,
    pub added: Amount,
}

/// Where the body is among the columns of a fact.
const BODY: usize = 9;

/// The statements that write these facts to a space, whose row this is. They keep the order of the plan: a row
/// leaves its slot before another takes it, so that the unique index holds at every step.
pub(crate) fn write_steps<'a, R: Rows>(
    secrets: &Secrets,
    space: SpaceKey<'a>,
    row: SpaceRow,
    writes: &[Write],
    writer: &'a str,
    now: Timestamp,
) -> Result<FactWrites<'a>, StoreError> {
    if writes.is_empty() {
        return Ok(FactWrites::default());
    }
    let mut added = Amount::default();
    let version = row.at.version + 1;
    let facts = writes.iter().map(|write| match write {
        Write::Insert(fact) | Write::Update(fact) => fact.id,
    });
    let mut steps = vec![RowWrite::new(ADVANCE, params![space.tenant, space.id, version])];
    let mut texts = TextIndexes::default();
    for write in writes {
        let (Write::Insert(fact) | Write::Update(fact)) = write;
        let (text, is_new) = texts.of(secrets, space, &fact.text);
        if let Some(index) = text.statement.filter(|_| is_new) {
            let kept = statement_texts::keep(secrets, (space, row.key), index, writer, &fact.text)?;
            added.bytes += kept.params.last().map_or(0, Param::bytes);
            steps.push(kept);
        }
        match write {
            Write::Insert(fact) => {
                let mut columns = secrets.fact_columns((space, row.key), version, fact, text)?;
                added.facts += 1;
                added.bytes += columns.get(BODY).map_or(0, Param::bytes);
                columns.extend(params![fact.created, writer]);
                steps.push(RowWrite::new(INSERT, columns));
            }
            Write::Update(fact) => {
                steps.push(statement_texts::leave(space, fact.id, text.statement));
                let columns = secrets.fact_columns((space, row.key), version, fact, text)?;
                steps.push(RowWrite { changes: Some(fact.id), ..RowWrite::new(UPDATE, columns) });
                steps.push(RowWrite::new(UNEMBED, params![space.tenant, fact.id]));
            }
        }
    }
    steps.push(outbox::changed::<R>(space.tenant, facts, now));
    Ok(FactWrites { steps, added })
}

/// The two indexes of a text: of its words however they are written, and of the row that keeps them apart.
#[derive(Clone, Copy)]
struct TextIndexed {
    words: [u8; 16],
    statement: Option<TextIndex>,
}

/// The indexes of the texts of a plan. Its facts have few texts between them, and hashing a long one takes time.
#[derive(Default)]
struct TextIndexes<'f>(BTreeMap<&'f str, TextIndexed>);

impl<'f> TextIndexes<'f> {
    /// The indexes, and whether this text was not asked for before.
    fn of(&mut self, secrets: &Secrets, space: SpaceKey<'_>, text: &'f str) -> (TextIndexed, bool) {
        match self.0.entry(text) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(new) => {
                let words = secrets.index("text", space, &text_key(text));
                let statement = secrets.statement_index(space, text);
                (*new.insert(TextIndexed { words, statement }), true)
            }
        }
    }
}

impl Secrets {
    fn fact_seal(
        &self,
        key: Option<UserKeyId>,
        binding: Binding<'_>,
        fact: &Fact,
        text: TextIndexed,
    ) -> Result<Vec<u8>, StoreError> {
        match text.statement {
            None => self.seal_json_for(key, binding, fact),
            Some(index) => {
                let apart = Fact { text: hex::encode(index).into(), ..fact.clone() };
                self.seal_json_for(key, binding, &apart)
            }
        }
    }

    /// The columns that an insertion and an update write, from the tenant to the index of the words.
    fn fact_columns<'a>(
        &self,
        (space, key): (SpaceKey<'a>, Option<UserKeyId>),
        version: i64,
        fact: &Fact,
        text: TextIndexed,
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
            text.words,
            slot,
            self.fact_seal(
                key,
                binding(space.tenant, fact.id, space.id, status, Words::at(text.statement)),
                fact,
                text
            )?,
            text.statement.map(Vec::from),
        ];
        Ok(columns.into())
    }
}
