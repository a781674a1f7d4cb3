//! Numbers that are given out once. They are taken in a transaction of their own, so that two writers of one tenant do
//! not wait for each other; a call that fails leaves a gap, never a number used twice.

use crate::script::{Series, StoreResult};
use deadpool_postgres::Pool;
use domain::Tenant;

/// Takes `count` numbers in a row and returns the first.
pub(super) async fn take(desk: &Pool, tenant: &Tenant, series: Series, count: i64) -> StoreResult<i64> {
    let client = desk.get().await?;
    let statement = client
        .prepare_cached(
            "INSERT INTO sequence (tenant, name, next) VALUES ($1, $2, 1 + $3::BIGINT)
             ON CONFLICT (tenant, name) DO UPDATE SET next = sequence.next + $3::BIGINT RETURNING next - $3::BIGINT",
        )
        .await?;
    let row = client.query_one(&statement, &[&tenant.as_str(), &series.name(), &count]).await?;
    Ok(row.try_get(0)?)
}
