//! Quotas on what is stored: facts, and bytes.

use domain::{Caller, Identity, OwnQuotas, Quota, SetBy};
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

/// What one caller may store: no more than the operator allows, and where it has a key, no more than the key's own quota.
/// None at all for what must be possible when there is no room.
#[derive(Debug, Clone, Copy, Default)]
pub struct StorageLimits {
    deployment: StorageQuotas,
    own: OwnQuotas,
}

/// A quota without room for what was to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverStorage {
    quota: Named,
    what: &'static str,
    most: i64,
    held: i64,
    added: i64,
}

/// Whose quota it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Setting { name: &'static str, whose: &'static str },
    OwnOfKey,
}

impl fmt::Display for OverStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quota, what, most, held, added } = self;
        let (subject, lifted) = match quota {
            Named::Setting { name, whose } => {
                (format!("{name} allows {whose}"), "when the operator raises the setting")
            }
            Named::OwnOfKey => (
                "the quota of this key allows it".to_owned(),
                "when an admin changes that quota, in the console or with svc principal change",
            ),
        };
        write!(
            f,
            "{subject} {most} {what}, {held} are held, and this would add {added}. Nothing was stored. There is room \
             again when something is erased (delete, delete_all, purge_expired), or {lifted}."
        )
    }
}

impl StorageQuotas {
    pub fn limits(self, caller: &Caller) -> StorageLimits {
        let own = match &caller.identity {
            Identity::Principal(principal) => principal.quotas,
            Identity::Local | Identity::Anonymous | Identity::Service => OwnQuotas::default(),
        };
        StorageLimits { deployment: self, own }
    }
}

impl StorageLimits {
    pub(crate) fn are_set(&self) -> bool {
        self.deployment != StorageQuotas::default()
            || self.own.get(Quota::Facts).is_some()
            || self.own.get(Quota::Bytes).is_some()
    }

    /// Whether there is room in the tenant, and with the key where the caller has one.
    pub(crate) fn check(
        &self,
        tenant: Amount,
        key: Option<Amount>,
        added: Amount,
    ) -> Result<(), OverStorage> {
        let facts = |limit, held: Amount| room(limit, "fact(s)", held.facts, added.facts);
        let bytes = |limit, held: Amount| room(limit, "byte(s)", held.bytes, added.bytes);
        let Self { deployment, own } = self;
        if let Some(held) = key {
            let of_key = |quota, name, most| {
                own.narrow(quota, most).map(|(most, set_by)| match set_by {
                    SetBy::Deployment => (most, Named::Setting { name, whose: "a key" }),
                    SetBy::Principal => (most, Named::OwnOfKey),
                })
            };
            facts(of_key(Quota::Facts, "SVC_QUOTA_KEY_FACTS", deployment.key.facts), held)?;
            bytes(of_key(Quota::Bytes, "SVC_QUOTA_KEY_BYTES", deployment.key.bytes), held)?;
        }
        let of_tenant =
            |name, most: Option<i64>| most.map(|most| (most, Named::Setting { name, whose: "a tenant" }));
        facts(of_tenant("SVC_QUOTA_TENANT_FACTS", deployment.tenant.facts), tenant)?;
        bytes(of_tenant("SVC_QUOTA_TENANT_BYTES", deployment.tenant.bytes), tenant)
    }
}

fn room(limit: Option<(i64, Named)>, what: &'static str, held: i64, added: i64) -> Result<(), OverStorage> {
    match limit {
        Some((most, quota)) if held.saturating_add(added) > most => {
            Err(OverStorage { quota, what, most, held, added })
        }
        _ => Ok(()),
    }
}
