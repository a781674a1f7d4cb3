//! Whether the key that a call was made with is still good where the call commits. A key may be revoked, replaced,
//! narrowed or expire while a model is asked.

use super::{deployment, revoked};
use crate::StoreError;
use crate::call::{Call, Ending, Record};
use crate::rows::deployment::PRINCIPALS;
use crate::rows::principals::{COLUMNS, KeyHash, SealedPrincipal, version};
use crate::script::{Db, Rows, StoreResult};
use crate::sql::params;
use domain::{Identity, Principal, PrincipalId, PrincipalsVersion, Timestamp};

/// The principal whose key must still be good for this entry to be kept. A call that failed or was denied has its entry
/// whatever became of the key.
pub(crate) fn needed<'a>(call: &'a Call, record: &Record) -> Option<&'a Principal> {
    match &call.caller.identity {
        Identity::Principal(principal) if record.ending == Ending::Done && !record.changes_own_key => {
            principal.shown.is_some().then_some(principal)
        }
        _ => None,
    }
}

/// Whether the call is about to change its own caller's key, which must still be good at that moment: afterwards it may
/// not be. Nobody else changes that row meanwhile, since it was found and locked.
pub(super) async fn check_own<R: Rows>(rows: &mut R, call: &Call, id: &PrincipalId) -> StoreResult<bool> {
    match &call.caller.identity {
        Identity::Principal(principal) if principal.id == *id => {
            check(rows.db(), principal, None).await?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

pub(crate) async fn principals_version<D: Db>(db: &mut D) -> StoreResult<PrincipalsVersion> {
    Ok(version(deployment::get(db, PRINCIPALS).await?.as_deref()))
}

/// An error where the key has ended, or its principal may no longer do what it might when the call began. `now` is the version of the principals;
/// while it is the one that the key was found in, no row is read.
pub(crate) async fn check<D: Db>(
    db: &mut D,
    principal: &Principal,
    now: Option<PrincipalsVersion>,
) -> StoreResult<()> {
    let Some(shown) = &principal.shown else { return Ok(()) };
    let time = Timestamp::now();
    if now == Some(shown.version) && time < shown.ends {
        return Ok(());
    }
    let sql = format!("SELECT {COLUMNS} FROM principal WHERE tenant = $1 AND id = $2 AND revoked IS NULL");
    let row: Option<SealedPrincipal> = db.one(&sql, &params![&principal.tenant, &principal.id]).await?;
    let row = row.filter(|row| row.good_until(&KeyHash(shown.hash), time).is_some());
    let held = row.map(|row| db.secrets().principal_open(row)).transpose()?;
    if revoked::has_ended(db, &principal.id, &KeyHash(shown.hash), time).await? {
        return Err(StoreError::KeyEnded);
    }
    match held {
        None => Err(StoreError::KeyEnded),
        Some(held) if held.principal.still_allows(principal) => Ok(()),
        Some(_) => Err(StoreError::KeyNarrowed),
    }
}
