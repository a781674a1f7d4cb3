//! The signing key: replacing it, and finishing what a kill interrupted.

use super::deployment;
use super::signing_view::{Learn, follow, told};
use crate::StoreError;
use crate::apart::Apart;
use crate::call::{Call, Record};
use crate::keys::{SigningKeys, new_secret, sign_text};
use crate::rows::deployment::{KEY_HISTORY, KEYS_AT, signing_kept, signing_sealed_anew};
use crate::rows::principals::next_version;
use crate::rows::time;
use crate::script::{Alone, Db, Ground, Query, Reach, Rows, Script, StoreResult, Touches};
use crate::sql::params;
use crate::store::Store;
use domain::{Caller, Timestamp};
use evidence::{Canonical, Handover, KEY_ROTATED, Signer};
use zeroize::Zeroizing;

/// Replaces the signing key. Until the commit both secrets are kept, and the history in the database says which of them
/// signs; so a kill at any point leaves a key that does.
struct SigningRotate {
    call: Call,
}

impl Script for SigningRotate {
    type Output = Handover;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Handover> {
        rows.reach(Reach::Deployment).await?;
        rows.alone(Alone::KeepingApart).await?;
        rows.alone(Alone::Signing).await?;
        follow(rows.db()).await?;
        let Some(now) = rows.db().secrets().signing() else { return Err(StoreError::Closed) };
        let at = rows.log_end().await?.at();
        let secret = new_secret()?;
        let next = Signer::from_seed(*secret);
        let handover = Handover::new(&now.signer, &next, at, retired(rows.db()).await?);
        let history = now.history.with(handover.clone());
        let history = history.map_err(|e| StoreError::corrupt("the key history", e))?;
        let both = vec![Zeroizing::new(now.signer.seed()), secret];
        keep(rows, SigningKeys { history: now.history.clone(), secrets: both }).await?;
        deployment::set(rows, KEY_HISTORY, &history.encode()).await?;
        deployment::set(rows, KEYS_AT, &next_version()?).await?;
        rows.keys_changed().await?;
        let detail = format!("signing key {} follows {}", next.key_id(), now.signer.key_id());
        rows.note(&self.call, &Record::done(detail)).await?;
        Ok(handover)
    }
}

/// The time of the retirement: not before anything that the key signed, whichever host's clock that went by. What it
/// signed is among the last entries.
async fn retired<D: Db>(db: &mut D) -> StoreResult<Timestamp> {
    const LAST: i64 = 10_000;
    let sql =
        "SELECT max(ts) FROM audit_entry WHERE seq > (SELECT coalesce(max(seq), 0) FROM audit_entry) - $1";
    let last: Option<(Option<i64>,)> = db.one(sql, &params![LAST]).await?;
    let last = last.and_then(|(ts,)| ts).map(time).transpose()?;
    let now = Timestamp::now();
    Ok(last.map_or(now, |last| last.max(now)))
}

async fn keep<R: Rows>(rows: &mut R, keys: SigningKeys) -> StoreResult<()> {
    let text = sign_text(&keys, &rows.db().secrets().sealer);
    let text = text.map_err(|e| StoreError::Startup(e.to_string()))?;
    rows.apart_set(Apart::SigningKeys, text.as_bytes()).await
}

/// Keeps the signing keys under the newest master key, where they are under one.
pub(super) async fn seal_anew<R: Rows>(rows: &mut R) -> StoreResult<()> {
    let Some(written) = rows.db().apart(Apart::SigningKeys).await? else { return Ok(()) };
    let anew = signing_sealed_anew(&written, &rows.db().secrets().sealer)?;
    match anew {
        Some(anew) => rows.apart_set(Apart::SigningKeys, anew.as_bytes()).await,
        None => Ok(()),
    }
}

/// Brings what is kept in line with the key that signs: the database with the file, after an older copy of the database
/// was put back, and the file with the database, after a rotation.
struct SigningSettle;

impl SigningSettle {
    /// Whether the history in the database, and what is kept apart, are what they should be.
    async fn settled<D: Db>(db: &mut D) -> StoreResult<(bool, bool)> {
        let Some(now) = db.secrets().signing() else { return Ok((true, true)) };
        let told = told(db).await?;
        if now.history.is_empty() {
            return Ok((told.is_empty(), true));
        }
        let written = db.apart(Apart::SigningKeys).await?;
        let kept = written.map(|written| signing_kept(&written, &db.secrets().sealer)).transpose()?;
        let kept = kept.is_some_and(|kept| kept.history == now.history && kept.secrets.len() == 1);
        Ok((told == now.history, kept))
    }
}

impl Query for SigningSettle {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        Ok(Self::settled(db).await? == (true, true))
    }
}

impl Script for SigningSettle {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::of_deployment()
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        rows.reach(Reach::Deployment).await?;
        rows.alone(Alone::KeepingApart).await?;
        follow(rows.db()).await?;
        let Some(now) = rows.db().secrets().signing() else { return Ok(()) };
        let (told, kept) = Self::settled(rows.db()).await?;
        if !told {
            deployment::set(rows, KEY_HISTORY, &now.history.encode()).await?;
            deployment::set(rows, KEYS_AT, &next_version()?).await?;
        }
        if !kept {
            let secrets = vec![Zeroizing::new(now.signer.seed())];
            keep(rows, SigningKeys { history: now.history.clone(), secrets }).await?;
        }
        Ok(())
    }
}

impl Store {
    /// Has a new key sign from now on. The other processes take it with their next transaction.
    pub async fn signing_rotate(&self, caller: Caller) -> Result<Handover, StoreError> {
        let refused = |why: &str| StoreError::Startup(why.to_owned());
        if self.secrets().signing.is_none() {
            return Err(refused("SVC_SIGN is off for this deployment, so there is no signing key to rotate"));
        }
        if !self.is_sealed() {
            return Err(refused(
                "SVC_ENCRYPT is off for this deployment, and a new signing key is kept only sealed under a master key",
            ));
        }
        let call = Call::new(caller, KEY_ROTATED, None);
        let handover = self.write(SigningRotate { call }).await?;
        self.signing_settle().await?;
        Ok(handover)
    }

    /// Learns of signing keys that other processes have begun to use.
    pub async fn keys_learn(&self) -> Result<(), StoreError> {
        self.read_now(Learn).await
    }

    /// Finishes a rotation that was interrupted; after a restore, tells the database of the keys that came since.
    pub(super) async fn signing_settle(&self) -> Result<(), StoreError> {
        if self.secrets().signing.is_none() || self.read_now(SigningSettle).await? {
            return Ok(());
        }
        self.write_now(SigningSettle).await
    }
}
