//! Counts of calls and actions, in tables that every process on the database shares.

use super::db::SqliteDb;
use crate::rows::counters::Tally;
use crate::script::StoreResult;
use crate::sql::params;

impl SqliteDb<'_> {
    pub fn tally_write(&mut self, tally: &Tally) -> StoreResult<()> {
        for (tool, (calls, errors, micros)) in &tally.tools {
            self.execute(
                "INSERT INTO tool_counter (tool, calls, errors, micros) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (tool) DO UPDATE SET calls = calls + excluded.calls,
                 errors = errors + excluded.errors, micros = micros + excluded.micros",
                &params![*tool, *calls, *errors, *micros],
            )?;
        }
        for (action, total) in &tally.actions {
            self.execute(
                "INSERT INTO action_counter (action, total) VALUES ($1, $2)
                 ON CONFLICT (action) DO UPDATE SET total = total + excluded.total",
                &params![*action, *total],
            )?;
        }
        Ok(())
    }
}
