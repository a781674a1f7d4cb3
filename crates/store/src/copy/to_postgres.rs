//! Writing a deployment into PostgreSQL, batch by batch. While it is under way a row of the database says so, and from
//! which log: an interrupted copy is then taken for nothing else, and can be gone on with.

use super::from_postgres::{count, walls};
use super::tables::ColumnType;
use super::{Batch, Key, TABLES, Table};
use crate::StoreError;
use crate::postgres::{Address, deployment_rows, fit_for_use, migrations};
use crate::rows::deployment::{COPYING, ENCRYPTION, LOCAL};
use domain::Timestamp;
use futures_util::future::try_join4;
use rusqlite::types::Value;
use secrecy::SecretString;
use tokio_postgres::Client;
use tokio_postgres::types::ToSql;

/// Any number that nobody else uses: the lock that one copy holds against another.
const UNDER_WAY: i64 = 0x7376_635f_636f_7079;

pub(crate) struct Target(Client);

/// What is to become of a deployment that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    No,
    Yes,
}

/// How a copy begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    Fresh,
    /// An earlier copy of the same was interrupted.
    GoesOn,
    /// An earlier copy was interrupted, and the source is no longer what it was.
    Anew,
}

/// Refuses while another copy is under way.
async fn be_the_only_copy(client: &Client) -> Result<(), StoreError> {
    for _ in 0..migrations::TRIES {
        let locked = client.query_one("SELECT pg_try_advisory_lock($1)", &[&UNDER_WAY]).await?;
        if locked.try_get(0)? {
            return Ok(());
        }
        tokio::time::sleep(migrations::PAUSE).await;
    }
    Err(StoreError::Startup("another copy to this database is under way; wait for it, or end it".to_owned()))
}

impl Target {
    /// Marks the database as being copied to, from a log with this head. Refuses one that must not be touched.
    pub async fn begin(
        url: &SecretString,
        head: &[u8],
        replace: Replace,
        now: Timestamp,
    ) -> Result<(Self, Beginning), StoreError> {
        let client = Address::parse(url)?.connect().await?;
        fit_for_use(&client).await?;
        be_the_only_copy(&client).await?;
        migrations::alone(&client).await?;
        migrations::up(&client, &now.to_string()).await?;
        migrations::refuse_foreign(&client).await?;
        let target = Self(client);
        let held = deployment_rows(&target.0).await?;
        let is_claimed = held.contains_key(ENCRYPTION);
        let beginning = match held.get(COPYING) {
            Some(marked) if marked == head => Beginning::GoesOn,
            Some(_) => Beginning::Anew,
            None if is_claimed && replace == Replace::No => {
                return Err(StoreError::Startup(
                    "the database already holds a deployment; name an empty one, or have svc restore replace it with \
                     --force"
                        .to_owned(),
                ));
            }
            None => Beginning::Fresh,
        };
        migrations::refuse_while_in_use(&target.0).await?;
        match beginning {
            // These come and go without an entry in the log, so that an equal head does not vouch for them.
            Beginning::GoesOn => target.0.batch_execute("TRUNCATE vector, graph_outbox").await?,
            Beginning::Fresh if !is_claimed => target.set(COPYING, head).await?,
            Beginning::Anew | Beginning::Fresh => target.empty(head).await?,
        }
        migrations::opened(&target.0).await?;
        Ok((target, beginning))
    }

    async fn empty(&self, head: &[u8]) -> Result<(), StoreError> {
        let tables: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        self.0
            .batch_execute(&format!("BEGIN; TRUNCATE graph_projection, storage_use, {}", tables.join(", ")))
            .await?;
        self.0.execute("DELETE FROM deployment WHERE NOT name = ANY($1)", &[&LOCAL.as_slice()]).await?;
        self.set(COPYING, head).await?;
        self.0.batch_execute("COMMIT").await?;
        Ok(())
    }

    /// The key of the last row that an earlier run brought, in a part of a table.
    pub async fn last(&self, table: &Table, tenant: Option<&str>) -> Result<Option<Key>, StoreError> {
        let names = |end: &str| {
            let names: Vec<String> = table.order().iter().map(|(name, _)| format!("{name}{end}")).collect();
            names.join(", ")
        };
        let (key, order, name) = (names(""), names(" DESC"), table.name);
        // Whose rows a transaction reaches is said anew in each.
        self.0.batch_execute(&format!("BEGIN; {}", walls(tenant))).await?;
        let row = match tenant {
            None => {
                self.0.query_opt(&format!("SELECT {key} FROM {name} ORDER BY {order} LIMIT 1"), &[]).await?
            }
            Some(tenant) => {
                let sql = format!("SELECT {key} FROM {name} WHERE tenant = $1 ORDER BY {order} LIMIT 1");
                self.0.query_opt(&sql, &[&tenant]).await?
            }
        };
        self.0.batch_execute("COMMIT").await?;
        let Some(row) = row else { return Ok(None) };
        let values = table.order().iter().enumerate().map(|(at, (_, kind))| {
            Ok(match kind {
                ColumnType::Integer => Value::Integer(row.try_get(at)?),
                ColumnType::Text => Value::Text(row.try_get(at)?),
                ColumnType::Bytes => Value::Blob(row.try_get(at)?),
            })
        });
        values.collect::<Result<Key, StoreError>>().map(Some)
    }

    pub async fn count(&self, table: &Table, tenants: &[String]) -> Result<u64, StoreError> {
        self.0.batch_execute("BEGIN").await?;
        let rows = count(&self.0, table, table.name, tenants).await?;
        self.0.batch_execute("COMMIT").await?;
        Ok(rows)
    }

    /// Commits the rows, all of them or none.
    pub async fn insert(&self, batch: &Batch) -> Result<(), StoreError> {
        let statement = self.0.prepare(&insert(batch.table)).await?;
        let params: Vec<&(dyn ToSql + Sync)> = batch.columns.iter().map(|column| column.array()).collect();
        let reach = walls(batch.tenant.as_deref());
        // Sent together, and carried out in this order.
        try_join4(
            self.0.batch_execute("BEGIN"),
            self.0.batch_execute(&reach),
            self.0.execute(&statement, &params),
            self.0.batch_execute("COMMIT"),
        )
        .await?;
        Ok(())
    }

    pub async fn set(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT INTO deployment (name, value) VALUES ($1, $2)
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.0.execute(sql, &[&name, &value]).await?;
        Ok(())
    }

    /// Has the numbers of new rows begin after those that came with the copy.
    pub async fn number_on(&self) -> Result<(), StoreError> {
        let sql =
            "SELECT setval(pg_get_serial_sequence('graph_outbox', 'seq'), 1 + coalesce(max(seq), 0), false)
                   FROM graph_outbox";
        self.0.batch_execute(&format!("BEGIN; {}; {sql}; COMMIT", walls(None))).await?;
        Ok(())
    }

    /// From here on the database is a deployment like any other.
    pub async fn finish(self) -> Result<(), StoreError> {
        self.0.execute("DELETE FROM deployment WHERE name = $1", &[&COPYING]).await?;
        Ok(())
    }
}

fn insert(table: &Table) -> String {
    let arrays = table.columns.iter().enumerate().map(|(at, (_, kind))| {
        let kind = match kind {
            ColumnType::Integer => "BIGINT",
            ColumnType::Text => "TEXT",
            ColumnType::Bytes => "BYTEA",
        };
        format!("${}::{kind}[]", at + 1)
    });
    let arrays = arrays.collect::<Vec<_>>().join(", ");
    format!("INSERT INTO {} ({}) SELECT * FROM unnest({arrays})", table.name, table.names())
}
