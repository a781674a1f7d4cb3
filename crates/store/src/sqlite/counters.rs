//! Counts of calls and actions, in tables that every process on the database shares.

use super::Store;
use super::db::Db;
use crate::StoreError;
use crate::call::{Call, Ending, Record};
use domain::Action;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCount {
    pub tool: String,
    pub calls: i64,
    pub errors: i64,
    pub micros: i64,
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
    tools: BTreeMap<&'static str, (i64, i64, i64)>,
    actions: BTreeMap<&'static str, i64>,
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

    pub fn write(&self, db: &Db<'_>) -> Result<(), StoreError> {
        for (tool, (calls, errors, micros)) in &self.tools {
            db.run(
                "INSERT INTO tool_counter (tool, calls, errors, micros) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (tool) DO UPDATE SET calls = calls + excluded.calls,
                 errors = errors + excluded.errors, micros = micros + excluded.micros",
                (tool, calls, errors, micros),
            )?;
        }
        for (action, total) in &self.actions {
            db.run(
                "INSERT INTO action_counter (action, total) VALUES (?1, ?2)
                 ON CONFLICT (action) DO UPDATE SET total = total + excluded.total",
                (action, total),
            )?;
        }
        Ok(())
    }
}

impl Store {
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

impl ToolCount {
    pub fn average_ms(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.micros as f64 / self.calls as f64 / 1000.0 }
    }
}
