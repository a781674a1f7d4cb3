//! The two ways of a copy: out of SQLite into PostgreSQL, and back.

use super::{PostgresRows, SqliteFile, SqliteRows, Step, TABLES, Table, Target, Watcher};
use crate::StoreError;
use crate::rows::deployment::LOCAL;

/// Goes on after what is there already. The rows of `deployment` come last.
pub(crate) async fn into_postgres(
    source: &SqliteRows<'_>,
    target: &Target,
    watch: Watcher<'_>,
) -> Result<(), StoreError> {
    let tenants = source.tenants()?;
    for table in &TABLES {
        let total = source.count(table)?;
        let mut done = target.count(table, &tenants).await?;
        watch(Step::Copied { table: table.name, done, total });
        for tenant in table.parts(&tenants) {
            let mut after = target.last(table, tenant).await?;
            loop {
                let batch = source.page(table, tenant, after.as_ref())?;
                if batch.rows == 0 {
                    break;
                }
                target.insert(&batch).await?;
                done += batch.rows as u64;
                after = batch.last();
                watch(Step::Copied { table: table.name, done, total });
            }
        }
        agree(table, total, target.count(table, &tenants).await?)?;
    }
    target.number_on().await?;
    for (name, value) in source.deployment()? {
        if !LOCAL.contains(&name.as_str()) {
            target.set(&name, &value).await?;
        }
    }
    Ok(())
}

pub(crate) async fn into_sqlite(
    source: &PostgresRows,
    target: &SqliteFile<'_>,
    watch: Watcher<'_>,
) -> Result<(), StoreError> {
    let tenants = source.tenants().await?;
    for table in &TABLES {
        let total = source.count(table, &tenants).await?;
        let mut done = 0;
        watch(Step::Copied { table: table.name, done, total });
        for tenant in table.parts(&tenants) {
            let mut after = None;
            loop {
                let batch = source.page(table, tenant, after.as_ref()).await?;
                if batch.rows == 0 {
                    break;
                }
                target.insert(&batch)?;
                done += batch.rows as u64;
                after = batch.last();
                watch(Step::Copied { table: table.name, done, total });
            }
        }
        agree(table, total, target.count(table)?)?;
    }
    for (name, value) in source.deployment().await? {
        if !LOCAL.contains(&name.as_str()) {
            target.set(&name, &value)?;
        }
    }
    Ok(())
}

fn agree(table: &Table, source: u64, target: u64) -> Result<(), StoreError> {
    if source == target {
        return Ok(());
    }
    Err(StoreError::Corrupt {
        what: "the copy",
        why: format!("{} has {target} rows of {source}; begin with an empty database", table.name),
    })
}
