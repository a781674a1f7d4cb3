//! What one key, and one tenant, may ask for.

use super::env::Env;
use super::error::SettingsError;
use service::{CallQuotas, Quotas};
use store::{StorageQuota, StorageQuotas};

pub(super) fn read(env: &Env) -> Result<Quotas, SettingsError> {
    Ok(Quotas {
        key: CallQuotas {
            calls_per_minute: most(env, "SVC_QUOTA_KEY_CALLS")?,
            concurrent: most(env, "SVC_QUOTA_KEY_CONCURRENT")?,
        },
        tenant: CallQuotas {
            calls_per_minute: most(env, "SVC_QUOTA_TENANT_CALLS")?,
            concurrent: most(env, "SVC_QUOTA_TENANT_CONCURRENT")?,
        },
        storage: StorageQuotas {
            key: StorageQuota {
                facts: most(env, "SVC_QUOTA_KEY_FACTS")?,
                bytes: most(env, "SVC_QUOTA_KEY_BYTES")?,
            },
            tenant: StorageQuota {
                facts: most(env, "SVC_QUOTA_TENANT_FACTS")?,
                bytes: most(env, "SVC_QUOTA_TENANT_BYTES")?,
            },
        },
    })
}

/// Not set is no quota. A quota of nothing would be a service that is turned off, and is taken for a mistake.
fn most<T: TryFrom<i64> + PartialOrd + Default + Copy>(
    env: &Env,
    name: &'static str,
) -> Result<Option<T>, SettingsError> {
    const TAKES: &str = "a whole number from 1; leave it out for no quota";
    let Some(text) = env.text(name) else { return Ok(None) };
    let most = env.whole(name, T::default(), TAKES)?;
    if most > T::default() {
        return Ok(Some(most));
    }
    Err(SettingsError::new(name, format!("takes {TAKES}, not '{text}'")))
}
