//! The rows that say which facts the entity graph has still to look at.

use super::time;
use crate::StoreError;
use crate::script::Rows;
use crate::sql::{Cells, FromRow, RowWrite, params};
use domain::{FactId, ReceiptId, Tenant, Timestamp};

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

/// The step that puts facts into the outbox: one statement, however many there are.
pub(crate) fn changed<'a, R: Rows>(
    tenant: &'a Tenant,
    facts: impl Iterator<Item = FactId>,
    now: Timestamp,
) -> RowWrite<'a> {
    RowWrite::new(R::OUTBOX, params![tenant, list(facts), now, None::<i64>])
}

/// The same for facts that this receipt says are erased.
pub(crate) fn erased<'a, R: Rows>(
    tenant: &'a Tenant,
    facts: impl Iterator<Item = FactId>,
    receipt: ReceiptId,
    now: Timestamp,
) -> RowWrite<'a> {
    RowWrite::new(R::OUTBOX, params![tenant, list(facts), now, receipt])
}

fn list(facts: impl Iterator<Item = FactId>) -> String {
    let facts: Vec<String> = facts.map(|fact| fact.to_string()).collect();
    format!("[{}]", facts.join(","))
}
