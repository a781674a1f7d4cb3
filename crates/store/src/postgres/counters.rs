//! Counts of calls and actions, in tables that every process on the database shares.

use super::Postgres;
use super::db::{Db, only};
use super::walls::Reach;
use crate::StoreError;
use crate::rows::counters::{Counts, Tally, ToolCount};
use futures_util::future::try_join;
use tokio_postgres::Statement;

/// The statements that add a tally to the counts.
pub(crate) struct TallyStatements {
    tools: Statement,
    actions: Statement,
}

impl Db<'_> {
    pub async fn tally_statements(&self) -> Result<TallyStatements, StoreError> {
        Ok(TallyStatements {
            tools: self
                .client
                .prepare_cached(
                    "INSERT INTO tool_counter AS held (tool, calls, errors, micros)
                     SELECT * FROM unnest($1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BIGINT[])
                     ON CONFLICT (tool) DO UPDATE SET calls = held.calls + excluded.calls,
                     errors = held.errors + excluded.errors, micros = held.micros + excluded.micros",
                )
                .await?,
            actions: self
                .client
                .prepare_cached(
                    "INSERT INTO action_counter AS held (action, total)
                     SELECT * FROM unnest($1::TEXT[], $2::BIGINT[])
                     ON CONFLICT (action) DO UPDATE SET total = held.total + excluded.total",
                )
                .await?,
        })
    }

    /// Every group writes these rows while it holds the log, so that no two of them wait for each other here.
    pub async fn tally_write(
        &self,
        statements: &TallyStatements,
        tally: &Tally,
    ) -> Result<(), tokio_postgres::Error> {
        let tools: Vec<&str> = tally.tools.keys().copied().collect();
        let calls: Vec<i64> = tally.tools.values().map(|(calls, _, _)| *calls).collect();
        let errors: Vec<i64> = tally.tools.values().map(|(_, errors, _)| *errors).collect();
        let micros: Vec<i64> = tally.tools.values().map(|(_, _, micros)| *micros).collect();
        let actions: Vec<&str> = tally.actions.keys().copied().collect();
        let totals: Vec<i64> = tally.actions.values().copied().collect();
        try_join(
            self.client.execute(&statements.tools, &[&tools, &calls, &errors, &micros]),
            self.client.execute(&statements.actions, &[&actions, &totals]),
        )
        .await?;
        Ok(())
    }

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
