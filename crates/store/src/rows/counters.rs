//! Counts of calls and actions.

use crate::StoreError;
use crate::call::{Call, Ending, Record};
use crate::sql::{Cells, FromRow};
use domain::Action;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCount {
    pub tool: String,
    pub calls: i64,
    pub errors: i64,
    pub micros: i64,
}

impl FromRow for ToolCount {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self { tool: row.cell(0)?, calls: row.cell(1)?, errors: row.cell(2)?, micros: row.cell(3)? })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub tools: Vec<ToolCount>,
    pub actions: Vec<(String, i64)>,
    pub active_principals: i64,
}

/// What a group of calls adds, written once when the group commits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub tools: BTreeMap<&'static str, (i64, i64, i64)>,
    pub actions: BTreeMap<&'static str, i64>,
}

impl Tally {
    pub fn count(&mut self, call: &Call, record: &Record) {
        let (calls, errors, micros) = self.tools.entry(call.tool).or_default();
        *calls += 1;
        *errors += i64::from(record.ending != Ending::Done);
        *micros += i64::try_from(call.started.elapsed().as_micros()).unwrap_or(i64::MAX);
        for action in record.actions.iter().copied().map(Action::word) {
            *self.actions.entry(action).or_default() += 1;
        }
    }
}

impl ToolCount {
    pub fn average_ms(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.micros as f64 / self.calls as f64 / 1000.0 }
    }
}
