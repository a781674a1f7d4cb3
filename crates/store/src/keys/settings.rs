//! How a deployment says where its keys are.

use secrecy::SecretString;
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct KeySettings {
    /// The database. Its keys are beside it as `<db>.key`, `<db>.sign.key` and `<db>.salt`.
    pub beside: PathBuf,
    pub source: KeySource,
    pub encrypt: Switch,
    pub sign: Switch,
}

#[derive(Debug, Clone)]
pub enum KeySource {
    File,
    Passphrase(SecretString),
    Vault(VaultSettings),
}

/// A Transit secrets engine of HashiCorp Vault or OpenBao.
#[derive(Debug, Clone)]
pub struct VaultSettings {
    pub address: String,
    pub token: SecretString,
    pub mount: String,
    pub key: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// Whether the database was already there. Keys are made only for a new one: a new key beside an existing database
/// would hide that the old one, and everything sealed with it, is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    New,
    Existing,
}
