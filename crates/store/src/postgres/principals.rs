//! Principals and the hashes of their keys.

use super::Postgres;
use super::db::Db;
use super::lane::{Ground, Work};
use super::tx::Tx;
use super::walls::Reach;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::principals::{
    Creation, FormerKey, KeyHash, NewKey, PrincipalState, Revocation, Revoked, Rotated, Rotation,
    SealedPrincipal,
};
use domain::{Caller, Principal, Timestamp};
use tokio_postgres::Row;

const COLUMNS: &str = "tenant, id, key_hash, revoked, created, body, expires, former_hash, former_until";

fn sealed_principal(row: &Row) -> Result<SealedPrincipal, tokio_postgres::Error> {
    Ok(SealedPrincipal {
        tenant: row.try_get(0)?,
        id: row.try_get(1)?,
        key_hash: row.try_get(2)?,
        revoked: row.try_get(3)?,
        created: row.try_get(4)?,
        body: row.try_get(5)?,
        expires: row.try_get(6)?,
        former: FormerKey::of(row.try_get(7)?, row.try_get(8)?),
    })
}

/// The operator reaches every tenant's principals, another caller its own tenant's.
fn reach(caller: &Caller) -> (Reach<'_>, Option<&str>) {
    let tenant = caller.tenant.as_str();
    if caller.is_operator() { (Reach::Deployment, None) } else { (Reach::Tenant(tenant), Some(tenant)) }
}

impl Tx {
    /// Two processes that fill the last seat at once: one of them waits here, and then finds it taken.
    async fn seats_lock(&self) -> Result<(), StoreError> {
        self.db().run("LOCK TABLE principal IN SHARE ROW EXCLUSIVE MODE", &[]).await?;
        Ok(())
    }

    /// A principal within the caller's reach, locked: an active one, or also one that was revoked.
    async fn principal_find(
        &mut self,
        caller: &Caller,
        id: &str,
        revoked_too: bool,
    ) -> Result<Option<SealedPrincipal>, StoreError> {
        let (walls, tenant) = reach(caller);
        self.reach(walls).await?;
        self.db()
            .one(
                &format!(
                    "SELECT {COLUMNS} FROM principal WHERE ($1::TEXT IS NULL OR tenant = $1) AND id = $2
                     AND (revoked IS NULL OR $3) FOR UPDATE"
                ),
                &[&tenant, &id, &revoked_too],
                sealed_principal,
            )
            .await
    }
}

struct PrincipalCreate<D> {
    call: Call,
    principal: Principal,
    key: NewKey,
    seats: i64,
    describe: D,
}

impl<D: Fn(Creation) -> Record + Send + Sync + 'static> Work for PrincipalCreate<D> {
    type Output = Creation;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run(&self, tx: &mut Tx) -> Result<Creation, StoreError> {
        tx.reach(Reach::Deployment).await?;
        tx.seats_lock().await?;
        let creation = if tx.db().principals_active().await? >= self.seats {
            Creation::SeatsTaken
        } else {
            let row = tx.secrets().principal_seal(&self.principal, &self.key, self.call.caller.now)?;
            let hint = self.key.hash.hint();
            tx.db()
                .run(
                    "INSERT INTO principal (tenant, id, key_hint, key_hash, created, body, expires)
                     VALUES ($1, $2, $3, $4, $5, $6, $7)",
                    &[&row.tenant, &row.id, &hint, &row.key_hash, &row.created, &row.body, &row.expires],
                )
                .await?;
            Creation::Created
        };
        tx.record(&self.call, &(self.describe)(creation));
        Ok(creation)
    }
}

struct PrincipalRevoke<D> {
    call: Call,
    id: String,
    how: Revocation,
    describe: D,
}

impl<D: Fn(Revoked) -> Record + Send + Sync + 'static> Work for PrincipalRevoke<D> {
    type Output = Revoked;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run(&self, tx: &mut Tx) -> Result<Revoked, StoreError> {
        let row = tx.principal_find(&self.call.caller, &self.id, self.how == Revocation::Erase).await?;
        let found = row.as_ref().map_or(Revoked::Nothing, SealedPrincipal::found);
        if let Some(row) = row {
            self.revoke(tx, &row).await?;
        }
        tx.record(&self.call, &(self.describe)(found));
        Ok(found)
    }
}

impl<D> PrincipalRevoke<D> {
    async fn revoke(&self, tx: &Tx, row: &SealedPrincipal) -> Result<(), StoreError> {
        match self.how {
            Revocation::Disable => {
                let now = self.call.caller.now.as_microsecond();
                let sealed = tx.secrets().principal_disable(row, now)?;
                let sql = "UPDATE principal SET revoked = $3, body = $4 WHERE tenant = $1 AND id = $2";
                tx.db().run(sql, &[&row.tenant, &row.id, &now, &sealed]).await?;
            }
            Revocation::Erase => {
                let sql = "DELETE FROM principal WHERE tenant = $1 AND id = $2";
                tx.db().run(sql, &[&row.tenant, &row.id]).await?;
            }
        }
        Ok(())
    }
}

struct PrincipalRotate<D> {
    call: Call,
    id: String,
    rotation: Rotation,
    describe: D,
}

impl<D: Fn(&Rotated) -> Record + Send + Sync + 'static> Work for PrincipalRotate<D> {
    type Output = Rotated;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run(&self, tx: &mut Tx) -> Result<Rotated, StoreError> {
        let rotated = self.rotate(tx).await?;
        tx.record(&self.call, &(self.describe)(&rotated));
        Ok(rotated)
    }
}

impl<D> PrincipalRotate<D> {
    async fn rotate(&self, tx: &mut Tx) -> Result<Rotated, StoreError> {
        let (caller, rotation) = (&self.call.caller, &self.rotation);
        let Some(row) = tx.principal_find(caller, &self.id, false).await? else {
            return Ok(Rotated::Unknown);
        };
        let Ok(expires) = row.next_expiry(rotation) else { return Ok(Rotated::ExpiryUnsaid) };
        let row = tx.secrets().principal_rotate(row, rotation, expires, caller.now)?;
        let former = row.former.as_ref();
        tx.db()
            .run(
                "UPDATE principal SET key_hint = $3, key_hash = $4, expires = $5, former_hint = $6, former_hash = $7,
                 former_until = $8, body = $9 WHERE tenant = $1 AND id = $2",
                &[
                    &row.tenant,
                    &row.id,
                    &rotation.key.hint(),
                    &row.key_hash,
                    &row.expires,
                    &former.map(FormerKey::hint),
                    &former.map(|former| &former.hash),
                    &former.map(|former| former.until),
                    &row.body,
                ],
            )
            .await?;
        Ok(Rotated::Done(tx.secrets().principal_open(row)?))
    }
}

impl Postgres {
    pub async fn principal_by_key(
        &self,
        key: KeyHash,
        now: Timestamp,
    ) -> Result<Option<Principal>, StoreError> {
        let client = self.shared.desk.get().await?;
        let db = Db { client: &client, secrets: &self.shared.secrets };
        let rows = db
            .all(
                &format!(
                    "SELECT {COLUMNS} FROM principal WHERE (key_hint = $1 OR former_hint = $1) AND revoked IS NULL"
                ),
                &[&key.hint()],
                sealed_principal,
            )
            .await?;
        match rows.into_iter().find(|row| row.accepts(&key, now)) {
            Some(row) => Ok(Some(db.secrets.principal_open(row)?.principal)),
            None => Ok(None),
        }
    }

    pub async fn principal_list(&self, caller: &Caller) -> Result<Vec<PrincipalState>, StoreError> {
        let (walls, tenant) = reach(caller);
        let snapshot = self.shared.snapshot(walls).await?;
        let db = snapshot.db()?;
        let rows = db
            .all(
                &format!(
                    "SELECT {COLUMNS} FROM principal WHERE ($1::TEXT IS NULL OR tenant = $1) ORDER BY created, id"
                ),
                &[&tenant],
                sealed_principal,
            )
            .await?;
        rows.into_iter().map(|row| db.secrets.principal_open(row)).collect()
    }

    pub async fn principal_create(
        &self,
        call: Call,
        principal: Principal,
        key: NewKey,
        seats: i64,
        describe: impl Fn(Creation) -> Record + Send + Sync + 'static,
    ) -> Result<Creation, StoreError> {
        self.lane.run(PrincipalCreate { call, principal, key, seats, describe }).await
    }

    pub async fn principal_revoke(
        &self,
        call: Call,
        id: String,
        how: Revocation,
        describe: impl Fn(Revoked) -> Record + Send + Sync + 'static,
    ) -> Result<Revoked, StoreError> {
        self.lane.run(PrincipalRevoke { call, id, how, describe }).await
    }
    pub async fn principal_rotate(
        &self,
        call: Call,
        id: String,
        rotation: Rotation,
        describe: impl Fn(&Rotated) -> Record + Send + Sync + 'static,
    ) -> Result<Rotated, StoreError> {
        self.lane.run(PrincipalRotate { call, id, rotation, describe }).await
    }
}
