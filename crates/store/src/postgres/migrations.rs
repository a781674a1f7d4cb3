//! Applying the changes of the schema.

use crate::StoreError;
use crate::rows::schema::{Migration, Migrations, Schema, pending, refuse_newer};
use crate::rows::schema_objects::{SchemaObject, refuse_other};
use std::time::Duration;
use tokio_postgres::Client;

const MIGRATIONS: Migrations = [
    include_str!("schema_v1.sql"),
    include_str!("schema_v2.sql"),
    include_str!("schema_v3.sql"),
    include_str!("schema_v4.sql"),
    include_str!("schema_v5.sql"),
    include_str!("schema_v6.sql"),
    include_str!("schema_v7.sql"),
    include_str!("schema_v8.sql"),
];

/// What the migrations make, as PostgreSQL describes it: kind, name and definition of each object, a line each. A test
/// fails when it is out of step, and says how to write it anew.
const MADE: &str = include_str!("schema_objects.tsv");
const FOUND: &str = include_str!("schema_objects.sql");

/// A process that has just ended is given the moment that PostgreSQL takes to notice.
pub(crate) const TRIES: u32 = 10;
pub(crate) const PAUSE: Duration = Duration::from_millis(200);

/// Any number that nobody else uses: the lock that processes take while they change or claim the schema.
const OPENING: i64 = 0x7376_635f_6f70_656e;

/// Waits for other processes that are opening the database. The lock ends with the connection.
pub(crate) async fn alone(client: &Client) -> Result<(), StoreError> {
    client.execute("SELECT pg_advisory_lock($1)", &[&OPENING]).await?;
    Ok(())
}

/// Lets other processes open the database, for a connection that goes on.
pub(crate) async fn opened(client: &Client) -> Result<(), StoreError> {
    client.execute("SELECT pg_advisory_unlock($1)", &[&OPENING]).await?;
    Ok(())
}

/// The version of the schema in the database; 0 where there is none.
async fn version(client: &Client) -> Result<i64, StoreError> {
    let there: bool =
        client.query_one("SELECT to_regclass('schema_migration') IS NOT NULL", &[]).await?.try_get(0)?;
    if !there {
        return Ok(0);
    }
    let row = client.query_one("SELECT coalesce(max(version), 0) FROM schema_migration", &[]).await?;
    refuse_newer(row.try_get(0)?)
}

pub(crate) async fn status(client: &Client) -> Result<Schema, StoreError> {
    Ok(Schema::at(version(client).await?))
}

/// A process that has the database open would go on writing into it as it was.
pub(crate) async fn refuse_while_in_use(client: &Client) -> Result<(), StoreError> {
    let sql = "SELECT count(*), string_agg(DISTINCT coalesce(host(client_addr), 'this host'), ', ')
               FROM pg_stat_activity
               WHERE datname = current_database() AND application_name = 'svc' AND pid <> pg_backend_pid()";
    let mut hosts = String::new();
    for _ in 0..TRIES {
        let row = client.query_one(sql, &[]).await?;
        if row.try_get::<_, i64>(0)? == 0 {
            return Ok(());
        }
        hosts = row.try_get::<_, Option<String>>(1)?.unwrap_or_default();
        tokio::time::sleep(PAUSE).await;
    }
    Err(StoreError::Startup(format!(
        "the service is running on this database, from {hosts}; stop it first, which means: stop every process that uses it"
    )))
}

/// Applies what is pending, each whole or not at all; the caller is [`alone`].
pub(crate) async fn up(client: &Client, now: &str) -> Result<Vec<i64>, StoreError> {
    let from = version(client).await?;
    if from > 0 && pending(&MIGRATIONS, from).next().is_some() {
        refuse_while_in_use(client).await?;
    }
    let mut applied = Vec::new();
    for Migration { version, name, sql } in pending(&MIGRATIONS, from) {
        // Plain text and one transaction: PostgreSQL runs all of it or none.
        let note = format!(
            "CREATE TABLE IF NOT EXISTS schema_migration
             (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL);
             INSERT INTO schema_migration (version, name, applied) VALUES ({version}, '{name}', '{now}');"
        );
        client.batch_execute(&format!("BEGIN;\n{sql}\n{note}\nCOMMIT;")).await?;
        applied.push(version);
    }
    Ok(applied)
}

/// Refuses a schema that is not exactly what the migrations make.
pub(crate) async fn refuse_foreign(client: &Client) -> Result<(), StoreError> {
    let mut made = Vec::new();
    for line in MADE.lines() {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        if let (Some(kind), Some(name), Some(definition)) = (parts.next(), parts.next(), parts.next()) {
            made.push(SchemaObject { kind, name, definition });
        }
    }
    let mut found = Vec::new();
    for row in client.query(FOUND, &[]).await? {
        found.push(SchemaObject {
            kind: row.try_get(0)?,
            name: row.try_get(1)?,
            definition: row.try_get(2)?,
        });
    }
    refuse_other(&made, &found)
}
