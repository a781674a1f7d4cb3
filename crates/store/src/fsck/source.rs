//! The rows of either engine, all as they were at one moment.

use crate::copy::{Batch, Key, PostgresRows, SqliteRows, Table};
use crate::script::StoreResult;
use std::collections::BTreeMap;

pub(super) enum Source<'c> {
    Sqlite(SqliteRows<'c>),
    Postgres(PostgresRows),
}

impl Source<'_> {
    pub async fn deployment(&self) -> StoreResult<BTreeMap<String, Vec<u8>>> {
        match self {
            Self::Sqlite(rows) => rows.deployment(),
            Self::Postgres(rows) => rows.deployment().await,
        }
    }

    pub async fn tenants(&self) -> StoreResult<Vec<String>> {
        match self {
            Self::Sqlite(rows) => rows.tenants(),
            Self::Postgres(rows) => rows.tenants().await,
        }
    }

    pub async fn count(&self, table: &'static Table, tenants: &[String]) -> StoreResult<u64> {
        match self {
            Self::Sqlite(rows) => rows.count(table),
            Self::Postgres(rows) => rows.count(table, tenants).await,
        }
    }

    pub async fn page(
        &self,
        table: &'static Table,
        tenant: Option<&str>,
        after: Option<&Key>,
    ) -> StoreResult<Batch> {
        match self {
            Self::Sqlite(rows) => rows.page(table, tenant, after),
            Self::Postgres(rows) => rows.page(table, tenant, after).await,
        }
    }
}
