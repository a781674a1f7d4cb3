//! Where the database and its keys are.

use super::database_file::DatabaseFile;
use super::env::Env;
use super::error::SettingsError;
use secrecy::{ExposeSecret, SecretString};
use store::keys::{KeySource, Switch, VaultSettings};
use store::{PostgresSettings, SqliteSettings, StoreSettings};

/// Reads where the memory is kept. `SVC_DB` names the SQLite file; with `SVC_DATABASE_URL` it names where this host keeps
/// its keys and its head of the audit log.
pub(super) fn read(env: &Env, database_file: &DatabaseFile) -> Result<StoreSettings, SettingsError> {
    let path = database_file.file().to_owned();
    let (keys, encrypt, sign) = (keys(env)?, switch(env, "SVC_ENCRYPT")?, switch(env, "SVC_SIGN")?);
    let Some(url) = env.secret("SVC_DATABASE_URL") else {
        return Ok(StoreSettings::Sqlite(SqliteSettings { path, keys, encrypt, sign, meter: None }));
    };
    let scheme = url.expose_secret().split("://").next().unwrap_or_default();
    if !matches!(scheme, "postgresql" | "postgres") {
        return Err(SettingsError::new(
            "SVC_DATABASE_URL",
            "takes postgresql://user:password@host:port/database; for SQLite unset it and name a file with SVC_DB",
        ));
    }
    Ok(StoreSettings::Postgres(PostgresSettings { url, beside: path, keys, encrypt, sign }))
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
