//! Making a backup, while the service may be running.

use super::draft::Draft;
use super::{open_file, secrets_of, shared_keys, verified};
use crate::StoreError;
use crate::apart::Apart;
use crate::copy::{PostgresRows, Replace, SqliteFile, SqliteRows, Watcher, into_sqlite};
use crate::keys::{self, KeySource, replace_apart};
use crate::postgres::{Address, PostgresSettings};
use crate::rows::deployment::{COPYING, ENCRYPTION};
use crate::secrets::Secrets;
use crate::sqlite::{SqliteSettings, connection, migrations};
use crate::store::{Store, StoreSettings};
use domain::Timestamp;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct BackedUp {
    /// Entries of the audit log, all of which verify.
    pub entries: u64,
    /// The files that the backup cannot be opened without, and that are not in it.
    pub key_files: Vec<PathBuf>,
    /// Whether the keys of the deployment are files, and not a passphrase or in Vault.
    pub keys_are_files: bool,
}

/// Writes a backup of the deployment as it is at one moment, and checks it.
pub async fn backup(
    settings: &StoreSettings,
    file: &Path,
    replace: Replace,
    now: Timestamp,
    watch: Watcher<'_>,
) -> Result<BackedUp, StoreError> {
    if replace == Replace::No && file.exists() {
        return Err(StoreError::Startup(format!(
            "{} exists; name another file, or give --force to replace it",
            file.display()
        )));
    }
    let draft = Draft::beside(file)?;
    let keys = settings.keys();
    let (mut copy, secrets) = match settings {
        StoreSettings::Sqlite(settings) => out_of_sqlite(settings, &keys, draft.path()).await?,
        StoreSettings::Postgres(settings) => {
            out_of_postgres(settings, &keys, draft.path(), now, watch).await?
        }
    };
    let entries = verified(&mut copy, &secrets, "the backup")?;
    copy.close().map_err(|(_, error)| error)?;
    draft.put_in_place(file, replace)?;
    let keys_are_files = matches!(keys.source, KeySource::File);
    Ok(BackedUp { entries, key_files: keys::files(&keys), keys_are_files })
}

/// SQLite copies itself, from one snapshot and without what was deleted.
async fn out_of_sqlite(
    settings: &SqliteSettings,
    keys: &keys::KeySettings,
    draft: &Path,
) -> Result<(Connection, Secrets), StoreError> {
    if !settings.path.exists() {
        return Err(StoreError::Startup(format!(
            "there is no database at {}; name it with SVC_DB",
            settings.path.display()
        )));
    }
    let mut source = connection::open(&settings.path, None)?;
    migrations::refuse_foreign(&mut source)?;
    let held = SqliteRows::of(&mut source)?.deployment()?;
    refuse_unclaimed(held.contains_key(ENCRYPTION))?;
    // What the files hold is newer than a copy of it that a restored database may hold.
    let secrets = secrets_of(keys, &held).await?;
    vacuum_into(&source, draft)?;
    let copy = open_file(draft)?;
    let file = SqliteFile(&copy);
    for (name, text) in shared_keys(keys)? {
        file.set(name, &text)?;
    }
    Ok((copy, secrets))
}

/// The first version of the schema that knows of the entity graph.
const WITH_GRAPH: i64 = 3;

/// A copy that needs no write-ahead log beside it. Its graph is off: by the time the copy is used, what is in Neo4j may
/// be older or newer.
pub(super) fn vacuum_into(source: &Connection, path: &Path) -> Result<(), StoreError> {
    source.execute("VACUUM INTO ?1", [path.to_string_lossy()])?;
    let copy = open_file(path)?;
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    if migrations::version(&copy)? >= WITH_GRAPH {
        copy.execute("DELETE FROM graph_projection", [])?;
    }
    Ok(())
}

async fn out_of_postgres(
    settings: &PostgresSettings,
    keys: &keys::KeySettings,
    draft: &Path,
    now: Timestamp,
    watch: Watcher<'_>,
) -> Result<(Connection, Secrets), StoreError> {
    let source = PostgresRows::of(Address::parse(&settings.url)?.connect().await?).await?;
    let held = source.deployment().await?;
    refuse_unclaimed(held.contains_key(ENCRYPTION) && !held.contains_key(COPYING))?;
    let secrets = secrets_of(keys, &held).await?;
    let copy = fill(&source, draft, now, watch).await?;
    // The backup is of no use without these, and leaves them out: this host keeps a copy for whoever restores it.
    for what in Apart::ALL {
        if let Some(value) = held.get(what.row()) {
            replace_apart(&what.file(&settings.beside), value)?;
        }
    }
    Ok((copy, secrets))
}

async fn fill(
    source: &PostgresRows,
    draft: &Path,
    now: Timestamp,
    watch: Watcher<'_>,
) -> Result<Connection, StoreError> {
    let mut copy = open_file(draft)?;
    migrations::up(&mut copy, &now.to_string())?;
    let tx = copy.transaction()?;
    into_sqlite(source, &SqliteFile(&tx), watch).await?;
    tx.commit()?;
    Ok(copy)
}

/// The deployment as it is at one moment, to try something on: what is written there changes nothing here.
#[derive(Debug)]
pub struct Scratch {
    pub store: Store,
    /// Gone with this.
    _file: Draft,
}

impl Scratch {
    /// Beside the database, or its keys, so that the copy is on a disk that may hold it.
    pub async fn of(store: &Store, settings: &StoreSettings, now: Timestamp) -> Result<Self, StoreError> {
        let draft = Draft::beside(&settings.keys().beside)?;
        match settings {
            StoreSettings::Sqlite(settings) => {
                vacuum_into(&connection::open(&settings.path, None)?, draft.path())?;
            }
            StoreSettings::Postgres(settings) => {
                let source = PostgresRows::of(Address::parse(&settings.url)?.connect().await?).await?;
                fill(&source, draft.path(), now, &mut |_| ()).await?;
            }
        }
        Ok(Self { store: store.on(draft.path().to_owned())?, _file: draft })
    }
}

fn refuse_unclaimed(claimed: bool) -> Result<(), StoreError> {
    if claimed {
        return Ok(());
    }
    Err(StoreError::Startup("the database holds no whole deployment; there is nothing to back up".to_owned()))
}
