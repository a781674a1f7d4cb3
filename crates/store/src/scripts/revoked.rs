//! The principals that were revoked, remembered where no backup reaches.

use crate::StoreError;
use crate::apart::Apart;
use crate::rows::time;
use crate::script::{Alone, Db, Rows, StoreResult};
use crate::secrets::Secrets;
use domain::{PrincipalId, Timestamp};
use evidence::{Revocations, Signed, SignedRevocations};

impl Secrets {
    /// What is remembered; an error where it is not what we signed.
    pub fn revocations(&self, written: Option<&[u8]>) -> Result<Revocations, StoreError> {
        let Some(written) = written else { return Ok(Revocations::default()) };
        let signed: Option<SignedRevocations> = Signed::decode(written).ok();
        let holds =
            |signed: &SignedRevocations| self.keyring.as_ref().is_none_or(|keys| signed.is_signed_by(keys));
        signed.filter(holds).map(|signed| signed.statement).ok_or_else(|| {
            StoreError::corrupt("the list of revoked principals beside the keys", "it has no valid signature")
        })
    }
}

/// Notes that the principal was revoked. A list that was lost or changed is made anew from what the database knows.
pub(super) async fn note<R: Rows>(rows: &mut R, id: &PrincipalId, now: Timestamp) -> StoreResult<()> {
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
    revoked.add(id, now);
    let signed = Signed::new(revoked, rows.db().secrets().signer.as_ref());
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
