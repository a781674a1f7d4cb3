//! The keys of users: destroying them, and noticing what another process did to any keys.

use super::{deployment, master_view, signing_view};
use crate::StoreError;
use crate::apart::Apart;
use crate::keys::UserTrees;
use crate::rows::deployment::{KEYS_AT, USER_KEYS_ID};
use crate::rows::principals::next_version;
use crate::script::{Alone, Db, Ground, Rows, Script, StoreResult};
use crate::seal::UserKeyId;
use crate::user_keys::needed;

pub(super) async fn trees<D: Db>(db: &mut D) -> StoreResult<UserTrees> {
    let id = deployment::get(db, USER_KEYS_ID).await?;
    let written = db.apart(Apart::UserKeys).await?;
    // Once they were there, they are never made anew.
    let id = id.as_deref().or(Some(&[]));
    needed(&db.secrets().sealer, id, written.as_deref(), "what is kept of the users' keys")
}

/// Destroys keys: nothing that is kept yields them any more.
pub(super) async fn destroy<R: Rows>(rows: &mut R, keys: &[UserKeyId]) -> StoreResult<()> {
    rows.alone(Alone::KeepingApart).await?;
    let mut trees = trees(rows.db()).await?;
    trees.destroy(keys);
    keep(rows, &trees).await
}

/// Keeps these keys, and has the other processes learn of it.
pub(super) async fn keep<R: Rows>(rows: &mut R, trees: &UserTrees) -> StoreResult<()> {
    let written = trees.seal(&rows.db().secrets().sealer).map_err(|e| StoreError::Startup(e.to_string()))?;
    rows.apart_set(Apart::UserKeys, &written).await?;
    deployment::set(rows, KEYS_AT, &next_version()?).await
}

/// Takes the keys as they are now, by way of the writer: for a reader that came upon one which it does not know.
pub(crate) struct Follow;

impl Script for Follow {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::of_deployment()
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        rows.keys_changed().await
    }
}

/// Takes the keys as they are now, where another process has changed them.
pub(crate) async fn follow<D: Db>(db: &mut D) -> StoreResult<()> {
    if db.secrets().users.is_none() {
        return Ok(());
    }
    let at = deployment::get(db, KEYS_AT).await?.unwrap_or_default();
    follow_to(db, at).await
}

/// The same where it is known which change of keys was the last.
pub(crate) async fn follow_to<D: Db>(db: &mut D, at: Vec<u8>) -> StoreResult<()> {
    if db.secrets().users.is_none() {
        return Ok(());
    }
    if db.secrets().users.as_ref().is_some_and(|users| users.is_as_of(&at)) {
        return Ok(());
    }
    master_view::follow(db).await?;
    signing_view::follow(db).await?;
    let trees = trees(db).await?;
    if let Some(users) = &db.secrets().users {
        users.replace(trees, at);
    }
    Ok(())
}
