//! Which master key seals, as a transaction sees it.

use super::deployment;
use crate::StoreError;
use crate::rows::deployment::KEY_CHECK;
use crate::script::{Db, StoreResult};
use crate::seal::KeyId;

/// Takes the master key that seals by now.
pub(super) async fn follow<D: Db>(db: &mut D) -> StoreResult<()> {
    let check = deployment::get(db, KEY_CHECK).await?.unwrap_or_default();
    let Some(told) = KeyId::of_sealed(&check) else { return Ok(()) };
    if db.secrets().sealer.turn_to(told) {
        return Ok(());
    }
    let sealer = db.ring().await?.sealer()?;
    if !sealer.turn_to(told) {
        return Err(StoreError::Startup(format!(
            "the master key was replaced by {told}, which is not among the keys of this host: copy the file that ends in \
             .key from the host on which it was rotated"
        )));
    }
    db.secrets().sealer.take(sealer);
    Ok(())
}
