//! Whether there is room for what a call would store.

use crate::rows::storage_use::{HELD, Held};
use crate::script::{Alone, Db, Rows, StoreResult};
use crate::sql::params;
use crate::storage_quota::{Amount, OverStorage, StorageLimits};
use domain::{Caller, Identity, Tenant};

/// Before anything is read: until the transaction ends, nobody else fills the room that it finds.
pub(super) async fn lock<R: Rows>(rows: &mut R, tenant: &Tenant, limits: &StorageLimits) -> StoreResult<()> {
    if limits.are_set() { rows.alone(Alone::Storing(tenant)).await } else { Ok(()) }
}

pub(super) async fn check<R: Rows>(
    rows: &mut R,
    caller: &Caller,
    limits: &StorageLimits,
    added: Amount,
) -> StoreResult<Result<(), OverStorage>> {
    if !limits.are_set() {
        return Ok(Ok(()));
    }
    let held: Option<Held> = rows.db().one(HELD, &params![&caller.tenant, caller.id()]).await?;
    let has_key = matches!(caller.identity, Identity::Principal(_));
    let check = |held: Held| limits.check(held.tenant, has_key.then_some(held.writer), added);
    Ok(held.map_or(Ok(()), check))
}
