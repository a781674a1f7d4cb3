//! Principals and the hashes of their keys.

use super::Sqlite;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::principals::{
    Creation, FormerKey, KeyHash, NewKey, PrincipalState, Revocation, Revoked, Rotated, Rotation,
    SealedPrincipal,
};
use domain::{Caller, Principal, Timestamp};
use rusqlite::Row;

const COLUMNS: &str = "tenant, id, key_hash, revoked, created, body, expires, former_hash, former_until";

fn sealed_principal(row: &Row<'_>) -> rusqlite::Result<SealedPrincipal> {
    Ok(SealedPrincipal {
        tenant: row.get(0)?,
        id: row.get(1)?,
        key_hash: row.get(2)?,
        revoked: row.get(3)?,
        created: row.get(4)?,
        body: row.get(5)?,
        expires: row.get(6)?,
        former: FormerKey::of(row.get(7)?, row.get(8)?),
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

    /// A principal within the caller's reach: an active one, or also one that was revoked.
    fn principal_find(
        &mut self,
        caller: &Caller,
        id: &str,
        revoked_too: bool,
    ) -> Result<Option<SealedPrincipal>, StoreError> {
        let tenant = (!caller.is_operator()).then(|| caller.tenant.as_str());
        self.db().one(
            &format!(
                "SELECT {COLUMNS} FROM principal WHERE (?1 IS NULL OR tenant = ?1) AND id = ?2
                 AND (revoked IS NULL OR ?3)"
            ),
            (tenant, id, revoked_too),
            sealed_principal,
        )
    }

    fn principal_rotate(
        &mut self,
        caller: &Caller,
        id: &str,
        rotation: &Rotation,
    ) -> Result<Rotated, StoreError> {
        let Some(row) = self.principal_find(caller, id, false)? else { return Ok(Rotated::Unknown) };
        let Ok(expires) = row.next_expiry(rotation) else { return Ok(Rotated::ExpiryUnsaid) };
        let row = self.secrets.principal_rotate(row, rotation, expires, caller.now)?;
        let former = row.former.as_ref();
        self.db().run(
            "UPDATE principal SET key_hint = ?3, key_hash = ?4, expires = ?5, former_hint = ?6, former_hash = ?7,
             former_until = ?8, body = ?9 WHERE tenant = ?1 AND id = ?2",
            (
                &row.tenant,
                &row.id,
                rotation.key.hint(),
                &row.key_hash,
                row.expires,
                former.map(FormerKey::hint),
                former.map(|former| &former.hash),
                former.map(|former| former.until),
                &row.body,
            ),
        )?;
        Ok(Rotated::Done(self.secrets.principal_open(row)?))
    }
}

impl Sqlite {
    /// The principal that this is a key of, unless the key has ended or the principal was revoked. Read from the
    /// database each time, so that a key revoked by any process is dead in every process.
    pub async fn principal_by_key(
        &self,
        key: KeyHash,
        now: Timestamp,
    ) -> Result<Option<Principal>, StoreError> {
        self.read(move |db| {
            let rows = db.all(
                &format!(
                    "SELECT {COLUMNS} FROM principal WHERE (key_hint = ?1 OR former_hint = ?1) AND revoked IS NULL"
                ),
                [key.hint()],
                sealed_principal,
            )?;
            for row in rows {
                if row.accepts(&key, now) {
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
        key: NewKey,
        seats: i64,
        describe: impl FnOnce(Creation) -> Record + Send + 'static,
    ) -> Result<Creation, StoreError> {
        self.write(call, move |tx, call| {
            if tx.db().principals_active()? >= seats {
                return Ok((Creation::SeatsTaken, describe(Creation::SeatsTaken)));
            }
            let row = tx.secrets.principal_seal(&principal, &key, call.caller.now)?;
            tx.db().run(
                "INSERT INTO principal (tenant, id, key_hint, key_hash, created, body, expires)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                (row.tenant, row.id, key.hash.hint(), row.key_hash, row.created, row.body, row.expires),
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
            let row = tx.principal_find(&call.caller, &id, how == Revocation::Erase)?;
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
    /// Gives an active principal within the caller's reach a new key.
    pub async fn principal_rotate(
        &self,
        call: Call,
        id: String,
        rotation: Rotation,
        describe: impl FnOnce(&Rotated) -> Record + Send + 'static,
    ) -> Result<Rotated, StoreError> {
        self.write(call, move |tx, call| {
            let rotated = tx.principal_rotate(&call.caller, &id, &rotation)?;
            let record = describe(&rotated);
            Ok((rotated, record))
        })
        .await
    }
}
