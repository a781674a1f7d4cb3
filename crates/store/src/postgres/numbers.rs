//! Numbers that are given out once. They are taken in a transaction of their own, so that two writers of one tenant do
//! not wait for each other; a call that fails leaves a gap, never a number used twice.

use crate::StoreError;
use deadpool_postgres::Pool;

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
pub(crate) async fn take(desk: &Pool, tenant: &str, series: Series, count: i64) -> Result<i64, StoreError> {
    let client = desk.get().await?;
    let statement = client
        .prepare_cached(
            "INSERT INTO sequence (tenant, name, next) VALUES ($1, $2, 1 + $3::BIGINT)
             ON CONFLICT (tenant, name) DO UPDATE SET next = sequence.next + $3::BIGINT RETURNING next - $3::BIGINT",
        )
        .await?;
    Ok(client.query_one(&statement, &[&tenant, &series.name(), &count]).await?.try_get(0)?)
}
