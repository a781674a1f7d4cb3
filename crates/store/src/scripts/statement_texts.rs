//! Opening facts together with the words that they were taken from. Words that several of them share are read and opened
//! once, and are one text in memory.

use crate::rows::facts::SealedFact;
use crate::rows::statement_texts::{GET, SealedText, StatementTexts, TextIndex};
use crate::script::{Db, StoreResult};
use domain::{Fact, SpaceId, Tenant};
use std::collections::BTreeSet;

async fn texts<D: Db>(db: &mut D, tenant: &Tenant, rows: &[SealedFact]) -> StoreResult<StatementTexts> {
    let indexes: BTreeSet<TextIndex> = rows.iter().filter_map(|row| row.statement).collect();
    if indexes.is_empty() {
        return Ok(StatementTexts::new());
    }
    let indexes: Vec<Vec<u8>> = indexes.into_iter().map(Vec::from).collect();
    let found: Vec<SealedText> = db.all_keyed(GET, tenant, &indexes).await?;
    Ok(db.secrets().statement_texts_open(tenant, &found))
}

/// All of the facts; an error where one does not open.
pub(crate) async fn facts_open<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    rows: &[SealedFact],
) -> StoreResult<Vec<Fact>> {
    let texts = texts(db, tenant, rows).await?;
    db.secrets().facts_open(tenant, rows, &texts)
}

/// The facts that can be opened, each with the number of its space.
pub(crate) async fn facts_readable<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    rows: &[SealedFact],
) -> StoreResult<Vec<(SpaceId, Fact)>> {
    let texts = texts(db, tenant, rows).await?;
    Ok(db.secrets().facts_readable(tenant, rows, &texts))
}
