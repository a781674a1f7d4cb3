//! What the rows of the database hold, whichever engine keeps them: their columns before they are opened, how they are
//! sealed and opened, and what must agree in them. The engines add the SQL.

pub(crate) mod audit;
pub(crate) mod audit_list;
pub(crate) mod counters;
pub(crate) mod decisions;
pub(crate) mod deployment;
pub(crate) mod erasure;
pub(crate) mod export;
pub(crate) mod facts;
pub(crate) mod graph;
pub(crate) mod imports;
pub(crate) mod log_end;
pub(crate) mod outbox;
pub(crate) mod principal_change;
pub(crate) mod principals;
pub(crate) mod receipts;
pub(crate) mod restorations;
pub(crate) mod schema;
pub(crate) mod schema_objects;
pub(crate) mod sealed;
pub(crate) mod spaces;
pub(crate) mod statement_texts;
pub(crate) mod statements;
pub(crate) mod storage_use;
pub(crate) mod vectors;

use crate::StoreError;
use domain::Timestamp;

pub(crate) fn time(micros: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_microsecond(micros).map_err(|e| StoreError::corrupt("a time", e))
}
