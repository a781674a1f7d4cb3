//! Removing a row that a check found wrong, with a note in the log.

use super::spaces::forget_cached;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::fsck::RowName;
use crate::rows::facts::UNEMBED;
use crate::rows::outbox;
use crate::rows::statement_texts::FORGET_UNUSED;
use crate::rows::statements::FORGET_OF_FACT;
use crate::script::{Db, Ground, Reach, Rows, Script, StoreResult};
use crate::sql::{Param, params};
use crate::state::Change;
use crate::store::Store;
use domain::{FactId, SpaceId, SpaceKey, Tenant};

struct RowErase {
    call: Call,
    row: RowName,
    tenant: Tenant,
    key: RowKey,
}

/// A row that can be removed by itself.
enum RowKey {
    Fact(i64),
    /// The row stays, without its policy.
    Space(i64),
    /// With its beliefs.
    Decision(i64),
    Erasure(i64),
    Principal(String),
    /// A row that is gone, by the name that the log has for it.
    Missing([u8; 16]),
    Other {
        sql: &'static str,
        key: Vec<Param<'static>>,
    },
}

impl RowKey {
    /// What the name says, and the tenant; an error where rows of that kind are not removed one by one.
    fn of(row: &RowName) -> Result<(Tenant, Self), StoreError> {
        let refused = || {
            StoreError::Startup(format!(
                "{row} cannot be removed by itself; name a row of fact, statement, statement_text, vector, decision, \
                 belief, receipt, erasure, principal or space as svc fsck names it"
            ))
        };
        let (table, rest) = row.as_str().split_once('/').ok_or_else(refused)?;
        let keys = if matches!(table, "statement" | "belief") { 2 } else { 1 };
        let mut parts: Vec<&str> = rest.rsplitn(keys + 1, '/').collect();
        parts.reverse();
        let number = |text: &str| text.parse::<i64>().map_err(|_| refused());
        let bytes = |text: &str| hex::decode(text).map_err(|_| refused());
        let (tenant, key) = match (table, parts.as_slice()) {
            ("fact", [tenant, id]) => (tenant, Self::Fact(number(id)?)),
            ("space", [tenant, id]) => (tenant, Self::Space(number(id)?)),
            ("decision", [tenant, id]) => (tenant, Self::Decision(number(id)?)),
            ("erasure", [tenant, id]) => (tenant, Self::Erasure(number(id)?)),
            ("principal", [tenant, id]) => (tenant, Self::Principal((*id).to_owned())),
            ("missing", [_, name]) => {
                let name = bytes(name)?.try_into().map_err(|_| refused())?;
                return Ok((Tenant::default(), Self::Missing(name)));
            }
            ("receipt", [tenant, id]) => {
                let sql = "DELETE FROM receipt WHERE tenant = $1 AND id = $2";
                (tenant, Self::Other { sql, key: params![number(id)?].into() })
            }
            ("vector", [tenant, fact]) => {
                (tenant, Self::Other { sql: UNEMBED, key: params![number(fact)?].into() })
            }
            ("statement_text", [tenant, ix]) => {
                let sql = "DELETE FROM statement_text WHERE tenant = $1 AND ix = $2";
                (tenant, Self::Other { sql, key: params![bytes(ix)?].into() })
            }
            ("statement", [tenant, space, ix]) => {
                let sql = "DELETE FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3";
                (tenant, Self::Other { sql, key: params![number(space)?, bytes(ix)?].into() })
            }
            ("belief", [tenant, decision, place]) => {
                let sql = "DELETE FROM belief WHERE tenant = $1 AND decision = $2 AND place = $3";
                (tenant, Self::Other { sql, key: params![number(decision)?, number(place)?].into() })
            }
            _ => return Err(refused()),
        };
        Ok((Tenant::new(*tenant), key))
    }
}

impl Script for RowErase {
    type Output = bool;

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.tenant)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<bool> {
        let tenant = &self.tenant;
        let removed = match &self.key {
            RowKey::Fact(id) => self.fact(rows, *id).await?,
            RowKey::Space(id) => {
                let sql = "UPDATE space SET policy = NULL WHERE tenant = $1 AND id = $2";
                rows.run(sql, &params![tenant, *id]).await?
            }
            RowKey::Decision(id) => {
                let sql = "DELETE FROM belief WHERE tenant = $1 AND decision = $2";
                let beliefs = rows.run(sql, &params![tenant, *id]).await?;
                let sql = "DELETE FROM decision WHERE tenant = $1 AND id = $2";
                beliefs + rows.run(sql, &params![tenant, *id]).await?
            }
            RowKey::Erasure(id) => {
                let sql = "UPDATE space SET erasing = NULL WHERE tenant = $1 AND erasing = $2";
                rows.run(sql, &params![tenant, *id]).await?;
                let sql = "DELETE FROM erasure WHERE tenant = $1 AND id = $2";
                rows.run(sql, &params![tenant, *id]).await?
            }
            RowKey::Principal(id) => {
                rows.reach(Reach::Deployment).await?;
                rows.principals_changed().await?;
                let sql = "DELETE FROM principal WHERE tenant = $1 AND id = $2";
                rows.run(sql, &params![tenant, id]).await?
            }
            RowKey::Missing(row) => {
                rows.tell(Change { row: *row, mac: None });
                1
            }
            RowKey::Other { sql, key } => {
                let mut values: Vec<Param<'_>> = params![tenant].into();
                values.extend(key.iter().cloned());
                rows.run(sql, &values).await?
            }
        };
        if removed == 0 {
            return Ok(false);
        }
        let detail = format!("{} was not as it was stored, and is removed", self.row);
        rows.note(&self.call, &Record::done(detail)).await?;
        Ok(true)
    }
}

impl RowErase {
    /// With its vector and the words that no other fact has.
    async fn fact<R: Rows>(&self, rows: &mut R, id: i64) -> StoreResult<u64> {
        let tenant = &self.tenant;
        let sql = "SELECT space FROM fact WHERE tenant = $1 AND id = $2";
        let Some((space,)) = rows.db().one::<(i64,)>(sql, &params![tenant, id]).await? else { return Ok(0) };
        let space = SpaceKey { tenant, id: SpaceId(space) };
        rows.run(FORGET_OF_FACT, &params![tenant, id, space.id]).await?;
        rows.run(UNEMBED, &params![tenant, id]).await?;
        let removed =
            rows.run("DELETE FROM fact WHERE tenant = $1 AND id = $2", &params![tenant, id]).await?;
        rows.run(FORGET_UNUSED, &params![tenant, space.id]).await?;
        forget_cached(rows, space).await?;
        let outbox = outbox::changed::<R>(tenant, std::iter::once(FactId(id)), self.call.caller.now);
        rows.run(outbox.sql, &outbox.params).await?;
        Ok(removed)
    }
}

impl Store {
    /// Removes a row that a check found wrong; whether it was there.
    pub async fn row_erase(&self, call: Call, row: RowName) -> Result<bool, StoreError> {
        let (tenant, key) = RowKey::of(&row)?;
        self.write(RowErase { call, row, tenant, key }).await
    }
}
