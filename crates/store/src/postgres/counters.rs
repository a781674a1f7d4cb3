//! Counts of calls and actions, in tables that every process on the database shares.

use super::Postgres;
use super::db::{Db, only};
use super::walls::Reach;
use crate::StoreError;
use crate::rows::counters::{Counts, Tally, ToolCount};
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

impl Db<'_> {
    pub async fn principals_active(&self) -> Result<i64, StoreError> {
        let count = self.one("SELECT count(*) FROM principal WHERE revoked IS NULL", &[], only).await?;
        Ok(count.unwrap_or(0))
    }
}

impl Postgres {
    pub async fn counts(&self) -> Result<Counts, StoreError> {
        let snapshot = self.shared.snapshot(Reach::Deployment).await?;
        let db = snapshot.db()?;
        let tools = db
            .all("SELECT tool, calls, errors, micros FROM tool_counter ORDER BY tool", &[], |row| {
                Ok(ToolCount {
                    tool: row.try_get(0)?,
                    calls: row.try_get(1)?,
                    errors: row.try_get(2)?,
                    micros: row.try_get(3)?,
                })
            })
            .await?;
        let actions = db
            .all("SELECT action, total FROM action_counter ORDER BY action", &[], |row| {
                Ok((row.try_get(0)?, row.try_get(1)?))
            })
            .await?;
        Ok(Counts { tools, actions, active_principals: db.principals_active().await? })
    }
}
