//! Counts of calls and actions, in tables that every process on the database shares.

use super::Sqlite;
use super::db::Db;
use crate::StoreError;
use crate::rows::counters::{Counts, Tally, ToolCount};

impl Db<'_> {
    pub fn tally_write(&self, tally: &Tally) -> Result<(), StoreError> {
        for (tool, (calls, errors, micros)) in &tally.tools {
            self.run(
                "INSERT INTO tool_counter (tool, calls, errors, micros) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (tool) DO UPDATE SET calls = calls + excluded.calls,
                 errors = errors + excluded.errors, micros = micros + excluded.micros",
                (tool, calls, errors, micros),
            )?;
        }
        for (action, total) in &tally.actions {
            self.run(
                "INSERT INTO action_counter (action, total) VALUES (?1, ?2)
                 ON CONFLICT (action) DO UPDATE SET total = total + excluded.total",
                (action, total),
            )?;
        }
        Ok(())
    }
}

impl Sqlite {
    pub async fn counts(&self) -> Result<Counts, StoreError> {
        self.read(|db| {
            let tools =
                db.all("SELECT tool, calls, errors, micros FROM tool_counter ORDER BY tool", (), |row| {
                    Ok(ToolCount {
                        tool: row.get(0)?,
                        calls: row.get(1)?,
                        errors: row.get(2)?,
                        micros: row.get(3)?,
                    })
                })?;
            let actions = db.all("SELECT action, total FROM action_counter ORDER BY action", (), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            Ok(Counts { tools, actions, active_principals: db.principals_active()? })
        })
        .await
    }
}
