//! What a restored database must not bring back: what belongs to users whose key was destroyed since the backup, and
//! principals that were revoked since.

use super::spaces;
use crate::call::{Call, Record};
use crate::rows::principals::{COLUMNS, SealedPrincipal};
use crate::rows::spaces::{ASSIGNMENT, AssignedSpace, SealedAssignment};
use crate::script::{Db, Ground, Rows, Script, Series, StoreResult};
use crate::sql::params;
use domain::{PrincipalId, SpaceKey, Tenant};
use evidence::Revocations;
use std::collections::BTreeSet;

/// Who is not brought back by a restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The users whose keys were destroyed, each with the tenant.
    pub users: BTreeSet<(Tenant, String)>,
    pub principals: Vec<PrincipalId>,
    /// The principals that come back without the key that they had then, because it was replaced since.
    pub keyless: Vec<PrincipalId>,
}

impl LeftOut {
    pub fn is_nothing(&self) -> bool {
        self.users.is_empty() && self.principals.is_empty() && self.keyless.is_empty()
    }
}

/// Takes it out of a database that was just restored, and that nobody uses yet.
pub(crate) struct LeaveOut {
    pub call: Call,
    pub revoked: Revocations,
}

impl Script for LeaveOut {
    type Output = LeftOut;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<LeftOut> {
        let principals = self.principals(rows).await?;
        let keyless = self.keyless(rows).await?;
        if !principals.is_empty() || !keyless.is_empty() {
            rows.principals_changed().await?;
        }
        let mut left_out = LeftOut { principals, keyless, ..LeftOut::default() };
        let sql = "SELECT tenant FROM sequence WHERE name = $1 ORDER BY tenant";
        for (tenant,) in rows.db().all::<(String,)>(sql, &params![Series::Space.name()]).await? {
            let tenant = Tenant::new(tenant);
            for AssignedSpace { id, sealed } in destroyed(rows.db(), &tenant).await? {
                empty(rows, SpaceKey { tenant: &tenant, id }, &sealed).await?;
                left_out.users.insert((tenant.clone(), sealed.user_id));
            }
        }
        if !left_out.is_nothing() {
            let detail = format!(
                "left out of the backup: {} user(s) whose key was destroyed, {} principal(s) that were revoked, {} API \
                 key(s) that were replaced",
                left_out.users.len(),
                left_out.principals.len(),
                left_out.keyless.len()
            );
            rows.note(&self.call, &Record::done(detail)).await?;
        }
        Ok(left_out)
    }
}

impl LeaveOut {
    async fn principals<R: Rows>(&self, rows: &mut R) -> StoreResult<Vec<PrincipalId>> {
        let mut ended = Vec::new();
        for (id, at) in &self.revoked.principals {
            let sql = format!("SELECT {COLUMNS} FROM principal WHERE id = $1 AND revoked IS NULL");
            let found: Option<SealedPrincipal> = rows.db().one(&sql, &params![id]).await?;
            let Some(row) = found else { continue };
            let at = at.as_microsecond();
            let sealed = rows.db().secrets().principal_disable(&row, at)?;
            let sql = "UPDATE principal SET revoked = $3, body = $4 WHERE tenant = $1 AND id = $2";
            rows.run(sql, &params![&row.tenant, &row.id, at, sealed]).await?;
            ended.push(id.clone());
        }
        Ok(ended)
    }

    /// A key that was replaced since the backup ends when it was to end.
    async fn keyless<R: Rows>(&self, rows: &mut R) -> StoreResult<Vec<PrincipalId>> {
        let mut ended = Vec::new();
        for (hash, ends) in &self.revoked.keys {
            let sql = format!("SELECT {COLUMNS} FROM principal WHERE key_hash = $1 AND revoked IS NULL");
            let found: Option<SealedPrincipal> = rows.db().one(&sql, &params![hash.0.as_slice()]).await?;
            let Some(row) = found else { continue };
            let row = rows.db().secrets().principal_expire(row, ends.as_microsecond())?;
            let sql = "UPDATE principal SET expires = $3, body = $4 WHERE tenant = $1 AND id = $2";
            rows.run(sql, &params![&row.tenant, &row.id, row.expires, &row.body]).await?;
            ended.push(row.id);
        }
        Ok(ended)
    }
}

/// The spaces of a tenant whose key was destroyed.
async fn destroyed<D: Db>(db: &mut D, tenant: &Tenant) -> StoreResult<Vec<AssignedSpace>> {
    let sql = format!("SELECT id, {ASSIGNMENT} FROM space WHERE tenant = $1 ORDER BY id");
    let mut spaces: Vec<AssignedSpace> = db.all(&sql, &params![tenant]).await?;
    let secrets = db.secrets();
    spaces.retain(|AssignedSpace { id, sealed }| {
        let assigned = secrets.assigned(SpaceKey { tenant, id: *id }, sealed);
        let key = assigned.or(sealed.column);
        key.is_some_and(|key| secrets.users.as_ref().is_some_and(|users| users.lacks(key)))
    });
    Ok(spaces)
}

/// Removes what was sealed under the key of the space. None of it opens any more.
async fn empty<R: Rows>(rows: &mut R, space: SpaceKey<'_>, sealed: &SealedAssignment) -> StoreResult<()> {
    let of_space = params![space.tenant, space.id];
    for sql in [
        "DELETE FROM vector WHERE tenant = $1 AND space = $2",
        "DELETE FROM fact WHERE tenant = $1 AND space = $2",
        "DELETE FROM statement_text WHERE tenant = $1 AND space = $2",
        "DELETE FROM statement WHERE tenant = $1 AND space = $2",
        "DELETE FROM belief WHERE tenant = $1
         AND decision IN (SELECT id FROM decision WHERE tenant = $1 AND space = $2)",
        "DELETE FROM decision WHERE tenant = $1 AND space = $2",
        "DELETE FROM receipt WHERE tenant = $1 AND space = $2 AND subject_ix IS NOT NULL",
    ] {
        rows.run(sql, &of_space).await?;
    }
    spaces::assign(rows, space, sealed, spaces::new_key()?).await?;
    spaces::forget_cached(rows, space).await
}
