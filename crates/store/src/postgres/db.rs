//! A connection together with the keys that open what it reads. Reads and writes share the queries written on it.

use crate::StoreError;
use crate::secrets::Secrets;
use deadpool_postgres::Client;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::future::poll_fn;
use std::task::Poll;
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

/// Carries the steps out one after the other, each sent before the one ahead of it is answered. A step that has to
/// prepare its statement first would fall behind; whoever cares for the order prepares before.
pub(crate) async fn in_order(steps: Vec<BoxFuture<'_, Result<(), StoreError>>>) -> Result<(), StoreError> {
    let mut steps: Vec<_> = steps.into_iter().map(Some).collect();
    poll_fn(|cx| {
        for slot in &mut steps {
            match slot.as_mut().map(|step| step.poll_unpin(cx)) {
                Some(Poll::Ready(Err(error))) => return Poll::Ready(Err(error)),
                Some(Poll::Ready(Ok(()))) => *slot = None,
                Some(Poll::Pending) | None => {}
            }
        }
        if steps.iter().all(Option::is_none) { Poll::Ready(Ok(())) } else { Poll::Pending }
    })
    .await
}

/// Reads a row of one column.
pub(crate) fn only<T: for<'r> tokio_postgres::types::FromSql<'r>>(
    row: &Row,
) -> Result<T, tokio_postgres::Error> {
    row.try_get(0)
}
