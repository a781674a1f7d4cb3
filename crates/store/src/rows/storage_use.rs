//! How much is held of whom.

use crate::StoreError;
use crate::sql::{Cells, FromRow};
use crate::storage_quota::Amount;

/// What is held, in all of a tenant and of one writer there.
pub(crate) struct Held {
    pub tenant: Amount,
    pub writer: Amount,
}

impl FromRow for Held {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            tenant: Amount { facts: row.cell(0)?, bytes: row.cell(1)? },
            writer: Amount { facts: row.cell(2)?, bytes: row.cell(3)? },
        })
    }
}

/// Of a tenant `$1`, and of the writer `$2` there.
pub(crate) const HELD: &str =
    "SELECT CAST(coalesce(sum(facts), 0) AS BIGINT), CAST(coalesce(sum(bytes), 0) AS BIGINT),
    CAST(coalesce(sum(CASE WHEN writer = $2 THEN facts ELSE 0 END), 0) AS BIGINT),
    CAST(coalesce(sum(CASE WHEN writer = $2 THEN bytes ELSE 0 END), 0) AS BIGINT)
    FROM storage_use WHERE tenant = $1";
