//! Counts of calls and actions, in tables that every process on the database shares.

use crate::rows::counters::Tally;
use tokio_postgres::types::ToSql;

/// A tally turned into columns, as one statement takes them.
pub(crate) struct TallyColumns {
    tools: Vec<&'static str>,
    calls: Vec<i64>,
    errors: Vec<i64>,
    micros: Vec<i64>,
    actions: Vec<&'static str>,
    totals: Vec<i64>,
}

impl TallyColumns {
    pub fn of(tally: &Tally) -> Self {
        Self {
            tools: tally.tools.keys().copied().collect(),
            calls: tally.tools.values().map(|(calls, _, _)| *calls).collect(),
            errors: tally.tools.values().map(|(_, errors, _)| *errors).collect(),
            micros: tally.tools.values().map(|(_, _, micros)| *micros).collect(),
            actions: tally.actions.keys().copied().collect(),
            totals: tally.actions.values().copied().collect(),
        }
    }

    pub fn params(&self) -> [&(dyn ToSql + Sync); 6] {
        [&self.tools, &self.calls, &self.errors, &self.micros, &self.actions, &self.totals]
    }
}
