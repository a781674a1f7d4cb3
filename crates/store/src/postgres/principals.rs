//! Principals and the hashes of their keys.

use super::Postgres;
use super::db::Db;
use super::lane::{Ground, Work};
use super::tx::Tx;
use super::walls::Reach;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::principals::{Creation, KeyHash, PrincipalState, Revocation, Revoked, SealedPrincipal};
use domain::{Caller, Principal};
use tokio_postgres::Row;

const COLUMNS: &str = "tenant, id, key_hash, revoked, created, body";

fn sealed_principal(row: &Row) -> Result<SealedPrincipal, tokio_postgres::Error> {
    Ok(SealedPrincipal {
        tenant: row.try_get(0)?,
        id: row.try_get(1)?,
        key_hash: row.try_get(2)?,
        revoked: row.try_get(3)?,
        created: row.try_get(4)?,
        body: row.try_get(5)?,
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
}

struct PrincipalCreate<D> {
    call: Call,
    principal: Principal,
    key: KeyHash,
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
            let sealed = tx.secrets().principal_seal(&self.principal, &self.key)?;
            tx.db()
                .run(
                    "INSERT INTO principal (tenant, id, key_hint, key_hash, created, body)
                     VALUES ($1, $2, $3, $4, $5, $6)",
                    &[
                        &self.principal.tenant.as_str(),
                        &self.principal.id,
                        &self.key.hint(),
                        &self.key.0.as_slice(),
                        &self.call.caller.now.as_microsecond(),
                        &sealed,
                    ],
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
        let (walls, tenant) = reach(&self.call.caller);
        tx.reach(walls).await?;
        let row = tx
            .db()
            .one(
                &format!(
                    "SELECT {COLUMNS} FROM principal WHERE ($1::TEXT IS NULL OR tenant = $1) AND id = $2
                     AND (revoked IS NULL OR $3) FOR UPDATE"
                ),
                &[&tenant, &self.id, &(self.how == Revocation::Erase)],
                sealed_principal,
            )
            .await?;
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

impl Postgres {
    pub async fn principal_by_key(&self, key: KeyHash) -> Result<Option<Principal>, StoreError> {
        let client = self.shared.desk.get().await?;
        let db = Db { client: &client, secrets: &self.shared.secrets };
        let rows = db
            .all(
                &format!("SELECT {COLUMNS} FROM principal WHERE key_hint = $1 AND revoked IS NULL"),
                &[&key.hint()],
                sealed_principal,
            )
            .await?;
        match rows.into_iter().find(|row| row.has_key(&key)) {
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
        key: KeyHash,
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
}
