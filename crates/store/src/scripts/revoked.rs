//! The principals that were revoked and the keys that were replaced, remembered where no backup reaches.

use crate::StoreError;
use crate::apart::Apart;
use crate::rows::principals::KeyHash;
use crate::rows::time;
use crate::script::{Alone, Db, Rows, StoreResult};
use crate::secrets::Secrets;
use domain::{PrincipalId, Timestamp};
use evidence::{Hash, Revocations, Signed, SignedRevocations};
use std::sync::Arc;

impl Secrets {
    /// The same of what is asked of with every call, and checked once.
    fn revocations_known(&self, written: &[u8]) -> Result<Arc<Revocations>, StoreError> {
        let mut known = self.revocations.lock();
        if let Some((of, revocations)) = &*known
            && of == written
        {
            return Ok(revocations.clone());
        }
        let revocations = Arc::new(self.revocations(Some(written))?);
        *known = Some((written.to_vec(), revocations.clone()));
        Ok(revocations)
    }

    /// What is remembered; an error where it is not what we signed.
    pub fn revocations(&self, written: Option<&[u8]>) -> Result<Revocations, StoreError> {
        let Some(written) = written else { return Ok(Revocations::default()) };
        let signed: Option<SignedRevocations> = Signed::decode(written).ok();
        let holds = |signed: &SignedRevocations| {
            self.signing().is_none_or(|signing| signed.is_signed_by(&signing.keyring))
        };
        signed.filter(holds).map(|signed| signed.statement).ok_or_else(|| {
            StoreError::corrupt("the list of revoked principals beside the keys", "it has no valid signature")
        })
    }
}

/// Whether the key, or its principal, has ended by the signed list, whatever the row says: a row that somebody put back
/// brings nobody back. A list that is not ours is an error.
pub(super) async fn has_ended<D: Db>(
    db: &mut D,
    principal: &PrincipalId,
    key: &KeyHash,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(written) = db.apart(Apart::Revoked).await? else { return Ok(false) };
    let revoked = db.secrets().revocations_known(&written)?;
    let is_revoked = revoked.principals.iter().any(|(id, _)| id == principal);
    Ok(is_revoked || revoked.keys.iter().any(|(hash, ends)| hash.0 == key.0 && *ends <= now))
}

/// Notes that the principal was revoked.
pub(super) async fn note<R: Rows>(rows: &mut R, id: &PrincipalId, now: Timestamp) -> StoreResult<()> {
    change(rows, |revoked| revoked.add(id, now)).await
}

/// Notes that a key was replaced, and when it ends.
pub(super) async fn note_key<R: Rows>(rows: &mut R, hash: &[u8], ends: Timestamp) -> StoreResult<()> {
    let hash = Hash(hash.try_into().map_err(|e| StoreError::corrupt("the hash of a key", e))?);
    change(rows, |revoked| revoked.add_key(hash, ends)).await
}

/// A list that was lost or changed is made anew from what the database knows.
async fn change<R: Rows>(rows: &mut R, change: impl FnOnce(&mut Revocations) + Send) -> StoreResult<()> {
    rows.alone(Alone::KeepingApart).await?;
    let written = rows.db().apart(Apart::Revoked).await?;
    let mut revoked = match rows.db().secrets().revocations(written.as_deref()) {
        Ok(revoked) if written.is_some() => revoked,
        Ok(_) => in_database(rows.db()).await?,
        Err(error) => {
            tracing::error!(%error, "the list of revoked principals is made anew");
            in_database(rows.db()).await?
        }
    };
    change(&mut revoked);
    let signed = rows.db().secrets().sign(revoked);
    rows.apart_set(Apart::Revoked, &signed.encode()).await
}

async fn in_database<D: Db>(db: &mut D) -> StoreResult<Revocations> {
    let sql = "SELECT id, revoked FROM principal WHERE revoked IS NOT NULL ORDER BY revoked, id";
    let mut revoked = Revocations::default();
    for (id, at) in db.all::<(String, i64)>(sql, &[]).await? {
        revoked.add(&PrincipalId(id), time(at)?);
    }
    Ok(revoked)
}
