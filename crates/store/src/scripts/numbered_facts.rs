//! Facts by their numbers, as far as they open.

use super::statement_texts::facts_readable;
use crate::rows::facts::{COLUMNS, SealedFact};
use crate::script::{Db, StoreResult};
use crate::sql::{numbers, params};
use domain::{Fact, FactId, SpaceKey, Tenant};

/// Those of the rows that open.
pub(super) async fn readable<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    rows: &[SealedFact],
) -> StoreResult<Vec<Fact>> {
    let placed = facts_readable(db, tenant, rows).await?;
    Ok(placed.into_iter().map(|(_, fact)| fact).collect())
}

pub(super) async fn rows_numbered<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    ids: &[FactId],
) -> StoreResult<Vec<SealedFact>> {
    let sql = format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND id = $2 AND space = $3");
    db.all_each(&sql, space.tenant, &numbers(ids), &params![space.id]).await
}

/// Those of the facts that are there and open.
pub(super) async fn get_readable<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    ids: &[FactId],
) -> StoreResult<Vec<Fact>> {
    let rows = rows_numbered(db, space, ids).await?;
    readable(db, space.tenant, &rows).await
}
