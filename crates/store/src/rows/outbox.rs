//! The rows that say which facts the entity graph has still to look at.

use super::time;
use crate::StoreError;
use crate::sql::{Cells, FromRow, RowWrite, params};
use domain::{FactId, ReceiptId, SpaceKey, Tenant, Timestamp};

/// A fact that the graph has to look at again: it may have become active, changed, been retired or been erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRow {
    /// Rises from row to row, and is never given out twice.
    pub seq: i64,
    pub tenant: Tenant,
    pub fact: FactId,
    /// Of the erasure that took the fact away.
    pub receipt: Option<ReceiptId>,
    pub created: Timestamp,
}

pub(crate) const COLUMNS: &str = "seq, tenant, fact, receipt, created";

impl FromRow for OutboxRow {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            seq: row.cell(0)?,
            tenant: Tenant::new(row.cell::<String>(1)?),
            fact: FactId(row.cell(2)?),
            receipt: row.cell::<Option<i64>>(3)?.map(ReceiptId),
            created: time(row.cell(4)?)?,
        })
    }
}

/// The facts that were written at this version of a space, where the graph is on.
const CHANGED: &str = "INSERT INTO graph_outbox (tenant, fact, created)
    SELECT tenant, id, CAST($4 AS BIGINT) FROM fact WHERE tenant = $1 AND space = $2 AND version = $3
    AND EXISTS (SELECT 1 FROM graph_projection)";

/// Facts that are about to be erased, where the graph is on.
pub(crate) const ERASED: &str = "INSERT INTO graph_outbox (tenant, fact, created)
    SELECT tenant, id, CAST($3 AS BIGINT) FROM fact WHERE tenant = $1 AND id = $2
    AND EXISTS (SELECT 1 FROM graph_projection) RETURNING seq";

/// One statement, however many facts were written.
pub(crate) fn changed(space: SpaceKey<'_>, version: i64, now: Timestamp) -> RowWrite<'_> {
    RowWrite::new(CHANGED, params![space.tenant, space.id, version, now])
}
