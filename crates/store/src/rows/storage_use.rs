//! How much is held of whom, and how much may be.

use crate::StoreError;
use crate::sql::{Cells, FromRow};
use std::fmt;

/// What the operator allows of facts and bytes; `None` is no quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StorageQuotas {
    pub key: StorageQuota,
    pub tenant: StorageQuota,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StorageQuota {
    pub facts: Option<i64>,
    pub bytes: Option<i64>,
}

/// Facts, and the bytes of their rows and words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub facts: i64,
    pub bytes: i64,
}

/// What is held, in all of a tenant and of one writer there.
pub(crate) struct Held {
    tenant: Amount,
    writer: Amount,
}

impl FromRow for Held {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            tenant: Amount { facts: row.cell(0)?, bytes: row.cell(1)? },
            writer: Amount { facts: row.cell(2)?, bytes: row.cell(3)? },
        })
    }
}

/// Of a tenant `$1`, and of the writer `$2` there.
pub(crate) const HELD: &str =
    "SELECT CAST(coalesce(sum(facts), 0) AS BIGINT), CAST(coalesce(sum(bytes), 0) AS BIGINT),
    CAST(coalesce(sum(CASE WHEN writer = $2 THEN facts ELSE 0 END), 0) AS BIGINT),
    CAST(coalesce(sum(CASE WHEN writer = $2 THEN bytes ELSE 0 END), 0) AS BIGINT)
    FROM storage_use WHERE tenant = $1";

/// A quota without room for what was to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverStorage {
    setting: &'static str,
    whose: &'static str,
    what: &'static str,
    most: i64,
    held: i64,
    added: i64,
}

impl fmt::Display for OverStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { setting, whose, what, most, held, added } = self;
        write!(
            f,
            "{setting} allows {whose} {most} {what}, {held} are held, and this would add {added}. Nothing was stored. \
             There is room again when something is erased (delete, delete_all, purge_expired), or when the operator \
             raises the setting."
        )
    }
}

impl StorageQuotas {
    pub(crate) fn are_set(&self) -> bool {
        *self != Self::default()
    }

    /// Whether there is room; only a caller with a key has a quota of its own.
    pub(crate) fn check(&self, held: &Held, added: Amount, has_key: bool) -> Result<(), OverStorage> {
        let facts = |setting, whose, most, held: Amount| {
            room(setting, whose, "fact(s)", most, held.facts, added.facts)
        };
        let bytes = |setting, whose, most, held: Amount| {
            room(setting, whose, "byte(s)", most, held.bytes, added.bytes)
        };
        if has_key {
            facts("SVC_QUOTA_KEY_FACTS", "a key", self.key.facts, held.writer)?;
            bytes("SVC_QUOTA_KEY_BYTES", "a key", self.key.bytes, held.writer)?;
        }
        facts("SVC_QUOTA_TENANT_FACTS", "a tenant", self.tenant.facts, held.tenant)?;
        bytes("SVC_QUOTA_TENANT_BYTES", "a tenant", self.tenant.bytes, held.tenant)
    }
}

fn room(
    setting: &'static str,
    whose: &'static str,
    what: &'static str,
    most: Option<i64>,
    held: i64,
    added: i64,
) -> Result<(), OverStorage> {
    match most {
        Some(most) if held.saturating_add(added) > most => {
            Err(OverStorage { setting, whose, what, most, held, added })
        }
        _ => Ok(()),
    }
}
