//! A connection together with the keys that open what it reads. Reads and writes share the queries written on it.

use crate::StoreError;
use crate::secrets::Secrets;
use deadpool_postgres::Client;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

pub(crate) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];
/// How a row is read. An error here is a column of another type than we write.
pub(crate) type Read<T> = fn(&Row) -> Result<T, tokio_postgres::Error>;

pub(crate) struct Db<'a> {
    pub client: &'a Client,
    pub secrets: &'a Secrets,
}

impl Db<'_> {
    pub async fn one<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        read: Read<T>,
    ) -> Result<Option<T>, StoreError> {
        let statement = self.client.prepare_cached(sql).await?;
        Ok(self.client.query_opt(&statement, params).await?.as_ref().map(read).transpose()?)
    }

    pub async fn all<T>(&self, sql: &str, params: Params<'_>, read: Read<T>) -> Result<Vec<T>, StoreError> {
        let statement = self.client.prepare_cached(sql).await?;
        let rows = self.client.query(&statement, params).await?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }

    pub async fn run(&self, sql: &str, params: Params<'_>) -> Result<u64, StoreError> {
        let statement = self.client.prepare_cached(sql).await?;
        Ok(self.client.execute(&statement, params).await?)
    }
}

/// Reads a row of one column.
pub(crate) fn only<T: for<'r> tokio_postgres::types::FromSql<'r>>(
    row: &Row,
) -> Result<T, tokio_postgres::Error> {
    row.try_get(0)
}
