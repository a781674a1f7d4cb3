//! Opening a database: schema, keys, and whether these keys are the ones it was made with.

use super::connection::{self, Meter};
use super::db::SqliteDb;
use super::engine::{FileId, Sqlite};
use super::migrations;
use super::pages;
use super::readers::{Purpose, Readers};
use super::user_keys;
use super::writer::Writer;
use crate::StoreError;
use crate::head_file::{HeadFile, entries_beside, path_beside};
use crate::keys::{self, Database, KeySettings, KeySource, Switch};
use crate::rows::deployment::{Claim, ENCRYPTION, KEY_CHECK, KEY_HISTORY, KEYS_AT, PUBLIC_KEY, SIGNING};
use crate::rows::schema::{Schema, refuse_newer};
use crate::secrets::Secrets;
use domain::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct SqliteSettings {
    pub path: PathBuf,
    pub keys: KeySource,
    pub encrypt: Switch,
    pub sign: Switch,
    /// Counts the work that SQLite does, for tests of its growth.
    pub meter: Option<Meter>,
}

impl Schema {
    /// Reads the version without creating anything; a missing file has version 0.
    pub fn of_sqlite(path: &Path) -> Result<Self, StoreError> {
        refuse_lost(path)?;
        let version = if path.exists() { migrations::version(&connection::open(path, None)?)? } else { 0 };
        Ok(Self::at(refuse_newer(version)?))
    }

    /// Applies what is pending; returns the versions that were applied.
    pub fn migrate_sqlite(path: &Path, now: Timestamp) -> Result<Vec<i64>, StoreError> {
        refuse_lost(path)?;
        migrations::upgrade(path, &now.to_string())
    }
}

impl Sqlite {
    /// Opens the database, creating it and its keys where there is none.
    pub async fn open(settings: SqliteSettings, now: Timestamp) -> Result<Self, StoreError> {
        let SqliteSettings { path, keys, encrypt, sign, meter } = settings;
        refuse_lost(&path)?;
        keep_private(&path)?;
        migrations::upgrade(&path, &now.to_string())?;
        let mut db = connection::open(&path, meter.as_ref())?;
        let claimed = is_claimed(&db)?;
        let key_settings = KeySettings { beside: path.clone(), source: keys, encrypt, sign };
        let newest = keys::newest_master(&key_settings)?;
        let secrets = match unlocked(&mut db, &key_settings, claimed).await {
            // Another process has replaced the master key meanwhile.
            Err(_) if keys::newest_master(&key_settings)? != newest => {
                unlocked(&mut db, &key_settings, claimed).await?
            }
            secrets => secrets?,
        };
        let secrets = Arc::new(secrets);
        let head_file = HeadFile::beside(&path, &secrets);
        let head_error = |e| {
            let path = head_file.path().display();
            StoreError::Startup(format!("cannot write {path}: {e}; check its permissions"))
        };
        // Before the database is claimed: one that is claimed and has no head file has lost it.
        if !claimed {
            head_file.begin(None, now).map_err(head_error)?;
            claim(&mut db, &Claim { secrets: &secrets, encrypt, sign })?;
        }
        pages::look_through(&path, &secrets)?;
        head_file.keep_private().map_err(head_error)?;
        if let Err(error) = (SqliteDb { sql: &mut db, secrets: &secrets }).settle(&head_file) {
            // Whatever is wrong is for verify_audit to say, which needs an open database.
            tracing::warn!(%error, "the head beside the database could not be compared with the log");
        }
        drop(db);
        Self::on(path, secrets, meter.as_ref())
    }

    /// A database that is there already, and has these keys.
    pub fn on(path: PathBuf, secrets: Arc<Secrets>, meter: Option<&Meter>) -> Result<Self, StoreError> {
        let writer = Writer::start(&path, secrets.clone(), meter)?;
        let file =
            FileId::of(&path).map_err(|e| StoreError::Startup(format!("SVC_DB: {}: {e}", path.display())))?;
        let readers = |purpose| Readers::new(purpose, path.clone(), secrets.clone(), meter.cloned());
        let [reading, large, desk, verification] =
            [Purpose::Reading, Purpose::Large, Purpose::Desk, Purpose::Verification].map(readers);
        Ok(Self {
            path,
            file,
            secrets,
            readers: reading,
            large,
            desk,
            verification,
            writer,
            last_intact: Arc::default(),
        })
    }
}

/// The keys, which must be those of the database.
async fn unlocked(db: &mut Connection, keys: &KeySettings, claimed: bool) -> Result<Secrets, StoreError> {
    // Before the keys themselves: a change that comes in between is then noticed with the first transaction.
    let held = told(db)?;
    if !claimed && !held.is_empty() {
        return Err(StoreError::Startup(format!(
            "SVC_DB: the database holds a deployment, and the row {ENCRYPTION} that says how it was made is gone: somebody \
             removed it. Restore a backup with svc restore FILE"
        )));
    }
    let loaded = keys::load(keys, if claimed { Database::Existing } else { Database::New })
        .await
        .map_err(|e| StoreError::Startup(e.to_string()))?;
    let mut secrets = Secrets::from_keys(loaded, &held)?;
    if claimed {
        claim(db, &Claim { secrets: &secrets, encrypt: keys.encrypt, sign: keys.sign })?;
    }
    secrets.users = user_keys::load(db, &keys.beside, &secrets.sealer, held.get(KEYS_AT))?;
    Ok(secrets)
}

/// A database that is gone, while its head or its keys are there, is not begun anew in silence.
fn refuse_lost(path: &Path) -> Result<(), StoreError> {
    let is_gone = match std::fs::metadata(path) {
        Ok(file) => file.len() == 0,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if !is_gone {
        return Ok(());
    }
    let head = path_beside(path);
    let left = match (entries_beside(path), keys::left_beside(path)) {
        (0, None) => return Ok(()),
        (0, Some(key)) => format!("its key is still there: {}", key.display()),
        (entries, _) => format!("the head file beside it says that it held {entries} audit entries"),
    };
    Err(StoreError::Startup(format!(
        "SVC_DB: the database {} is missing or empty, but {left}. Put the database back, or restore a backup with svc \
         restore FILE. To begin anew without what it held, move {} and the key files beside it away",
        path.display(),
        head.display()
    )))
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

fn is_claimed(db: &Connection) -> Result<bool, StoreError> {
    let rows: i64 =
        db.query_row("SELECT count(*) FROM deployment WHERE name = ?1", [ENCRYPTION], |row| row.get(0))?;
    Ok(rows > 0)
}

/// What the database says of its keys.
fn told(db: &Connection) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let mut held = BTreeMap::new();
    // The last change of keys first: one that comes meanwhile is then noticed with the first transaction.
    for name in [KEYS_AT, ENCRYPTION, SIGNING, KEY_CHECK, PUBLIC_KEY, KEY_HISTORY] {
        let sql = "SELECT value FROM deployment WHERE name = ?1";
        let value: Option<Vec<u8>> = db.query_row(sql, [name], |row| row.get(0)).optional()?;
        held.extend(value.map(|value| (name.to_owned(), value)));
    }
    Ok(held)
}

fn claim(connection: &mut Connection, claim: &Claim<'_>) -> Result<(), StoreError> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if is_claimed(&tx)? {
        claim.check(&told(&tx)?)?;
    } else {
        for (name, value) in claim.rows()? {
            tx.execute("INSERT INTO deployment (name, value) VALUES (?1, ?2)", (name, value))?;
        }
    }
    tx.commit()?;
    Ok(())
}
