//! Numbers that are given out once. They are taken in a transaction of their own, so that two writers of one tenant do
//! not wait for each other; a call that fails leaves a gap, never a number used twice.

use super::walls::Reach;
use crate::StoreError;
use deadpool_postgres::Pool;
use futures_util::future::try_join3;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Series {
    Fact,
    Decision,
    Receipt,
    Space,
}

impl Series {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Decision => "decision",
            Self::Receipt => "receipt",
            Self::Space => "space",
        }
    }
}

/// Takes `count` numbers in a row and returns the first.
pub(crate) async fn take(pool: &Pool, tenant: &str, series: Series, count: i64) -> Result<i64, StoreError> {
    let client = pool.get().await?;
    let statement = client
        .prepare_cached(
            "INSERT INTO sequence (tenant, name, next) VALUES ($1, $2, 1 + $3::BIGINT)
             ON CONFLICT (tenant, name) DO UPDATE SET next = sequence.next + $3::BIGINT RETURNING next - $3::BIGINT",
        )
        .await?;
    // It need not reach the disk by itself: what uses the number is committed after it, and takes it along.
    let begin = format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off; {}",
        Reach::Tenant(tenant).sql()
    );
    // Sent together: one round trip, in this order.
    let name = series.name();
    let taken = try_join3(
        client.batch_execute(&begin),
        client.query_one(&statement, &[&tenant, &name, &count]),
        client.batch_execute("COMMIT"),
    )
    .await;
    match taken {
        Ok((_, row, _)) => Ok(row.try_get(0)?),
        Err(error) => {
            drop(deadpool_postgres::Object::take(client));
            Err(error.into())
        }
    }
}
