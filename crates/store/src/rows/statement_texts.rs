//! The words of a statement, kept once for all facts that were taken from them.

use crate::StoreError;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow, RowWrite, params};
use domain::limits::SHARED_TEXT_BYTES;
use domain::{FactId, SpaceId, SpaceKey, Tenant};
use std::collections::BTreeMap;
use std::sync::Arc;

/// By which words that are kept apart are found. It tells spaces apart, and texts down to the last byte.
pub(crate) type TextIndex = [u8; 16];

pub(crate) type StatementTexts = BTreeMap<TextIndex, Arc<str>>;

pub(crate) fn text_index(bytes: Vec<u8>) -> Result<TextIndex, StoreError> {
    bytes.try_into().map_err(|_| StoreError::corrupt("a statement", "its index is not 16 bytes long"))
}

pub(crate) const GET: &str = "SELECT ix, space, body FROM statement_text WHERE tenant = $1 AND ix = $2";

/// A row as the database holds it, before it is opened.
pub(crate) struct SealedText {
    pub index: TextIndex,
    pub space: SpaceId,
    body: Vec<u8>,
}

impl FromRow for SealedText {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self { index: text_index(row.cell(0)?)?, space: SpaceId(row.cell(1)?), body: row.cell(2)? })
    }
}

fn binding(tenant: &Tenant, space: SpaceId, index: TextIndex) -> Binding<'_> {
    let index = u128::from_be_bytes(index);
    Binding::new("a statement", tenant.as_str(), space.0).within((index >> 64) as i64, index as i64)
}

impl SealedText {
    pub fn binding<'t>(&self, tenant: &'t Tenant) -> Binding<'t> {
        binding(tenant, self.space, self.index)
    }
}

impl Secrets {
    /// Where the words are kept, if they are long enough to be kept apart.
    pub fn statement_index(&self, space: SpaceKey<'_>, text: &str) -> Option<TextIndex> {
        (text.len() >= SHARED_TEXT_BYTES).then(|| self.index("statement", space, text))
    }

    pub fn statement_text_open(&self, tenant: &Tenant, row: &SealedText) -> Result<String, StoreError> {
        let plain = self.open(binding(tenant, row.space, row.index), &row.body)?;
        String::from_utf8(plain).map_err(|_| StoreError::corrupt("a statement", "its words are no text"))
    }

    /// The words that can be opened. A fact whose words are missing then says so.
    pub fn statement_texts_open(&self, tenant: &Tenant, rows: &[SealedText]) -> StatementTexts {
        let open =
            |row: &SealedText| Some((row.index, Arc::from(self.statement_text_open(tenant, row).ok()?)));
        rows.iter().filter_map(open).collect()
    }
}

const KEEP: &str = "INSERT INTO statement_text (tenant, ix, space, writer, body) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (tenant, ix) DO NOTHING";

pub(crate) fn keep<'a>(
    secrets: &Secrets,
    (space, key): (SpaceKey<'a>, Option<UserKeyId>),
    index: TextIndex,
    writer: &'a str,
    text: &str,
) -> Result<RowWrite<'a>, StoreError> {
    let body = secrets.seal_for(key, binding(space.tenant, space.id, index), text.as_bytes())?;
    Ok(RowWrite::new(KEEP, params![space.tenant, index, space.id, writer, body]))
}

/// Words that no other fact was taken from go when their last fact gets others.
const LEAVE: &str = "DELETE FROM statement_text WHERE tenant = $1
    AND ix = (SELECT statement_ix FROM fact WHERE tenant = $1 AND id = $2) AND ix IS DISTINCT FROM $3
    AND NOT EXISTS (SELECT 1 FROM fact WHERE tenant = $1 AND statement_ix = statement_text.ix AND id <> $2)";

/// Before the row of a fact is written anew, with these words.
pub(crate) fn leave<'a>(space: SpaceKey<'a>, fact: FactId, next: Option<TextIndex>) -> RowWrite<'a> {
    RowWrite::new(LEAVE, params![space.tenant, fact, next.map(Vec::from)])
}

/// Once no fact has these words any more.
pub(crate) const FORGET: &str = "DELETE FROM statement_text WHERE tenant = $1 AND ix = $2";
/// Words that no fact has any more, in one space. It looks at all words of the tenant, and is for damaged facts alone.
pub(crate) const FORGET_UNUSED: &str = "DELETE FROM statement_text WHERE tenant = $1 AND space = $2
    AND NOT EXISTS (SELECT 1 FROM fact WHERE tenant = $1 AND statement_ix = statement_text.ix)";
