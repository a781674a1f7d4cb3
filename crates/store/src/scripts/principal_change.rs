//! Changing what a principal may reach and how much it may ask for, while its key stays.

use super::credentials;
use super::principals::find;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::records::{Altered, Recorded};
use crate::rows::principal_change::{Changed, PrincipalChange};
use crate::script::{Db, Ground, Rows, Script, StoreResult};
use crate::sql::params;
use crate::store::Store;
use domain::PrincipalId;

struct PrincipalAlter {
    call: Call,
    id: PrincipalId,
    change: PrincipalChange,
}

impl Script for PrincipalAlter {
    type Output = Changed;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Changed> {
        let changed = self.changed(rows).await?;
        let is_changed = matches!(changed, Changed::Done { .. });
        if is_changed {
            rows.principals_changed().await?;
        }
        let changes_own_key = is_changed && self.id.as_str() == self.call.caller.id();
        let record = Record { changes_own_key, ..Altered { id: &self.id, changed: &changed }.record() };
        rows.record(&self.call, &record, &[]).await?;
        Ok(changed)
    }
}

impl PrincipalAlter {
    async fn changed<R: Rows>(&self, rows: &mut R) -> StoreResult<Changed> {
        let Some(row) = find(rows, &self.call.caller, &self.id, false).await? else {
            return Ok(Changed::Unknown);
        };
        credentials::check_own(rows, &self.call, &self.id).await?;
        let secrets = rows.db().secrets();
        let mut state = Box::new(secrets.principal_open(row.clone())?);
        let after = self.change.of(&state.principal);
        if after == state.principal {
            return Ok(Changed::Same(state));
        }
        let row = secrets.principal_allow(row, &after)?;
        let sql = "UPDATE principal SET body = $3 WHERE tenant = $1 AND id = $2";
        rows.run(sql, &params![&row.tenant, &row.id, &row.body]).await?;
        let before = Box::new(std::mem::replace(&mut state.principal, after));
        Ok(Changed::Done { before, state })
    }
}

impl Store {
    /// Changes an active principal within the caller's reach.
    pub async fn principal_change(
        &self,
        call: Call,
        id: PrincipalId,
        change: PrincipalChange,
    ) -> Result<Changed, StoreError> {
        self.write(PrincipalAlter { call, id, change }).await
    }
}
