//! Quotas on what is stored: facts, and bytes.

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
pub struct Amount {
    pub facts: i64,
    pub bytes: i64,
}

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

    /// Whether there is room in the tenant, and with the key where the caller has one.
    pub(crate) fn check(
        &self,
        tenant: Amount,
        key: Option<Amount>,
        added: Amount,
    ) -> Result<(), OverStorage> {
        let facts = |setting, whose, most, held: Amount| {
            room(setting, whose, "fact(s)", most, held.facts, added.facts)
        };
        let bytes = |setting, whose, most, held: Amount| {
            room(setting, whose, "byte(s)", most, held.bytes, added.bytes)
        };
        if let Some(held) = key {
            facts("SVC_QUOTA_KEY_FACTS", "a key", self.key.facts, held)?;
            bytes("SVC_QUOTA_KEY_BYTES", "a key", self.key.bytes, held)?;
        }
        facts("SVC_QUOTA_TENANT_FACTS", "a tenant", self.tenant.facts, tenant)?;
        bytes("SVC_QUOTA_TENANT_BYTES", "a tenant", self.tenant.bytes, tenant)
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
