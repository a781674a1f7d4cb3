//! New keys for what users stored. The older ones stay in the file, for backups that were made before: a key that is
//! destroyed later is destroyed in all of them.

use super::{reseal, user_keys};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::script::{Alone, Ground, Reach, Rows, Script, StoreResult, Touches};
use crate::store::Store;
use domain::Caller;

/// The action of the entries that tell of it.
const ACTION: &str = "users_keys_rotated";

/// What came of a rotation of keys that seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resealed {
    pub generation: u8,
    /// Values that were sealed anew.
    pub values: u64,
    /// Whether it finished a rotation that was interrupted, and began none.
    pub is_resumed: bool,
}

/// Has the users' keys of the next generation seal from here on.
struct Begin {
    call: Call,
}

impl Script for Begin {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        rows.reach(Reach::Deployment).await?;
        rows.alone(Alone::KeepingApart).await?;
        let mut trees = user_keys::trees(rows.db()).await?;
        let generation = trees.grow()?;
        user_keys::keep(rows, &trees).await?;
        reseal::begin(rows, &[generation]).await?;
        rows.keys_changed().await?;
        rows.note(&self.call, &Record::done(format!("users' keys of generation {generation}"))).await
    }
}

impl Store {
    /// Gives the users new keys, and seals anew what they stored, in pieces between which others are served. One that was
    /// interrupted is finished first, and is then all that is done.
    pub async fn users_rotate(&self, caller: Caller) -> Result<Resealed, StoreError> {
        let Some(users) = &self.secrets().users else {
            return Err(StoreError::Startup(
                "SVC_ENCRYPT is off for this deployment, so users have no keys to rotate".to_owned(),
            ));
        };
        let call = Call::new(caller, ACTION, None);
        let is_resumed = self.reseal_is_under_way().await?;
        if !is_resumed {
            self.write_now(Begin { call: call.clone() }).await?;
        }
        let values = self.reseal_to_the_end(&call).await?;
        Ok(Resealed { generation: users.generation(), values, is_resumed })
    }
}
