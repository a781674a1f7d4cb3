//! Whose word counts in a space.

use super::deployment;
use super::spaces::{self, SpaceQuery};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::deployment::{BOUND, SOURCES};
use crate::rows::spaces::{POLICY, SpaceVersion};
use crate::script::{Db, Ground, Query, Reach, Rows, Script, StoreResult};
use crate::sql::params;
use crate::store::Store;
use domain::{Caller, SourcePolicy, Space, SpaceKey};

struct PolicySet {
    call: Call,
    space: Space,
    policy: SourcePolicy,
}

impl Script for PolicySet {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::within(&self.call, &self.space)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        let tenant = &self.call.caller.tenant;
        let row = spaces::open(rows, tenant, &self.space).await?;
        let space = SpaceKey { tenant, id: row.id };
        let sealed = rows.db().secrets().policy_seal(space, &self.policy)?;
        let sql = "UPDATE space SET policy = $3 WHERE tenant = $1 AND id = $2";
        rows.run(sql, &params![tenant, row.id, sealed]).await?;
        rows.record(&self.call, &Record::done(self.policy.mode.word()), &[]).await
    }
}

struct PolicyGet;

impl SpaceQuery for PolicyGet {
    type Output = SourcePolicy;

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        _: SpaceVersion,
    ) -> StoreResult<SourcePolicy> {
        let found = db.all(POLICY, &params![space.tenant, space.id]).await?;
        db.secrets().policy_open(space, found)
    }
}

struct SourcesBound;

impl Query for SourcesBound {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    fn is_lookup(&self) -> bool {
        true
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        Ok(deployment::get(db, SOURCES).await?.as_deref() == Some(BOUND))
    }
}

impl Store {
    pub async fn policy_set(&self, call: Call, space: Space, policy: SourcePolicy) -> Result<(), StoreError> {
        self.write(PolicySet { call, space, policy }).await
    }

    pub async fn policy_get(&self, caller: &Caller, space: &Space) -> Result<SourcePolicy, StoreError> {
        Ok(self.read_in(caller, space, PolicyGet).await?.unwrap_or_default())
    }

    /// Whether the deployment was made with sources bound to principals.
    pub async fn sources_bound(&self) -> Result<bool, StoreError> {
        self.read(SourcesBound).await
    }
}
