//! Spaces: where they are, how far they have come, and the policy of each.

use super::Postgres;
use super::db::{Db, only};
use super::numbers::Series;
use super::tx::Tx;
use crate::StoreError;
use crate::rows::spaces::{SpaceRow, SpaceVersion};
use domain::{Caller, SourcePolicy, Space};
use tokio_postgres::Row;

fn space_row(row: &Row) -> Result<SpaceRow, tokio_postgres::Error> {
    Ok(SpaceRow {
        id: row.try_get(0)?,
        at: SpaceVersion { version: row.try_get(1)?, epoch: row.try_get(2)? },
    })
}

impl Db<'_> {
    pub async fn space_find(&self, tenant: &str, space: &Space) -> Result<Option<SpaceRow>, StoreError> {
        self.one(
            "SELECT id, version, epoch FROM space
             WHERE tenant = $1 AND user_id = $2 AND agent_id = $3 AND run_id = $4",
            &[&tenant, &space.user_id, &space.agent_id, &space.run_id],
            space_row,
        )
        .await
    }

    pub async fn space_policy(&self, tenant: &str, space: i64) -> Result<SourcePolicy, StoreError> {
        let sealed: Option<Option<Vec<u8>>> = self
            .one("SELECT policy FROM space WHERE tenant = $1 AND id = $2", &[&tenant, &space], only)
            .await?;
        self.secrets.policy_open(tenant, space, sealed.flatten().as_deref())
    }

    /// The spaces that hold a flagged fact, in the order in which they were made.
    pub async fn spaces_flagged(&self, tenant: &str) -> Result<Vec<Space>, StoreError> {
        self.all(
            "SELECT user_id, agent_id, run_id FROM space
             WHERE tenant = $1 AND EXISTS (SELECT 1 FROM fact
                 WHERE fact.tenant = space.tenant AND fact.space = space.id AND fact.status = 3)
             ORDER BY id",
            &[&tenant],
            |row| Ok(Space { user_id: row.try_get(0)?, agent_id: row.try_get(1)?, run_id: row.try_get(2)? }),
        )
        .await
    }
}

impl Postgres {
    pub async fn space_exists(&self, caller: &Caller, space: &Space) -> Result<bool, StoreError> {
        Ok(self.shared.space_snapshot(caller, space).await?.is_some())
    }
}

impl Tx {
    /// The space's row, ours alone until the transaction ends.
    pub async fn space_lock(&self, tenant: &str, space: &Space) -> Result<Option<SpaceRow>, StoreError> {
        self.db()
            .one(
                "SELECT id, version, epoch FROM space
                 WHERE tenant = $1 AND user_id = $2 AND agent_id = $3 AND run_id = $4 FOR UPDATE",
                &[&tenant, &space.user_id, &space.agent_id, &space.run_id],
                space_row,
            )
            .await
    }

    /// The spaces that an erasure reaches, locked: every one of the user, or the one that was named.
    pub async fn spaces_lock(&self, tenant: &str, space: &Space) -> Result<Vec<(i64, Space)>, StoreError> {
        if space.is_whole_user() {
            return self
                .db()
                .all(
                    "SELECT id, user_id, agent_id, run_id FROM space WHERE tenant = $1 AND user_id = $2
                     ORDER BY agent_id, run_id FOR UPDATE",
                    &[&tenant, &space.user_id],
                    |row| {
                        let (user_id, agent_id, run_id) = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
                        Ok((row.try_get(0)?, Space { user_id, agent_id, run_id }))
                    },
                )
                .await;
        }
        Ok(self.space_lock(tenant, space).await?.into_iter().map(|row| (row.id, space.clone())).collect())
    }

    /// The space's row, made where it is missing, and ours alone until the transaction ends.
    pub async fn space_open(&self, tenant: &str, space: &Space) -> Result<SpaceRow, StoreError> {
        if let Some(found) = self.space_lock(tenant, space).await? {
            return Ok(found);
        }
        let id = self.take(tenant, Series::Space, 1).await?;
        // Where another process was faster, this waits for it and leaves its row as it is.
        self.db()
            .run(
                "INSERT INTO space (tenant, id, user_id, agent_id, run_id) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (tenant, user_id, agent_id, run_id) DO NOTHING",
                &[&tenant, &id, &space.user_id, &space.agent_id, &space.run_id],
            )
            .await?;
        let row = self.space_lock(tenant, space).await?;
        row.ok_or_else(|| StoreError::corrupt("a space", "its row is gone"))
    }

    pub async fn space_advance(&self, tenant: &str, space: i64) -> Result<i64, StoreError> {
        self.db()
            .one(
                "UPDATE space SET version = version + 1 WHERE tenant = $1 AND id = $2 RETURNING version",
                &[&tenant, &space],
                only,
            )
            .await?
            .ok_or_else(|| StoreError::corrupt("a space", "its row is gone"))
    }

    /// Nothing that was read of the space before this may be kept.
    pub async fn space_forget_cached(&self, tenant: &str, space: i64) -> Result<(), StoreError> {
        self.db()
            .run(
                "UPDATE space SET version = version + 1, epoch = epoch + 1 WHERE tenant = $1 AND id = $2",
                &[&tenant, &space],
            )
            .await?;
        Ok(())
    }

    pub async fn space_policy_set(
        &self,
        tenant: &str,
        space: i64,
        policy: &SourcePolicy,
    ) -> Result<(), StoreError> {
        let sealed = self.secrets().policy_seal(tenant, space, policy)?;
        self.db()
            .run("UPDATE space SET policy = $3 WHERE tenant = $1 AND id = $2", &[&tenant, &space, &sealed])
            .await?;
        Ok(())
    }
}
