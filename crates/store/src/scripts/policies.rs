//! Whose word counts in a space.

use super::spaces::{self, SpaceQuery};
use super::{deployment, master_view};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::deployment::{BOUND, Claim, KEY_CHECK, SOURCES, Sources};
use crate::rows::spaces::{POLICY, SpaceVersion};
use crate::script::{Alone, Db, Ground, Query, Reach, Rows, Script, StoreResult, Touches};
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
        let sealed = rows.db().secrets().policy_seal(space, &self.policy, &self.space.user_id, row.key)?;
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
        db.secrets().unreadable.refuse_replaced(space)?;
        let found = db.all(POLICY, &params![space.tenant, space.id]).await?;
        db.secrets().policy_open(space, found)
    }
}

/// Whether there is still a row of it.
struct SourcesKeptApart;

impl Query for SourcesKeptApart {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        Ok(deployment::get(db, SOURCES).await?.is_some())
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
        Ok(sources(db).await? == Sources::Bound)
    }
}

pub(super) async fn sources<D: Db>(db: &mut D) -> StoreResult<Sources> {
    let check = deployment::get(db, KEY_CHECK).await?;
    db.secrets().sources(check.as_deref())
}

/// Takes what an earlier version kept in a row of its own into the key check.
struct SourcesSettle;

impl Script for SourcesSettle {
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
        master_view::follow(rows.db()).await?;
        if deployment::get(rows.db(), SOURCES).await?.as_deref() == Some(BOUND) {
            let check = Claim::key_check(&rows.db().secrets().sealer, Sources::Bound)?;
            deployment::set(rows, KEY_CHECK, &check).await?;
        }
        rows.run("DELETE FROM deployment WHERE name = $1", &params![SOURCES]).await?;
        Ok(())
    }
}

impl Store {
    pub async fn policy_set(&self, call: Call, space: Space, policy: SourcePolicy) -> Result<(), StoreError> {
        self.write(PolicySet { call, space, policy }).await
    }

    pub async fn policy_get(&self, caller: &Caller, space: &Space) -> Result<SourcePolicy, StoreError> {
        self.space_compare(caller, space).await?;
        Ok(self.read_in(caller, space, PolicyGet).await?.unwrap_or_default())
    }

    pub(super) async fn sources_settle(&self) -> StoreResult<()> {
        match self.read(SourcesKeptApart).await? {
            true => self.write(SourcesSettle).await,
            false => Ok(()),
        }
    }

    /// Whether the deployment was made with sources bound to principals.
    pub async fn sources_bound(&self) -> Result<bool, StoreError> {
        self.read(SourcesBound).await
    }
}
