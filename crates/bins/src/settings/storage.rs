//! Where the database and its keys are.

use super::SettingsError;
use super::env::Env;
use secrecy::SecretString;
use std::path::PathBuf;
use store::keys::{KeySource, Switch, VaultSettings};

#[derive(Debug, Clone)]
pub struct StorageSettings {
    pub path: PathBuf,
    pub keys: KeySource,
    pub encrypt: Switch,
    pub sign: Switch,
}

impl StorageSettings {
    pub(super) fn read(env: &Env) -> Result<Self, SettingsError> {
        if env.text("SVC_DATABASE_URL").is_some() {
            return Err(SettingsError::new(
                "SVC_DATABASE_URL",
                "is set, and this version keeps its memory in SQLite only; unset it and name a file with SVC_DB",
            ));
        }
        Ok(Self {
            path: PathBuf::from(env.text_or("SVC_DB", "svc.db")),
            keys: keys(env)?,
            encrypt: switch(env, "SVC_ENCRYPT")?,
            sign: switch(env, "SVC_SIGN")?,
        })
    }
}

fn switch(env: &Env, name: &'static str) -> Result<Switch, SettingsError> {
    Ok(if env.switch(name, true)? { Switch::On } else { Switch::Off })
}

fn keys(env: &Env) -> Result<KeySource, SettingsError> {
    let passphrase = env.secret("SVC_KEY");
    match env.text_or("SVC_KMS", "file").to_lowercase().as_str() {
        "file" => Ok(passphrase.map_or(KeySource::File, KeySource::Passphrase)),
        "vault" if passphrase.is_some() => {
            Err(SettingsError::new("SVC_KMS", "is vault, and SVC_KEY is set too; keep one of them"))
        }
        "vault" => vault(env).map(KeySource::Vault),
        other => Err(SettingsError::new("SVC_KMS", format!("takes file or vault, not '{other}'"))),
    }
}

fn vault(env: &Env) -> Result<VaultSettings, SettingsError> {
    let missing =
        |name: &str| SettingsError::new("SVC_KMS", format!("is vault, and {name} is not set; set it"));
    let token: SecretString = env.secret("VAULT_TOKEN").ok_or_else(|| missing("VAULT_TOKEN"))?;
    Ok(VaultSettings {
        address: env.text("VAULT_ADDR").ok_or_else(|| missing("VAULT_ADDR"))?,
        token,
        mount: env.text_or("SVC_VAULT_TRANSIT_MOUNT", "transit"),
        key: env.text_or("SVC_VAULT_TRANSIT_KEY", "svc"),
    })
}
