//! Opening a database: schema, keys, and whether these keys are the ones it was made with.

use super::connection::{self, Meter};
use super::db::Db;
use super::head_file::HeadFile;
use super::readers::Readers;
use super::writer::Writer;
use super::{Store, migrations};
use crate::StoreError;
use crate::keys::{self, Database, KeySettings, KeySource, Keys, Switch};
use crate::secrets::{Place, Secrets};
use domain::Timestamp;
use evidence::{Keyring, PublicKey, Signer};
use rusqlite::{Connection, TransactionBehavior};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct StoreSettings {
    pub path: PathBuf,
    pub keys: KeySource,
    pub encrypt: Switch,
    pub sign: Switch,
    /// Counts the work that SQLite does, for tests of its growth.
    pub meter: Option<Meter>,
}

/// How far a database has been migrated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    pub version: i64,
    pub known: i64,
    /// Number and name of each migration that has not been applied.
    pub pending: Vec<(i64, &'static str)>,
}

impl Schema {
    /// Reads the version without creating anything; a missing file has version 0.
    pub fn of(path: &Path) -> Result<Self, StoreError> {
        let version = if path.exists() { migrations::version(&connection::open(path, None)?)? } else { 0 };
        let version = migrations::refuse_newer(version)?;
        let pending = migrations::MIGRATIONS
            .iter()
            .filter(|m| m.version > version)
            .map(|m| (m.version, m.name))
            .collect();
        Ok(Self { version, known: migrations::KNOWN, pending })
    }

    /// Applies what is pending; returns the versions that were applied.
    pub fn migrate(path: &Path, now: Timestamp) -> Result<Vec<i64>, StoreError> {
        migrations::up(&mut connection::open(path, None)?, &now.to_string())
    }
}

const ENCRYPTION: &str = "encryption";
const SIGNING: &str = "signing";
const KEY_CHECK: &str = "key_check";
/// What the key check holds, sealed. Its content does not matter, only that it opens.
const CHECKED: &[u8] = b"these are the keys";

impl Store {
    /// Opens the database, creating it and its keys where there is none.
    pub async fn open(settings: StoreSettings, now: Timestamp) -> Result<Self, StoreError> {
        let StoreSettings { path, keys, encrypt, sign, meter } = settings;
        keep_private(&path)?;
        let mut db = connection::open(&path, meter.as_ref())?;
        migrations::up(&mut db, &now.to_string())?;
        let claimed = is_claimed(&db)?;
        let key_settings = KeySettings { beside: path.clone(), source: keys, encrypt, sign };
        let loaded = keys::load(&key_settings, if claimed { Database::Existing } else { Database::New })
            .await
            .map_err(|e| StoreError::Startup(e.to_string()))?;
        let secrets = Arc::new(at_work(loaded)?);
        claim(&mut db, &secrets, encrypt, sign)?;
        let head_file = HeadFile::beside(&path);
        if log_is_empty(&db)? {
            head_file.create(now).map_err(|e| {
                StoreError::Startup(format!(
                    "cannot write {}: {e}; check its permissions",
                    head_file.path().display()
                ))
            })?;
        }
        drop(db);
        let writer = Writer::start(&path, secrets.clone(), meter.as_ref())?;
        let readers = Readers::new(path.clone(), secrets.clone(), meter);
        Ok(Self { path, secrets, readers, writer })
    }
}

/// A new database is its owner's alone, and SQLite gives the files beside it the same mode.
fn keep_private(path: &Path) -> Result<(), StoreError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::Startup(format!(
            "SVC_DB: cannot make {}: {error}; check that its folder exists and can be written",
            path.display()
        ))),
    }
}

fn at_work(keys: Keys) -> Result<Secrets, StoreError> {
    let (signer, keyring) = match keys.signing {
        None => (None, None),
        Some(signing) => {
            let signer = Signer::from_seed(*signing.current);
            let retired = signing.retired.iter().map(|key| PublicKey::from_hex(&hex::encode(key)));
            let retired = retired
                .collect::<Result<Vec<_>, _>>()
                .map_err(|e| StoreError::Startup(format!("a retired signing key is no key: {e}")))?;
            let keyring = Keyring::new(signer.public_key(), retired);
            (Some(signer), Some(keyring))
        }
    };
    Ok(Secrets { sealer: keys.sealer, blind: keys.blind, signer, keyring })
}

fn is_claimed(db: &Connection) -> Result<bool, StoreError> {
    let rows: i64 =
        db.query_row("SELECT count(*) FROM deployment WHERE name = ?1", [ENCRYPTION], |row| row.get(0))?;
    Ok(rows > 0)
}

fn log_is_empty(db: &Connection) -> Result<bool, StoreError> {
    let entries: i64 =
        db.query_row("SELECT count(*) FROM (SELECT 1 FROM audit_entry LIMIT 1)", [], |row| row.get(0))?;
    let heads: i64 =
        db.query_row("SELECT count(*) FROM deployment WHERE name = ?1", [super::chain::HEAD], |row| {
            row.get(0)
        })?;
    Ok(entries == 0 && heads == 0)
}

/// A database is sealed and signed, or not, from its first day on: a mixture could not tell a value that was written
/// in clear from one that was slipped in.
fn claim(
    connection: &mut Connection,
    secrets: &Secrets,
    encrypt: Switch,
    sign: Switch,
) -> Result<(), StoreError> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let db = Db { sql: &tx, secrets };
        let place = Place::new("the key check", "", 0);
        if is_claimed(&tx)? {
            agree(&db, ENCRYPTION, "SVC_ENCRYPT", encrypt)?;
            agree(&db, SIGNING, "SVC_SIGN", sign)?;
            let check = db.deployment_get(KEY_CHECK)?.unwrap_or_default();
            if secrets.open(place, &check).is_err() {
                return Err(StoreError::Startup(
                    "this database was sealed with another key; give the key file, SVC_KEY or Vault key that it was \
                     made with"
                        .to_owned(),
                ));
            }
            signed_by_us(&db)?;
        } else {
            db.deployment_set(ENCRYPTION, word(encrypt).as_bytes())?;
            db.deployment_set(SIGNING, word(sign).as_bytes())?;
            db.deployment_set(KEY_CHECK, &secrets.seal(place, CHECKED)?)?;
            if let Some(signer) = &secrets.signer {
                db.deployment_set(PUBLIC_KEY, signer.public_key().to_hex().as_bytes())?;
            }
        }
    }
    tx.commit()?;
    Ok(())
}

const PUBLIC_KEY: &str = "public_key";

/// The signing key must be the one that the database was made with, or have it among its predecessors.
fn signed_by_us(db: &Db<'_>) -> Result<(), StoreError> {
    let Some(keyring) = &db.secrets.keyring else { return Ok(()) };
    let first = db.deployment_get(PUBLIC_KEY)?.unwrap_or_default();
    let known = std::iter::once(keyring.current()).chain(keyring.retired());
    if known.into_iter().any(|key| key.to_hex().as_bytes() == first.as_slice()) {
        return Ok(());
    }
    Err(StoreError::Startup(
        "this database was signed with another key; give the signing key file, SVC_KEY or Vault key that it was made \
         with"
            .to_owned(),
    ))
}

fn agree(db: &Db<'_>, name: &str, variable: &str, asked: Switch) -> Result<(), StoreError> {
    let made = db.deployment_get(name)?.unwrap_or_default();
    if made == word(asked).as_bytes() {
        return Ok(());
    }
    Err(StoreError::Startup(format!(
        "{variable}={} does not fit this database, which was made with {variable}={}; set it so, or use a new SVC_DB",
        word(asked),
        String::from_utf8_lossy(&made)
    )))
}

const fn word(switch: Switch) -> &'static str {
    match switch {
        Switch::On => "on",
        Switch::Off => "off",
    }
}
