//! Reading a deployment out of PostgreSQL, all of it as it was at one moment.

use super::{BATCH, Batch, Key, Table};
use crate::StoreError;
use crate::postgres::{migrations, walled};
use crate::script::Reach;
use domain::Tenant;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use tokio_postgres::Client;
use tokio_postgres::types::ToSql;

/// A connection within a transaction that only reads.
pub(crate) struct PostgresRows {
    client: Client,
    /// Of the schema, which may be older than ours: a backup is made before an upgrade.
    version: i64,
}

/// The rows of a table as this version has them, whichever version wrote them.
fn rows_of(table: &'static Table, version: i64) -> &'static str {
    match (table.name, version) {
        ("principal", 1) => {
            "(SELECT *, NULL::BIGINT AS expires, NULL::BYTEA AS former_hint, NULL::BYTEA AS former_hash,
             NULL::BIGINT AS former_until FROM principal) AS principal"
        }
        ("graph_outbox", 1 | 2) => {
            "(SELECT 0::BIGINT AS seq, '' AS tenant, 0::BIGINT AS fact, NULL::BIGINT AS receipt, 0::BIGINT AS created
             WHERE false) AS graph_outbox"
        }
        ("space", 1..=3) => "(SELECT *, NULL::BIGINT AS erasing, NULL::BIGINT AS user_key FROM space) AS space",
        ("space", 4..=7) => "(SELECT *, NULL::BIGINT AS user_key FROM space) AS space",
        ("erasure", 1..=3) => {
            "(SELECT '' AS tenant, 0::BIGINT AS id, ''::BYTEA AS body, NULL::BYTEA AS plan, 0::BIGINT AS done
             WHERE false) AS erasure"
        }
        ("fact", 1..=3) => "(SELECT *, NULL::BYTEA AS statement_ix, '' AS writer FROM fact) AS fact",
        ("fact", 4) => "(SELECT *, '' AS writer FROM fact) AS fact",
        ("statement_text", 4) => "(SELECT *, '' AS writer FROM statement_text) AS statement_text",
        ("statement_text", 1..=3) => {
            "(SELECT '' AS tenant, ''::BYTEA AS ix, 0::BIGINT AS space, ''::BYTEA AS body, '' AS writer
             WHERE false) AS statement_text"
        }
        ("audit_entry", 1..=5) => "(SELECT *, NULL::BYTEA AS changes FROM audit_entry) AS audit_entry",
        ("audit_subtree", 1..=5) => {
            "(SELECT 0::BIGINT AS level, 0::BIGINT AS place, ''::BYTEA AS hash WHERE false) AS audit_subtree"
        }
        (name, _) => name,
    }
}

impl PostgresRows {
    pub async fn of(client: Client) -> Result<Self, StoreError> {
        let version = migrations::status(&client).await?.version;
        client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
        Ok(Self { client, version })
    }

    pub async fn deployment(&self) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
        let rows = self.client.query("SELECT name, value FROM deployment", &[]).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// Whoever was given a number, did anything, or may do so.
    pub async fn tenants(&self) -> Result<Vec<String>, StoreError> {
        self.client.batch_execute(&walls(None)).await?;
        let sql = "SELECT tenant FROM sequence UNION SELECT tenant FROM audit_entry
                   UNION SELECT tenant FROM principal ORDER BY 1";
        let rows = self.client.query(sql, &[]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    pub async fn count(&self, table: &'static Table, tenants: &[String]) -> Result<u64, StoreError> {
        count(&self.client, table, rows_of(table, self.version), tenants).await
    }

    /// The next rows of a part, none of them at its end.
    pub async fn page(
        &self,
        table: &'static Table,
        tenant: Option<&str>,
        after: Option<&Key>,
    ) -> Result<Batch, StoreError> {
        self.client.batch_execute(&walls(tenant)).await?;
        page(&self.client, table, rows_of(table, self.version), tenant, after).await
    }
}

/// The next rows of a part of a table, none of them at its end. `rows` is the table itself or what stands for it.
pub(crate) async fn page(
    client: &Client,
    table: &'static Table,
    rows: &str,
    tenant: Option<&str>,
    after: Option<&Key>,
) -> Result<Batch, StoreError> {
    let key: Vec<Param> = after.into_iter().flatten().cloned().map(Param::from).collect();
    let most = BATCH as i64;
    let mut params: Vec<&(dyn ToSql + Sync)> = Vec::new();
    params.extend(tenant.as_ref().map(|tenant| tenant as &(dyn ToSql + Sync)));
    params.extend(key.iter().map(Param::to_sql));
    params.push(&most);
    let mut batch = Batch::new(table, tenant);
    for row in client.query(&table.page(rows, after, '$'), &params).await? {
        batch.take(&row)?;
    }
    Ok(batch)
}

pub(super) fn walls(tenant: Option<&str>) -> String {
    match tenant {
        None => walled(Reach::Deployment),
        Some(tenant) => walled(Reach::Tenant(&Tenant::new(tenant))),
    }
}

/// How many rows of the table there are in `rows`, which is the table itself or what stands for it.
pub(super) async fn count(
    client: &Client,
    table: &Table,
    rows: &str,
    tenants: &[String],
) -> Result<u64, StoreError> {
    let mut all = 0;
    for tenant in table.parts(tenants) {
        client.batch_execute(&walls(tenant)).await?;
        let row = match tenant {
            None => client.query_one(&format!("SELECT count(*) FROM {rows}"), &[]).await?,
            Some(tenant) => {
                let sql = format!("SELECT count(*) FROM {rows} WHERE tenant = $1");
                client.query_one(&sql, &[&tenant]).await?
            }
        };
        all += u64::try_from(row.try_get::<_, i64>(0)?).unwrap_or(0);
    }
    Ok(all)
}

/// A part of a key, as PostgreSQL takes it.
enum Param {
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Value> for Param {
    fn from(value: Value) -> Self {
        match value {
            Value::Integer(number) => Self::Integer(number),
            Value::Text(text) => Self::Text(text),
            Value::Blob(bytes) => Self::Bytes(bytes),
            // No key has such a column.
            Value::Null | Value::Real(_) => Self::Bytes(Vec::new()),
        }
    }
}

impl Param {
    fn to_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Integer(number) => number,
            Self::Text(text) => text,
            Self::Bytes(bytes) => bytes,
        }
    }
}
