//! Principals and the hashes of their keys.

use super::Store;
use super::db::{Db, time};
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::secrets::Place;
use domain::{Caller, Principal, PrincipalKind, Role, Scopes, Tenant, Timestamp};
use rusqlite::Row;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// Enough of the hash to find one row among millions.
const HINT_BYTES: usize = 8;

/// SHA-256 of a whole key. Keys are long and random, so a slow hash would protect nothing.
#[derive(Debug, Clone, Copy)]
pub struct KeyHash(pub [u8; 32]);

impl KeyHash {
    fn hint(&self) -> &[u8] {
        self.0.get(..HINT_BYTES).unwrap_or(&self.0)
    }
}

#[derive(Debug, Clone)]
pub struct PrincipalState {
    pub principal: Principal,
    pub created: Timestamp,
    pub revoked: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    Created,
    SeatsTaken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revocation {
    Disable,
    /// Remove the row as well.
    Erase,
}

#[derive(Serialize, Deserialize)]
struct Body {
    name: String,
    role: Role,
    kind: PrincipalKind,
    scopes: Scopes,
}

struct SealedPrincipal {
    tenant: String,
    id: String,
    key_hash: Vec<u8>,
    revoked: Option<i64>,
    created: i64,
    body: Vec<u8>,
}

const COLUMNS: &str = "tenant, id, key_hash, revoked, created, body";

fn sealed_principal(row: &Row<'_>) -> rusqlite::Result<SealedPrincipal> {
    Ok(SealedPrincipal {
        tenant: row.get(0)?,
        id: row.get(1)?,
        key_hash: row.get(2)?,
        revoked: row.get(3)?,
        created: row.get(4)?,
        body: row.get(5)?,
    })
}

/// The key's hash, the tenant and the revocation are part of the place: a row that was given another key or tenant, or
/// brought back to life, in the file does not open.
fn identity(tenant: &str, id: &str, key_hash: &[u8]) -> String {
    format!("{tenant}\u{1f}{id}\u{1f}{}", hex::encode(key_hash))
}

fn place(identity: &str, revoked: Option<i64>) -> Place<'_> {
    Place::new("a principal", identity, revoked.unwrap_or(0))
}

impl Db<'_> {
    pub fn principals_active(&self) -> Result<i64, StoreError> {
        let count = self.one("SELECT count(*) FROM principal WHERE revoked IS NULL", (), |row| row.get(0))?;
        Ok(count.unwrap_or(0))
    }

    fn principal_open(&self, row: SealedPrincipal) -> Result<PrincipalState, StoreError> {
        let identity = identity(&row.tenant, &row.id, &row.key_hash);
        let body: Body = self.secrets.open_json(place(&identity, row.revoked), &row.body)?;
        Ok(PrincipalState {
            principal: Principal {
                id: row.id,
                name: body.name,
                role: body.role,
                kind: body.kind,
                tenant: Tenant::new(row.tenant),
                scopes: body.scopes,
            },
            created: time(row.created)?,
            revoked: row.revoked.map(time).transpose()?,
        })
    }
}

impl Tx<'_> {
    fn principal_disable(&mut self, row: SealedPrincipal, now: i64) -> Result<(), StoreError> {
        let identity = identity(&row.tenant, &row.id, &row.key_hash);
        let body: Body = self.secrets.open_json(place(&identity, None), &row.body)?;
        let sealed = self.secrets.seal_json(place(&identity, Some(now)), &body)?;
        self.db().run(
            "UPDATE principal SET revoked = ?3, body = ?4 WHERE tenant = ?1 AND id = ?2",
            (row.tenant, row.id, now, sealed),
        )?;
        Ok(())
    }
}

impl Store {
    /// The principal whose key has this hash, unless it was revoked. Read from the database each time, so that a key
    /// revoked by any process is dead in every process.
    pub async fn principal_by_key(&self, key: KeyHash) -> Result<Option<Principal>, StoreError> {
        self.read(move |db| {
            let rows = db.all(
                &format!("SELECT {COLUMNS} FROM principal WHERE key_hint = ?1 AND revoked IS NULL"),
                [key.hint()],
                sealed_principal,
            )?;
            for row in rows {
                if bool::from(row.key_hash.as_slice().ct_eq(key.0.as_slice())) {
                    return Ok(Some(db.principal_open(row)?.principal));
                }
            }
            Ok(None)
        })
        .await
    }

    /// The operator sees every tenant's principals, another caller its own tenant's.
    pub async fn principal_list(&self, caller: &Caller) -> Result<Vec<PrincipalState>, StoreError> {
        let tenant = (!caller.is_operator()).then(|| caller.tenant.as_str().to_owned());
        self.read(move |db| {
            let rows = db.all(
                &format!(
                    "SELECT {COLUMNS} FROM principal WHERE ?1 IS NULL OR tenant = ?1 ORDER BY created, id"
                ),
                [tenant],
                sealed_principal,
            )?;
            rows.into_iter().map(|row| db.principal_open(row)).collect()
        })
        .await
    }

    pub async fn principal_create(
        &self,
        call: Call,
        principal: Principal,
        key: KeyHash,
        seats: i64,
        describe: impl FnOnce(Creation) -> Record + Send + 'static,
    ) -> Result<Creation, StoreError> {
        self.write(call, move |tx, call| {
            if tx.db().principals_active()? >= seats {
                return Ok((Creation::SeatsTaken, describe(Creation::SeatsTaken)));
            }
            let tenant = principal.tenant.as_str();
            let body =
                Body { name: principal.name, role: principal.role, kind: principal.kind, scopes: principal.scopes };
            let identity = identity(tenant, &principal.id, &key.0);
            let sealed = tx.secrets.seal_json(place(&identity, None), &body)?;
            tx.db().run(
                "INSERT INTO principal (tenant, id, key_hint, key_hash, created, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                (tenant, &principal.id, key.hint(), key.0, call.caller.now.as_microsecond(), sealed),
            )?;
            Ok((Creation::Created, describe(Creation::Created)))
        })
        .await
    }

    /// Whether an active principal of that id was found within the caller's reach.
    pub async fn principal_revoke(
        &self,
        call: Call,
        id: String,
        how: Revocation,
        describe: impl FnOnce(bool) -> Record + Send + 'static,
    ) -> Result<bool, StoreError> {
        self.write(call, move |tx, call| {
            let tenant = (!call.caller.is_operator()).then(|| call.caller.tenant.as_str());
            let row = tx.db().one(
                &format!(
                    "SELECT {COLUMNS} FROM principal WHERE (?1 IS NULL OR tenant = ?1) AND id = ?2
                     AND revoked IS NULL"
                ),
                (tenant, &id),
                sealed_principal,
            )?;
            let found = row.is_some();
            match (row, how) {
                (None, _) => {}
                (Some(row), Revocation::Disable) => {
                    tx.principal_disable(row, call.caller.now.as_microsecond())?
                }
                (Some(row), Revocation::Erase) => {
                    tx.db()
                        .run("DELETE FROM principal WHERE tenant = ?1 AND id = ?2", (row.tenant, row.id))?;
                }
            }
            Ok((found, describe(found)))
        })
        .await
    }
}
