//! Why keys could not be loaded, and what to do about it. None of these texts holds a key, a passphrase or a token.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum KeyError {
    #[error(
        "{path} is missing, but its database exists: restore the file from the backup, because a new one \
         cannot replace it. If this database was made with other settings ({settings}), go back to those",
        path = .path.display()
    )]
    Missing { path: PathBuf, settings: &'static str },
    #[error(
        "{path} can be read by others (mode {mode:04o}): run chmod 600 '{path}', and think about who may have read it",
        path = .path.display()
    )]
    OpenToOthers { path: PathBuf, mode: u32 },
    #[error("{path} cannot be read: {reason}", path = .path.display())]
    Unreadable { path: PathBuf, reason: io::Error },
    #[error(
        "{path} cannot be made: {reason}. Its folder must exist, be writable and support hard links",
        path = .path.display()
    )]
    Unwritable { path: PathBuf, reason: io::Error },
    #[error("{path} is damaged: {problem}. Restore it from the backup", path = .path.display())]
    Damaged { path: PathBuf, problem: String },
    #[error(
        "{path} holds a plain key, but SVC_KMS=vault takes only keys that Vault has wrapped: unset SVC_KMS, or have \
         Vault wrap it with svc keys move --to vault",
        path = .path.display()
    )]
    PlainUnderVault { path: PathBuf },
    #[error(
        "{path} holds a key that Vault has wrapped: set SVC_KMS=vault with the VAULT_ADDR and VAULT_TOKEN to unwrap it",
        path = .path.display()
    )]
    WrappedWithoutVault { path: PathBuf },
    #[error(
        "{path} holds a key that is locked by a passphrase: give the passphrase in SVC_KEY",
        path = .path.display()
    )]
    LockedWithoutPassphrase { path: PathBuf },
    #[error(
        "SVC_KEY does not open {path}: give the passphrase that was set last. If it was changed on another host, copy that \
         host's key files here",
        path = .path.display()
    )]
    WrongPassphrase { path: PathBuf },
    #[error(
        "{path} holds a key that no passphrase locks, but SVC_KEY is set: unset SVC_KEY, and move the keys with svc keys \
         move --to passphrase if that is what you want",
        path = .path.display()
    )]
    NotLocked { path: PathBuf },
    #[error("there is no key file beside {database}: name the database with SVC_DB", database = .database.display())]
    NothingToMove { database: PathBuf },
    #[error("SVC_NEW_KEY is not set: it gives the passphrase that is to lock the keys")]
    NoNewPassphrase,
    #[error("SVC_KEY is set: move the keys to files first, unset SVC_KEY, and then move them to Vault")]
    PassphraseToVault,
    #[error("{path} was changed while a new key was being made: run the command again", path = .path.display())]
    ChangedMeanwhile { path: PathBuf },
    #[error(
        "moving keys into Vault, and out of it, needs Vault: set SVC_KMS=vault, VAULT_ADDR and VAULT_TOKEN"
    )]
    MovingNeedsVault,
    #[error("{path}: {reason}", path = .path.display())]
    Vault { path: PathBuf, reason: VaultError },
    #[error("the Vault settings do not work: {0}")]
    VaultSettings(VaultError),
    #[error(
        "{setting} is too easy to guess: use four or more words that do not belong together, or what \
         openssl rand -hex 32 prints, and keep a copy of it"
    )]
    WeakPassphrase { setting: &'static str },
    #[error("the users' keys were rotated 254 times, and there is no room for another generation")]
    ManyGenerations,
    #[error("the operating system gave no random bytes for a key")]
    NoRandomness,
    #[error("a key could not be derived: {0}")]
    Derivation(String),
}

#[derive(Debug, Error)]
pub enum VaultError {
    #[error("VAULT_ADDR is no address like https://vault.example.com:8200")]
    Address,
    #[error("VAULT_TOKEN holds characters that no token has")]
    Token,
    #[error("the HTTP client did not start: {0}")]
    Client(String),
    #[error("Vault at {address} does not answer: {reason}. Check VAULT_ADDR, and that Vault runs")]
    Unreachable { address: String, reason: String },
    #[error("Vault is sealed or not ready (503): unseal it with `vault operator unseal`, then start again")]
    Sealed,
    #[error(
        "Vault denies {path} to this VAULT_TOKEN (403): it must be valid, and its policy must grant `update` on {path}"
    )]
    Denied { path: String },
    #[error("Vault has no transit engine at {mount} (404): run `vault secrets enable -path={mount} transit`")]
    NoMount { mount: String },
    #[error("Vault has no transit key {key} at {mount}: run `vault write -f {mount}/keys/{key}`")]
    NoKey { mount: String, key: String },
    #[error(
        "Vault refuses the wrapped key (400): it was wrapped by another transit key than {key}, its version was \
         retired, or the file is damaged"
    )]
    WrappedRefused { key: String },
    #[error("Vault sends the request elsewhere ({status}): set VAULT_ADDR to the address of the active node")]
    Redirect { status: u16 },
    #[error("Vault answered {path} with status {status}: its log says why")]
    Status { path: String, status: u16 },
    #[error("the answer to {path} is not Vault's: check that VAULT_ADDR leads to Vault")]
    Answer { path: String },
}
