//! Spaces: where they are, how far they have come, and the policy of each.

use super::Sqlite;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::rows::spaces::{SpaceRow, SpaceVersion};
use domain::{Caller, SourcePolicy, Space};

impl Db<'_> {
    pub fn space_find(&self, tenant: &str, space: &Space) -> Result<Option<SpaceRow>, StoreError> {
        self.one(
            "SELECT id, version, epoch FROM space
             WHERE tenant = ?1 AND user_id = ?2 AND agent_id = ?3 AND run_id = ?4",
            (tenant, &space.user_id, &space.agent_id, &space.run_id),
            |row| {
                Ok(SpaceRow {
                    id: row.get(0)?,
                    at: SpaceVersion { version: row.get(1)?, epoch: row.get(2)? },
                })
            },
        )
    }

    pub fn space_policy(&self, tenant: &str, space: i64) -> Result<SourcePolicy, StoreError> {
        let sealed: Option<Vec<u8>> = self
            .one("SELECT policy FROM space WHERE tenant = ?1 AND id = ?2", (tenant, space), |row| row.get(0))?
            .flatten();
        self.secrets.policy_open(tenant, space, sealed.as_deref())
    }

    /// The spaces that hold a flagged fact, in the order in which they were made.
    pub fn spaces_flagged(&self, tenant: &str) -> Result<Vec<Space>, StoreError> {
        self.all(
            "SELECT user_id, agent_id, run_id FROM space
             WHERE tenant = ?1 AND EXISTS (SELECT 1 FROM fact INDEXED BY fact_status
                 WHERE fact.tenant = space.tenant AND fact.space = space.id AND fact.status = 3)
             ORDER BY id",
            (tenant,),
            |row| Ok(Space { user_id: row.get(0)?, agent_id: row.get(1)?, run_id: row.get(2)? }),
        )
    }

    /// The spaces that an erasure reaches: every one of the user, or the one that was named.
    pub fn space_reach(&self, tenant: &str, space: &Space) -> Result<Vec<(i64, Space)>, StoreError> {
        if space.is_whole_user() {
            return self.all(
                "SELECT id, agent_id, run_id FROM space WHERE tenant = ?1 AND user_id = ?2 ORDER BY agent_id, run_id",
                (tenant, &space.user_id),
                |row| {
                    let (agent_id, run_id) = (row.get(1)?, row.get(2)?);
                    Ok((row.get(0)?, Space { user_id: space.user_id.clone(), agent_id, run_id }))
                },
            );
        }
        Ok(self.space_find(tenant, space)?.into_iter().map(|row| (row.id, space.clone())).collect())
    }
}

impl Sqlite {
    pub async fn space_exists(&self, caller: &Caller, space: &Space) -> Result<bool, StoreError> {
        Ok(self.in_space(caller, space, |_, _, _| Ok(())).await?.is_some())
    }
}

impl Tx<'_> {
    /// The space's row, made where it is missing.
    pub fn space_open(&mut self, tenant: &str, space: &Space) -> Result<SpaceRow, StoreError> {
        if let Some(found) = self.db().space_find(tenant, space)? {
            return Ok(found);
        }
        let id = self.sequence_take(tenant, "space")?;
        self.db().run(
            "INSERT INTO space (tenant, id, user_id, agent_id, run_id) VALUES (?1, ?2, ?3, ?4, ?5)",
            (tenant, id, &space.user_id, &space.agent_id, &space.run_id),
        )?;
        Ok(SpaceRow { id, at: SpaceVersion::default() })
    }

    pub fn space_advance(&mut self, tenant: &str, space: i64) -> Result<i64, StoreError> {
        self.db()
            .one(
                "UPDATE space SET version = version + 1 WHERE tenant = ?1 AND id = ?2 RETURNING version",
                (tenant, space),
                |row| row.get(0),
            )?
            .ok_or_else(|| StoreError::corrupt("a space", "its row is gone"))
    }

    /// Nothing that was read of the space before this may be kept.
    pub fn space_forget_cached(&mut self, tenant: &str, space: i64) -> Result<(), StoreError> {
        self.db().run(
            "UPDATE space SET version = version + 1, epoch = epoch + 1 WHERE tenant = ?1 AND id = ?2",
            (tenant, space),
        )?;
        Ok(())
    }

    pub fn space_policy_set(
        &mut self,
        tenant: &str,
        space: i64,
        policy: &SourcePolicy,
    ) -> Result<(), StoreError> {
        let sealed = self.secrets.policy_seal(tenant, space, policy)?;
        self.db()
            .run("UPDATE space SET policy = ?3 WHERE tenant = ?1 AND id = ?2", (tenant, space, sealed))?;
        Ok(())
    }

    /// Takes the next number of its kind; it is never given out again.
    pub fn sequence_take(&mut self, tenant: &str, name: &str) -> Result<i64, StoreError> {
        let next = self.db().sequence_next(tenant, name)?;
        self.sequence_set(tenant, name, next + 1)?;
        Ok(next)
    }

    pub fn sequence_set(&mut self, tenant: &str, name: &str, next: i64) -> Result<(), StoreError> {
        self.db().run(
            "INSERT INTO sequence (tenant, name, next) VALUES (?1, ?2, ?3)
             ON CONFLICT (tenant, name) DO UPDATE SET next = excluded.next",
            (tenant, name, next),
        )?;
        Ok(())
    }
}

impl Db<'_> {
    pub fn sequence_next(&self, tenant: &str, name: &str) -> Result<i64, StoreError> {
        let next =
            self.one("SELECT next FROM sequence WHERE tenant = ?1 AND name = ?2", (tenant, name), |row| {
                row.get(0)
            })?;
        Ok(next.unwrap_or(1))
    }
}
