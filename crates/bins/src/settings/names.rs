//! The names of all settings that begin with `SVC_`, and finding those that are misspelled.

use super::env::Env;
use super::error::SettingsError;

/// `docs/settings.md` says what each takes. `SVC_API_KEY` is what `svc connect` has clients send.
pub const NAMES: [&str; 57] = [
    "SVC_ALLOWED_HOSTS",
    "SVC_ALLOWED_ORIGINS",
    "SVC_API_KEY",
    "SVC_AUTH_REQUIRED",
    "SVC_BOUND_SOURCES",
    "SVC_CONNECTIONS_PER_ADDRESS",
    "SVC_CONSOLE_PORT",
    "SVC_CONSOLE_URL",
    "SVC_CRITICAL_BUDGET",
    "SVC_CRITICAL_CATEGORIES",
    "SVC_DATABASE_URL",
    "SVC_DB",
    "SVC_ENCRYPT",
    "SVC_EXTRACT_RETRIES",
    "SVC_FOUR_EYES",
    "SVC_GRAPH",
    "SVC_HOST",
    "SVC_KEY",
    "SVC_KMS",
    "SVC_LICENSE",
    "SVC_LOG_FORMAT",
    "SVC_LOG_LEVEL",
    "SVC_MAX_BODY",
    "SVC_METRICS_TOKEN",
    "SVC_NEW_KEY",
    "SVC_OIDC_AUDIENCE",
    "SVC_OIDC_CLIENT_ID",
    "SVC_OIDC_CLIENT_SECRET",
    "SVC_OIDC_DEFAULT_ROLE",
    "SVC_OIDC_ISSUER",
    "SVC_OIDC_JWKS_URL",
    "SVC_OIDC_RESOURCE_URL",
    "SVC_OIDC_ROLE_CLAIM",
    "SVC_OIDC_ROLE_MAP",
    "SVC_OIDC_SCOPE_CLAIM",
    "SVC_PORT",
    "SVC_QUOTA_KEY_BYTES",
    "SVC_QUOTA_KEY_CALLS",
    "SVC_QUOTA_KEY_CONCURRENT",
    "SVC_QUOTA_KEY_FACTS",
    "SVC_QUOTA_TENANT_BYTES",
    "SVC_QUOTA_TENANT_CALLS",
    "SVC_QUOTA_TENANT_CONCURRENT",
    "SVC_QUOTA_TENANT_FACTS",
    "SVC_RATE_PER_MIN",
    "SVC_READ_MODEL",
    "SVC_RECALL_CONTEXT",
    "SVC_RECONCILE_CONTEXT",
    "SVC_SIGN",
    "SVC_SLOT_SCHEMA",
    "SVC_TOOLS",
    "SVC_TRUSTED_PROXY_HOPS",
    "SVC_TRUSTED_SOURCES",
    "SVC_VAULT_TRANSIT_KEY",
    "SVC_VAULT_TRANSIT_MOUNT",
    "SVC_VENDOR_PUBKEY",
    "SVC_WITNESS",
];

/// How many letters may be wrong, missing, too many or swapped in a slip. Letters in another case are no other letters.
const SLIPS: usize = 2;

/// Names of so many letters are other words once two letters differ.
const SHORT: usize = 4;

const PREFIX: &str = "SVC_";

/// Refuses a variable that is a slip of a known one: what it was to guard would be open. Returns the other unknown ones.
pub(super) fn unknown(env: &Env) -> Result<Vec<String>, SettingsError> {
    let mut unknown: Vec<String> = env
        .names()
        .filter(|name| name.to_ascii_uppercase().starts_with(PREFIX) && !NAMES.contains(name))
        .map(str::to_owned)
        .collect();
    unknown.sort_unstable();
    let slip =
        unknown.iter().find_map(|typed| Some((typed, NAMES.iter().find(|name| is_slip(typed, name))?)));
    match slip {
        Some((typed, meant)) => {
            Err(SettingsError::new(typed, format!("is no setting. Did you mean {meant}?")))
        }
        None => Ok(unknown),
    }
}

fn is_slip(typed: &str, name: &str) -> bool {
    let slips = if name.len() <= PREFIX.len() + SHORT { SLIPS - 1 } else { SLIPS };
    within(slips, typed.to_ascii_uppercase().as_bytes(), name.as_bytes())
}

/// Whether so many slips, or fewer, make the one word the other.
fn within(slips: usize, typed: &[u8], name: &[u8]) -> bool {
    match (typed, name) {
        ([], rest) | (rest, []) => rest.len() <= slips,
        ([first, typed @ ..], [other, name @ ..]) if first == other => within(slips, typed, name),
        _ if slips == 0 => false,
        ([first, left @ ..], [other, right @ ..]) => {
            let fewer = slips - 1;
            let swapped = match (left, right) {
                ([second, left @ ..], [another, right @ ..]) => {
                    first == another && second == other && within(fewer, left, right)
                }
                _ => false,
            };
            swapped || within(fewer, left, right) || within(fewer, left, name) || within(fewer, typed, right)
        }
    }
}
