//! Principals and the hashes of their keys.

use super::Sqlite;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::principals::{Creation, KeyHash, PrincipalState, Revocation, Revoked, SealedPrincipal};
use domain::{Caller, Principal};
use rusqlite::Row;

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

impl Db<'_> {
    pub fn principals_active(&self) -> Result<i64, StoreError> {
        let count = self.one("SELECT count(*) FROM principal WHERE revoked IS NULL", (), |row| row.get(0))?;
        Ok(count.unwrap_or(0))
    }
}

impl Tx<'_> {
    fn principal_disable(&mut self, row: SealedPrincipal, now: i64) -> Result<(), StoreError> {
        let sealed = self.secrets.principal_disable(&row, now)?;
        self.db().run(
            "UPDATE principal SET revoked = ?3, body = ?4 WHERE tenant = ?1 AND id = ?2",
            (row.tenant, row.id, now, sealed),
        )?;
        Ok(())
    }
}

impl Sqlite {
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
                if row.has_key(&key) {
                    return Ok(Some(db.secrets.principal_open(row)?.principal));
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
            rows.into_iter().map(|row| db.secrets.principal_open(row)).collect()
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
            let sealed = tx.secrets.principal_seal(&principal, &key)?;
            tx.db().run(
                "INSERT INTO principal (tenant, id, key_hint, key_hash, created, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                (tenant, &principal.id, key.hint(), key.0, call.caller.now.as_microsecond(), sealed),
            )?;
            Ok((Creation::Created, describe(Creation::Created)))
        })
        .await
    }

    pub async fn principal_revoke(
        &self,
        call: Call,
        id: String,
        how: Revocation,
        describe: impl FnOnce(Revoked) -> Record + Send + 'static,
    ) -> Result<Revoked, StoreError> {
        self.write(call, move |tx, call| {
            let tenant = (!call.caller.is_operator()).then(|| call.caller.tenant.as_str());
            let row = tx.db().one(
                &format!(
                    "SELECT {COLUMNS} FROM principal WHERE (?1 IS NULL OR tenant = ?1) AND id = ?2
                     AND (revoked IS NULL OR ?3)"
                ),
                (tenant, &id, how == Revocation::Erase),
                sealed_principal,
            )?;
            let found = row.as_ref().map_or(Revoked::Nothing, SealedPrincipal::found);
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
