//! Whether the entity graph is on, which process brings it up to date, and how far a rebuild has come.

use super::time;
use crate::StoreError;
use crate::sql::{Cells, FromRow};
use domain::{FactId, Tenant, Timestamp};
use serde::{Deserialize, Serialize};

/// The right to bring the graph up to date, which one process has at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub holder: String,
    /// Higher with every change of hands, so that Neo4j can refuse a holder that has not noticed yet.
    pub fence: i64,
    pub until: Timestamp,
}

/// How far a rebuild has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rebuild {
    /// What the graph held before is being removed, or is still to be.
    Wiping,
    /// The facts of the tenants before this one, and its own up to this fact, are in the graph.
    Walking { tenant: Tenant, fact: FactId, done: u64, total: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphState {
    /// Rows of the outbox, and when the oldest was written.
    pub waiting: u64,
    pub oldest: Option<Timestamp>,
    pub rebuild: Option<Rebuild>,
    /// It may have lapsed.
    pub lease: Option<Lease>,
}

/// The one row of the table.
pub(crate) struct ProjectionRow {
    pub lease: Option<Lease>,
    pub rebuild: Option<Rebuild>,
}

pub(crate) const COLUMNS: &str = "holder, fence, until, rebuild";

/// Whoever is at work loses the lease, has to take it anew, and finds out.
pub(crate) const ASK_REBUILD: &str =
    "UPDATE graph_projection SET rebuild = $1, holder = NULL, until = NULL RETURNING fence";

impl FromRow for ProjectionRow {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        let (holder, fence): (Option<String>, i64) = (row.cell(0)?, row.cell(1)?);
        let until: Option<Timestamp> = row.cell::<Option<i64>>(2)?.map(time).transpose()?;
        let rebuild = row.cell::<Option<String>>(3)?.map(|text| serde_json::from_str(&text)).transpose();
        Ok(Self {
            lease: holder.zip(until).map(|(holder, until)| Lease { holder, fence, until }),
            rebuild: rebuild.map_err(|e| StoreError::corrupt("the progress of a rebuild", e))?,
        })
    }
}

/// As the row keeps it.
pub(crate) fn written(rebuild: Option<&Rebuild>) -> Result<Option<String>, StoreError> {
    let written = rebuild.map(serde_json::to_string).transpose();
    written.map_err(|e| StoreError::corrupt("the progress of a rebuild", e))
}
