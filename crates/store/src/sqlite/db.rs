//! A connection together with the keys that open what it reads, and what scripts ask of it. Nothing here waits: each
//! operation is done when it returns.

use crate::StoreError;
use crate::apart::Apart;
use crate::copy::{Batch, Key, Table, sqlite_page, sqlite_rows};
use crate::keys::{self, Ring, read_apart};
use crate::rows::facts::{COLUMNS, PAST, SUPERSEDED, SealedFact, WAS_HELD, standing_of};
use crate::rows::spaces::POLICY;
use crate::script::{Db, PlanBasis, StoreResult};
use crate::scripts::statement_texts::facts_open;
use crate::secrets::Secrets;
use crate::sql::{Cell, Cells, FromRow, Param, params};
use domain::{Fact, FactId, SpaceKey, Tenant};
use futures_util::FutureExt;
use reconcile::{HeldFacts, Needs};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Exclusive, so that whatever uses it may move between threads.
pub(crate) struct SqliteDb<'c> {
    pub sql: &'c mut Connection,
    pub secrets: &'c Secrets,
}

/// Carries out what is ready at once, as everything on a [`SqliteDb`] is.
pub(crate) fn at_once<T>(work: impl Future<Output = StoreResult<T>>) -> StoreResult<T> {
    work.now_or_never().unwrap_or(Err(StoreError::Waiting))
}

impl Cells for Row<'_> {
    fn cell<T: Cell>(&self, at: usize) -> StoreResult<T> {
        self.get(at).map_err(|e| StoreError::corrupt("a column", e))
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(Some(bytes)) => ValueRef::Blob(bytes),
            Self::Number(Some(number)) => ValueRef::Integer(*number),
            Self::Flag(flag) => ValueRef::Integer(i64::from(*flag)),
            Self::Text(None) | Self::Bytes(None) | Self::Number(None) => ValueRef::Null,
        }))
    }
}

/// SQLite numbers its parameters `?1`, `?2` and so on; `$1` is a name to it.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

impl SqliteDb<'_> {
    pub fn select<T: FromRow>(&mut self, sql: &str, params: &[Param<'_>]) -> StoreResult<Vec<T>> {
        let mut statement = self.sql.prepare_cached(&numbered(sql))?;
        let mut rows = statement.query(params_from_iter(params))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(T::from_row(row)?);
        }
        Ok(found)
    }

    pub fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> StoreResult<u64> {
        let rows = self.sql.prepare_cached(&numbered(sql))?.execute(params_from_iter(params))?;
        Ok(rows as u64)
    }

    /// Where the database is.
    pub fn path(&self) -> StoreResult<&Path> {
        self.sql.path().map(Path::new).ok_or(StoreError::Closed)
    }

    fn numbered_fact(&mut self, space: SpaceKey<'_>, id: FactId) -> StoreResult<Option<Fact>> {
        let sql = format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND id = $2 AND space = $3");
        let rows: Vec<SealedFact> = self.select(&sql, &params![space.tenant, id, space.id])?;
        Ok(at_once(facts_open(self, space.tenant, &rows))?.pop())
    }

    fn needed(&mut self, space: SpaceKey<'_>, needs: &Needs) -> StoreResult<HeldFacts> {
        let mut facts = BTreeMap::new();
        for key in &needs.subjects {
            let index = self.secrets.index("subject", space, key);
            let rows: Vec<SealedFact> =
                self.select(&standing_of("= $3"), &params![space.tenant, space.id, index])?;
            let found = at_once(facts_open(self, space.tenant, &rows))?;
            facts.extend(found.into_iter().map(|fact| (fact.id, fact)));
        }
        for id in &needs.ids {
            if !facts.contains_key(id)
                && let Some(fact) = self.numbered_fact(space, *id)?
            {
                facts.insert(*id, fact);
            }
        }
        for key in &needs.superseded {
            let index = self.secrets.index("subject", space, key);
            let rows: Vec<SealedFact> = self.select(&SUPERSEDED, &params![space.tenant, space.id, index])?;
            let found = at_once(facts_open(self, space.tenant, &rows))?;
            facts.extend(found.into_iter().map(|fact| (fact.id, fact)));
        }
        for (subject, value) in &needs.past {
            let keys = self.secrets.value_indexes(space, subject, value);
            let rows: Vec<SealedFact> =
                self.select(&PAST, &params![space.tenant, space.id, keys.0, keys.1])?;
            let found = at_once(facts_open(self, space.tenant, &rows))?;
            facts.extend(found.into_iter().map(|fact| (fact.id, fact)));
        }
        let mut retired = BTreeSet::new();
        for (subject, value) in &needs.retired {
            let keys = self.secrets.value_indexes(space, subject, value);
            let held: Vec<(i64,)> =
                self.select(&WAS_HELD, &params![space.tenant, space.id, keys.0, keys.1])?;
            if !held.is_empty() {
                retired.insert((subject.clone(), value.clone()));
            }
        }
        Ok(HeldFacts { facts: facts.into_values().collect(), retired })
    }
}

impl Db for SqliteDb<'_> {
    fn secrets(&self) -> &Secrets {
        self.secrets
    }

    fn by_index(table: &str, index: &str) -> String {
        format!("{table} INDEXED BY {index}")
    }

    async fn one<T: FromRow>(&mut self, sql: &str, values: &[Param<'_>]) -> StoreResult<Option<T>> {
        Ok(self.select(sql, values)?.into_iter().next())
    }

    async fn all<T: FromRow>(&mut self, sql: &str, values: &[Param<'_>]) -> StoreResult<Vec<T>> {
        self.select(sql, values)
    }

    async fn all_each<T: FromRow>(
        &mut self,
        sql: &str,
        tenant: &Tenant,
        each: &[i64],
        rest: &[Param<'_>],
    ) -> StoreResult<Vec<T>> {
        let mut found = Vec::new();
        for number in each {
            let mut values = Vec::from(params![tenant, *number]);
            values.extend_from_slice(rest);
            found.extend(self.select(sql, &values)?);
        }
        Ok(found)
    }

    async fn all_keyed<T: FromRow>(
        &mut self,
        sql: &str,
        tenant: &Tenant,
        keys: &[Vec<u8>],
    ) -> StoreResult<Vec<T>> {
        let mut found = Vec::new();
        for key in keys {
            found.extend(self.select(sql, &params![tenant, key])?);
        }
        Ok(found)
    }

    async fn apart(&mut self, what: Apart) -> StoreResult<Option<Vec<u8>>> {
        Ok(read_apart(&what.file(self.path()?))?)
    }

    /// The one operation that may wait, for Vault, when another process has replaced the master key.
    async fn ring(&mut self) -> StoreResult<Ring> {
        Ok(self.secrets.runtime.block_on(keys::ring(&self.secrets.kept))?)
    }

    async fn table_page(
        &mut self,
        table: &'static Table,
        tenant: Option<&Tenant>,
        after: Option<&Key>,
    ) -> StoreResult<Batch> {
        sqlite_page(self.sql, table, tenant.map(Tenant::as_str), after)
    }

    async fn table_rows(
        &mut self,
        table: &'static Table,
        tenant: &Tenant,
        numbers: &[i64],
    ) -> StoreResult<Batch> {
        sqlite_rows(self.sql, table, tenant.as_str(), numbers)
    }

    async fn plan_basis(&mut self, space: SpaceKey<'_>, needs: &Needs) -> StoreResult<PlanBasis> {
        let held = self.needed(space, needs)?;
        let policy = self.select(POLICY, &params![space.tenant, space.id])?;
        Ok((held, self.secrets.policy_for_plan(space, policy)))
    }
}

#[cfg(test)]
mod tests {
    use super::at_once;
    use crate::StoreError;

    #[test]
    fn a_transaction_that_waits_is_an_error() {
        assert!(matches!(at_once::<()>(std::future::pending()), Err(StoreError::Waiting)));
    }
}
