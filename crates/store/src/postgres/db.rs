//! A connection together with the keys that open what it reads, and what scripts ask of it. What can be sent together
//! is: a round trip costs more than most statements.

use crate::StoreError;
use crate::apart::Apart;
use crate::copy::{Batch, Key, Table, postgres_page};
use crate::keys::{self, Ring};
use crate::rows::facts::{COLUMNS, PAST, SUPERSEDED, SealedFact, WAS_HELD, standing_of};
use crate::rows::spaces::POLICY;
use crate::script::{Db, PlanBasis, StoreResult};
use crate::scripts::deployment;
use crate::scripts::statement_texts::facts_open;
use crate::secrets::Secrets;
use crate::sql::{Cell, Cells, FromRow, Param, params};
use deadpool_postgres::Client;
use domain::{Fact, FactId, SourcePolicy, SpaceKey, Tenant};
use futures_util::future::{try_join, try_join_all, try_join4};
use reconcile::{HeldFacts, Needs};
use std::collections::BTreeMap;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

#[derive(Clone, Copy)]
pub(crate) struct PostgresDb<'c> {
    pub client: &'c Client,
    pub secrets: &'c Secrets,
}

type Bound<'a> = &'a (dyn ToSql + Sync);

/// The parameters as the driver takes them, each in the type of its column.
pub(super) fn bound<'a>(params: &'a [Param<'_>]) -> Vec<Bound<'a>> {
    let bound = |param: &'a Param<'_>| -> Bound<'a> {
        match param {
            Param::Text(text) => text,
            Param::Number(number) => number,
            Param::Bytes(bytes) => bytes,
            Param::Flag(flag) => flag,
        }
    };
    params.iter().map(bound).collect()
}

/// The statement for a list of numbers in place of one, which is its second parameter.
fn for_list(sql: &str) -> String {
    sql.replace("= $2", "= ANY($2)")
}

impl Cells for Row {
    fn cell<T: Cell>(&self, at: usize) -> StoreResult<T> {
        self.try_get(at).map_err(|e| StoreError::corrupt("a column", e))
    }
}

fn read<T: FromRow>(rows: &[Row]) -> StoreResult<Vec<T>> {
    rows.iter().map(T::from_row).collect()
}

impl PostgresDb<'_> {
    async fn select<T: FromRow>(&self, sql: &str, bound: &[Bound<'_>]) -> StoreResult<Vec<T>> {
        let statement = self.client.prepare_cached(sql).await?;
        read(&self.client.query(&statement, bound).await?)
    }

    pub async fn execute(&self, sql: &str, bound: &[Bound<'_>]) -> StoreResult<u64> {
        let statement = self.client.prepare_cached(sql).await?;
        Ok(self.client.execute(&statement, bound).await?)
    }

    async fn standing(&self, space: SpaceKey<'_>, needs: &Needs) -> StoreResult<Vec<Fact>> {
        if needs.subjects.is_empty() {
            return Ok(Vec::new());
        }
        let index = |key: &String| self.secrets.index("subject", space, key).to_vec();
        let indexes: Vec<Vec<u8>> = needs.subjects.iter().map(index).collect();
        let bound: [Bound<'_>; 3] = [&space.tenant.as_str(), &space.id.0, &indexes];
        let found: Vec<SealedFact> = self.select(&standing_of("= ANY($3)"), &bound).await?;
        facts_open(&mut self.clone(), space.tenant, &found).await
    }

    async fn was_held(&self, space: SpaceKey<'_>, subject: &str, value: &str) -> StoreResult<bool> {
        let (subject, value) = self.secrets.value_indexes(space, subject, value);
        let values = params![space.tenant, space.id, subject, value];
        Ok(!self.select::<(i64,)>(&WAS_HELD, &bound(&values)).await?.is_empty())
    }

    async fn past(&self, space: SpaceKey<'_>, subject: &str, value: &str) -> StoreResult<Vec<Fact>> {
        let (subject, value) = self.secrets.value_indexes(space, subject, value);
        let values = params![space.tenant, space.id, subject, value];
        let found: Vec<SealedFact> = self.select(&PAST, &bound(&values)).await?;
        facts_open(&mut self.clone(), space.tenant, &found).await
    }

    async fn superseded(&self, space: SpaceKey<'_>, subject: &str) -> StoreResult<Vec<Fact>> {
        let index = self.secrets.index("subject", space, subject);
        let values = params![space.tenant, space.id, index];
        let found: Vec<SealedFact> = self.select(&SUPERSEDED, &bound(&values)).await?;
        facts_open(&mut self.clone(), space.tenant, &found).await
    }

    async fn needed(&self, space: SpaceKey<'_>, needs: &Needs) -> StoreResult<HeldFacts> {
        let retired = try_join_all(needs.retired.iter().map(|(subject, value)| async move {
            let held = self.was_held(space, subject, value).await?;
            Ok::<_, StoreError>(held.then(|| (subject.clone(), value.clone())))
        }));
        let past = needs.past.iter().map(|(subject, value)| self.past(space, subject, value));
        let superseded = needs.superseded.iter().map(|subject| self.superseded(space, subject));
        let (standing, retired, past, superseded) =
            try_join4(self.standing(space, needs), retired, try_join_all(past), try_join_all(superseded))
                .await?;
        let found = standing.into_iter().chain(past.into_iter().chain(superseded).flatten());
        let mut facts: BTreeMap<FactId, Fact> = found.map(|fact| (fact.id, fact)).collect();
        let ids = needs.ids.iter().filter(|id| !facts.contains_key(*id));
        let ids: Vec<i64> = ids.map(|id| id.0).collect();
        if !ids.is_empty() {
            let sql = format!("SELECT {COLUMNS} FROM fact WHERE tenant = $1 AND id = ANY($2) AND space = $3");
            let bound: [Bound<'_>; 3] = [&space.tenant.as_str(), &ids, &space.id.0];
            let named: Vec<SealedFact> = self.select(&sql, &bound).await?;
            let named = facts_open(&mut self.clone(), space.tenant, &named).await?;
            facts.extend(named.into_iter().map(|fact| (fact.id, fact)));
        }
        Ok(HeldFacts {
            facts: facts.into_values().collect(),
            retired: retired.into_iter().flatten().collect(),
        })
    }

    async fn policy(&self, space: SpaceKey<'_>) -> StoreResult<SourcePolicy> {
        let values = params![space.tenant, space.id];
        Ok(self.secrets.policy_for_plan(space, self.select(POLICY, &bound(&values)).await?))
    }
}

impl Db for PostgresDb<'_> {
    fn secrets(&self) -> &Secrets {
        self.secrets
    }

    /// PostgreSQL chooses by what it knows of the rows.
    fn by_index(table: &str, _: &str) -> String {
        table.to_owned()
    }

    async fn one<T: FromRow>(&mut self, sql: &str, params: &[Param<'_>]) -> StoreResult<Option<T>> {
        Ok(self.select(sql, &bound(params)).await?.into_iter().next())
    }

    async fn all<T: FromRow>(&mut self, sql: &str, params: &[Param<'_>]) -> StoreResult<Vec<T>> {
        self.select(sql, &bound(params)).await
    }

    async fn all_each<T: FromRow>(
        &mut self,
        sql: &str,
        tenant: &Tenant,
        each: &[i64],
        rest: &[Param<'_>],
    ) -> StoreResult<Vec<T>> {
        let tenant = tenant.as_str();
        let mut values: Vec<Bound<'_>> = vec![&tenant, &each];
        values.extend(bound(rest));
        self.select(&for_list(sql), &values).await
    }

    async fn all_keyed<T: FromRow>(
        &mut self,
        sql: &str,
        tenant: &Tenant,
        keys: &[Vec<u8>],
    ) -> StoreResult<Vec<T>> {
        self.select(&for_list(sql), &[&tenant.as_str(), &keys]).await
    }

    async fn apart(&mut self, what: Apart) -> StoreResult<Option<Vec<u8>>> {
        deployment::get(self, what.row()).await
    }

    /// What is no secret without a passphrase or Vault comes from the database, where another host may have put it.
    async fn ring(&mut self) -> StoreResult<Ring> {
        for (name, file) in keys::shareable(&self.secrets.kept) {
            if let Some(text) = deployment::get(self, name).await? {
                file.take(&text)?;
            }
        }
        Ok(keys::ring(&self.secrets.kept).await?)
    }

    async fn table_page(
        &mut self,
        table: &'static Table,
        tenant: Option<&Tenant>,
        after: Option<&Key>,
    ) -> StoreResult<Batch> {
        postgres_page(self.client, table, table.name, tenant.map(Tenant::as_str), after).await
    }

    async fn table_rows(
        &mut self,
        table: &'static Table,
        tenant: &Tenant,
        numbers: &[i64],
    ) -> StoreResult<Batch> {
        let sql = format!("SELECT {} FROM {} WHERE tenant = $1 AND id = ANY($2)", table.names(), table.name);
        let statement = self.client.prepare_cached(&sql).await?;
        let mut batch = Batch::new(table, Some(tenant.as_str()));
        for row in self.client.query(&statement, &[&tenant.as_str(), &numbers]).await? {
            batch.take(&row)?;
        }
        Ok(batch)
    }

    async fn plan_basis(&mut self, space: SpaceKey<'_>, needs: &Needs) -> StoreResult<PlanBasis> {
        try_join(self.needed(space, needs), self.policy(space)).await
    }
}
