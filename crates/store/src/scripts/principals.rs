//! Principals and the hashes of their keys.

use super::{credentials, revoked};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::records::{Created, Ended, Recorded, Renewed};
use crate::rows::deployment::PRINCIPALS;
use crate::rows::principals::{
    COLUMNS, Creation, FormerKey, FoundByKey, FoundPrincipal, KeyHash, NewKey, PrincipalState, Revocation,
    Revoked, Rotated, Rotation, SealedPrincipal,
};
use crate::rows::time;
use crate::script::{Alone, Db, Ground, Query, Reach, Rows, Script, StoreResult, Touches};
use crate::sql::params;
use crate::store::Store;
use domain::{Caller, Identity, Principal, PrincipalId, ShownKey, Timestamp};
use std::collections::HashMap;
use std::time::Instant;

/// What an entry names in place of a tool and a request where nobody has been let in yet.
const AUTHENTICATION: &str = "authentication";

/// The operator reaches every tenant's principals, another caller its own tenant's.
fn reach(caller: &Caller) -> Reach<'_> {
    if caller.is_operator() { Reach::Deployment } else { Reach::Tenant(&caller.tenant) }
}

/// The tenant that the reach is limited to.
fn tenant_of(reach: Reach<'_>) -> Option<&str> {
    match reach {
        Reach::Tenant(tenant) => Some(tenant.as_str()),
        Reach::Deployment => None,
    }
}

pub(super) async fn active<D: Db>(db: &mut D) -> StoreResult<i64> {
    let sql = "SELECT count(*) FROM principal WHERE revoked IS NULL";
    Ok(db.one::<(i64,)>(sql, &[]).await?.map_or(0, |(count,)| count))
}

/// A principal within the caller's reach, locked: an active one, or also one that was revoked.
pub(super) async fn find<R: Rows>(
    rows: &mut R,
    caller: &Caller,
    id: &PrincipalId,
    revoked_too: bool,
) -> StoreResult<Option<SealedPrincipal>> {
    let reach = reach(caller);
    rows.reach(reach).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM principal WHERE (CAST($1 AS TEXT) IS NULL OR tenant = $1) AND id = $2
         AND (revoked IS NULL OR $3) {}",
        R::LOCK
    );
    rows.db().one(&sql, &params![tenant_of(reach), id, revoked_too]).await
}

struct PrincipalCreate {
    call: Call,
    principal: Principal,
    key: NewKey,
    seats: i64,
}

impl Script for PrincipalCreate {
    type Output = Creation;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Creation> {
        rows.reach(Reach::Deployment).await?;
        rows.alone(Alone::Seating).await?;
        let creation = if active(rows.db()).await? >= self.seats {
            Creation::SeatsTaken
        } else {
            let secrets = rows.db().secrets();
            let row = secrets.principal_seal(&self.principal, &self.key, self.call.caller.now)?;
            let sql = "INSERT INTO principal (tenant, id, key_hint, key_hash, created, body, expires)
                VALUES ($1, $2, $3, $4, $5, $6, $7)";
            let hint = self.key.hash.hint();
            let values =
                params![&row.tenant, &row.id, hint, &row.key_hash, row.created, &row.body, row.expires];
            rows.run(sql, &values).await?;
            rows.principals_changed().await?;
            Creation::Created
        };
        let record = Created { principal: &self.principal, creation }.record();
        rows.record(&self.call, &record, &[]).await?;
        Ok(creation)
    }
}

struct PrincipalRevoke {
    call: Call,
    id: PrincipalId,
    how: Revocation,
}

impl Script for PrincipalRevoke {
    type Output = Revoked;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Revoked> {
        let caller = &self.call.caller;
        let row = find(rows, caller, &self.id, self.how == Revocation::Erase).await?;
        let found = row.as_ref().map_or(Revoked::Nothing, SealedPrincipal::found);
        let changes_own_key =
            found == Revoked::Active && credentials::check_own(rows, &self.call, &self.id).await?;
        match (row, self.how) {
            (None, _) => {}
            (Some(row), Revocation::Disable) => {
                let now = caller.now.as_microsecond();
                let sealed = rows.db().secrets().principal_disable(&row, now)?;
                let sql = "UPDATE principal SET revoked = $3, body = $4 WHERE tenant = $1 AND id = $2";
                rows.run(sql, &params![&row.tenant, &row.id, now, sealed]).await?;
            }
            (Some(row), Revocation::Erase) => {
                let sql = "DELETE FROM principal WHERE tenant = $1 AND id = $2";
                rows.run(sql, &params![&row.tenant, &row.id]).await?;
            }
        }
        if found != Revoked::Nothing {
            revoked::note(rows, &self.id, caller.now).await?;
            rows.principals_changed().await?;
        }
        let record = Record { changes_own_key, ..Ended { id: &self.id, found }.record() };
        rows.record(&self.call, &record, &[]).await?;
        Ok(found)
    }
}

struct PrincipalRotate {
    call: Call,
    id: PrincipalId,
    rotation: Rotation,
}

impl Script for PrincipalRotate {
    type Output = Rotated;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Rotated> {
        let rotated = self.rotated(rows).await?;
        let is_changed = matches!(rotated, Rotated::Done(_));
        if is_changed {
            rows.principals_changed().await?;
        }
        let changes_own_key = is_changed && self.id.as_str() == self.call.caller.id();
        let record = Record { changes_own_key, ..Renewed { id: &self.id, rotated: &rotated }.record() };
        rows.record(&self.call, &record, &[]).await?;
        Ok(rotated)
    }
}

impl PrincipalRotate {
    async fn rotated<R: Rows>(&self, rows: &mut R) -> StoreResult<Rotated> {
        let (caller, rotation) = (&self.call.caller, &self.rotation);
        let Some(row) = find(rows, caller, &self.id, false).await? else { return Ok(Rotated::Unknown) };
        credentials::check_own(rows, &self.call, &self.id).await?;
        let Ok(expires) = row.next_expiry(rotation) else { return Ok(Rotated::ExpiryUnsaid) };
        let replaced = row.key_hash.clone();
        let row = rows.db().secrets().principal_rotate(row, rotation, expires, caller.now)?;
        let former = row.former.as_ref();
        let ends = former.map_or(Ok(caller.now), |former| time(former.until))?;
        revoked::note_key(rows, &replaced, ends).await?;
        let sql = "UPDATE principal SET key_hint = $3, key_hash = $4, expires = $5, former_hint = $6,
            former_hash = $7, former_until = $8, body = $9 WHERE tenant = $1 AND id = $2";
        let values = params![
            &row.tenant,
            &row.id,
            rotation.key.hint(),
            &row.key_hash,
            row.expires,
            former.map(FormerKey::hint),
            former.map(|former| former.hash.as_slice()),
            former.map(|former| former.until),
            &row.body,
        ];
        rows.run(sql, &values).await?;
        Ok(Rotated::Done(Box::new(rows.db().secrets().principal_open(row)?)))
    }
}

struct PrincipalByKey {
    key: KeyHash,
    now: Timestamp,
}

/// Whose key it is.
enum Holder {
    Nobody,
    Principal(Principal),
    /// Its row does not open, so nobody knows what the key may do.
    Damaged(PrincipalId),
}

impl Query for PrincipalByKey {
    type Output = Holder;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    fn is_lookup(&self) -> bool {
        true
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Holder> {
        let sql = format!(
            "SELECT {COLUMNS}, (SELECT value FROM deployment WHERE name = '{PRINCIPALS}') FROM principal
             WHERE (key_hint = $1 OR former_hint = $1) AND revoked IS NULL"
        );
        let found: Vec<FoundByKey> = db.all(&sql, &params![self.key.hint()]).await?;
        for FoundByKey { found, version } in found {
            let row = match found {
                FoundPrincipal::Whole(row) => row,
                FoundPrincipal::Damaged(id) => return Ok(Holder::Damaged(id)),
            };
            let Some(ends) = row.good_until(&self.key, self.now) else { continue };
            let id = row.id.clone();
            let held = match db.secrets().principal_open(row) {
                Ok(state) => state.principal,
                Err(error) if error.is_of_content() => return Ok(Holder::Damaged(id)),
                Err(error) => return Err(error),
            };
            if revoked::has_ended(db, &id, &self.key, self.now).await? {
                return Ok(Holder::Nobody);
            }
            let shown = Some(Box::new(ShownKey { hash: self.key.0, ends, version }));
            return Ok(Holder::Principal(Principal { shown, ..held }));
        }
        Ok(Holder::Nobody)
    }
}

/// An entry for a key that is not taken, which is of no tool's call.
struct AuthenticationFailed(Record);

impl Script for AuthenticationFailed {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::of_deployment()
    }

    fn touches(&self) -> Touches {
        Touches::LogInTurn
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        let now = Timestamp::now();
        let caller = Caller::new(Identity::Service, AUTHENTICATION.to_owned(), now, Instant::now());
        rows.note(&Call::new(caller, AUTHENTICATION, None), &self.0).await
    }
}

struct PrincipalList(Caller);

impl Query for PrincipalList {
    type Output = (Vec<PrincipalState>, Vec<PrincipalId>);

    fn reach(&self) -> Reach<'_> {
        reach(&self.0)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let sql = format!(
            "SELECT {COLUMNS} FROM principal WHERE (CAST($1 AS TEXT) IS NULL OR tenant = $1) ORDER BY created, id"
        );
        let rows: Vec<FoundPrincipal> = db.all(&sql, &params![tenant_of(self.reach())]).await?;
        let (mut found, mut damaged) = (Vec::new(), Vec::new());
        for row in rows {
            let (id, opened) = match row {
                FoundPrincipal::Whole(row) => (row.id.clone(), db.secrets().principal_open(row).ok()),
                FoundPrincipal::Damaged(id) => (id, None),
            };
            match opened {
                Some(state) => found.push(state),
                None => damaged.push(id),
            }
        }
        Ok((found, damaged))
    }
}

struct PrincipalNames {
    caller: Caller,
    ids: Vec<PrincipalId>,
}

impl Query for PrincipalNames {
    type Output = HashMap<String, String>;

    fn reach(&self) -> Reach<'_> {
        reach(&self.caller)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let sql = format!(
            "SELECT {COLUMNS} FROM principal WHERE (CAST($1 AS TEXT) IS NULL OR tenant = $1) AND id = $2"
        );
        let mut names = HashMap::new();
        for id in &self.ids {
            let found: Option<SealedPrincipal> = db.one(&sql, &params![tenant_of(self.reach()), id]).await?;
            let opened = found.and_then(|row| db.secrets().principal_open(row).ok());
            names.extend(opened.map(|state| (id.to_string(), state.principal.name)));
        }
        Ok(names)
    }
}

impl Store {
    /// What those of these principals are called that are within the caller's reach and were not erased, by their ids.
    pub async fn principal_names(
        &self,
        caller: &Caller,
        ids: Vec<PrincipalId>,
    ) -> Result<HashMap<String, String>, StoreError> {
        self.read(PrincipalNames { caller: caller.clone(), ids }).await
    }

    /// The principal that this is a key of, unless the key has ended or the principal was revoked. Read from the
    /// database each time, so that a key revoked by any process is dead in every process.
    pub async fn principal_by_key(
        &self,
        key: KeyHash,
        now: Timestamp,
    ) -> Result<Option<Principal>, StoreError> {
        Ok(match self.read(PrincipalByKey { key, now }).await? {
            Holder::Nobody => None,
            Holder::Principal(principal) => Some(principal),
            Holder::Damaged(id) => {
                self.damaged_note(id).await;
                None
            }
        })
    }

    /// Says in the log that a key is not taken because its row is damaged.
    async fn damaged_note(&self, id: PrincipalId) {
        if !self.damaged_principals().is_due(id.clone(), Instant::now()) {
            return;
        }
        let why = format!("the row of principal {id} is damaged, so its key is not taken");
        tracing::error!("{why}; svc fsck finds it, and svc principal revoke --erase removes it");
        if let Err(error) = self.write(AuthenticationFailed(Record::denied(why))).await {
            tracing::error!(%error, "that could not be written to the audit log");
        }
    }

    /// The operator sees every tenant's principals, another caller its own tenant's.
    /// The principals within the caller's reach, and those whose rows do not open: their keys do not work.
    pub async fn principal_list(
        &self,
        caller: &Caller,
    ) -> Result<(Vec<PrincipalState>, Vec<PrincipalId>), StoreError> {
        self.read(PrincipalList(caller.clone())).await
    }

    pub async fn principal_create(
        &self,
        call: Call,
        principal: Principal,
        key: NewKey,
        seats: i64,
    ) -> Result<Creation, StoreError> {
        self.write(PrincipalCreate { call, principal, key, seats }).await
    }

    /// Ends the key of an active principal within the caller's reach; an erasure also removes one that was revoked before.
    pub async fn principal_revoke(
        &self,
        call: Call,
        id: PrincipalId,
        how: Revocation,
    ) -> Result<Revoked, StoreError> {
        self.write(PrincipalRevoke { call, id, how }).await
    }

    /// Gives an active principal within the caller's reach a new key.
    pub async fn principal_rotate(
        &self,
        call: Call,
        id: PrincipalId,
        rotation: Rotation,
    ) -> Result<Rotated, StoreError> {
        self.write(PrincipalRotate { call, id, rotation }).await
    }
}
