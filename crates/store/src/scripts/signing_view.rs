//! Which key signs, as a transaction or a view of the database sees it.

use super::deployment;
use crate::apart::Apart;
use crate::rows::deployment::{KEY_HISTORY, history, signing_kept};
use crate::script::{Db, Query, Reach, StoreResult};
use crate::signing::Signing;
use evidence::KeyHistory;

pub(super) async fn told<D: Db>(db: &mut D) -> StoreResult<KeyHistory> {
    history(deployment::get(db, KEY_HISTORY).await?.as_deref())
}

async fn found<D: Db>(db: &mut D, told: &KeyHistory) -> StoreResult<Option<Signing>> {
    let Some(signing) = &db.secrets().signing else { return Ok(None) };
    let (first, before) = (*signing.get().keyring.first(), signing.before());
    let written = db.apart(Apart::SigningKeys).await?;
    let kept = written.map(|written| signing_kept(&written, &db.secrets().sealer)).transpose()?;
    Signing::of(kept.as_slice(), told, Some(first), before.as_ref()).map(Some)
}

/// Takes the key that signs by what this transaction sees.
pub(super) async fn follow<D: Db>(db: &mut D) -> StoreResult<()> {
    let Some(now) = db.secrets().signing() else { return Ok(()) };
    let told = told(db).await?;
    if told != now.history
        && let Some(found) = found(db, &told).await?
        && let Some(signing) = &db.secrets().signing
    {
        signing.replace(found);
    }
    Ok(())
}

/// Learns of keys that other processes have begun to sign with, for checking what they signed. A view of the database may
/// be older than what this process knows, so nothing is unlearned.
pub(crate) async fn learn<D: Db>(db: &mut D) -> StoreResult<()> {
    let Some(now) = db.secrets().signing() else { return Ok(()) };
    let told = told(db).await?;
    if told != now.history
        && told.continues(&now.history)
        && let Some(found) = found(db, &told).await?
        && let Some(signing) = &db.secrets().signing
    {
        signing.extend(found);
    }
    Ok(())
}

pub(crate) struct Learn;

impl Query for Learn {
    type Output = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<()> {
        learn(db).await
    }
}
