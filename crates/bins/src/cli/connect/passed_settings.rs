//! Which of this shell's settings are passed on to the program that a client starts.

use crate::settings::environment;

/// Settings that decide which memory it is, which model serves it, and by which rules. Paths are passed on separately,
/// because they have to be given in full.
const PASSED: [&str; 38] = [
    "SVC_DATABASE_URL",
    "SVC_WITNESS",
    "SVC_KEY",
    "SVC_ENCRYPT",
    "SVC_SIGN",
    "SVC_KMS",
    "VAULT_ADDR",
    "VAULT_TOKEN",
    "SVC_VAULT_TRANSIT_MOUNT",
    "SVC_VAULT_TRANSIT_KEY",
    "LLM_PROVIDER",
    "LLM_TIMEOUT",
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_MODEL",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_MODEL",
    "GROQ_BASE_URL",
    "GROQ_API_KEY",
    "GROQ_MODEL",
    "EMBED_BASE_URL",
    "EMBED_API_KEY",
    "EMBED_MODEL",
    "SVC_READ_MODEL",
    "SVC_EXTRACT_RETRIES",
    "SVC_RECONCILE_CONTEXT",
    "SVC_RECALL_CONTEXT",
    "SVC_CRITICAL_CATEGORIES",
    "SVC_CRITICAL_BUDGET",
    "SVC_TRUSTED_SOURCES",
    "SVC_FOUR_EYES",
    "SVC_BOUND_SOURCES",
    "SVC_AUTH_REQUIRED",
    "SVC_GRAPH",
    "NEO4J_URI",
    "NEO4J_USER",
    "NEO4J_PASSWORD",
];
const SECRET: [&str; 7] = [
    "SVC_KEY",
    "VAULT_TOKEN",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GROQ_API_KEY",
    "EMBED_API_KEY",
    "NEO4J_PASSWORD",
];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PassedSettings {
    /// Written into the client's file as they are.
    pub plain: Vec<(String, String)>,
    /// Never written; named where the client can read a variable.
    pub secret: Vec<String>,
}

impl PassedSettings {
    pub fn from_environment() -> Self {
        let mut passed = Self::default();
        for (name, value) in environment() {
            let value = value.trim();
            if value.is_empty() || !PASSED.contains(&name.as_str()) {
                continue;
            }
            if is_secret(&name, value) {
                passed.secret.push(name);
            } else {
                passed.plain.push((name, value.to_owned()));
            }
        }
        let place = |name: &str| PASSED.iter().position(|passed| *passed == name);
        passed.plain.sort_by_key(|(name, _)| place(name));
        passed.secret.sort_by_key(|name| place(name));
        passed
    }
}

/// An address is a secret where a password or a key may be part of it; one that cannot be read as an
/// address counts as a secret.
fn is_secret(name: &str, value: &str) -> bool {
    let is_address = name == "SVC_DATABASE_URL" || name.ends_with("_BASE_URL");
    if !is_address {
        return SECRET.contains(&name);
    }
    let Some((_, rest)) = value.split_once("://") else { return true };
    let password = rest.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
    let in_query = match name {
        "SVC_DATABASE_URL" => rest.contains("password"),
        _ => rest.contains('?'),
    };
    password || in_query
}
