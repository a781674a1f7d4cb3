//! Whole deployments: backing one up, restoring it, and moving it to PostgreSQL. A backup is a SQLite database of our
//! own schema, whichever engine it comes from or goes to.

mod draft;
mod kept_apart;
mod make;
mod migrate;
mod put_back;

pub use draft::Draft;
pub(crate) use kept_apart::KeptApart;
pub use make::{BackedUp, Scratch, backup};
pub use migrate::{Moved, migrate_to};
pub use put_back::{Restored, restore};

use crate::StoreError;
use crate::head_file::Outside;
use crate::keys::{self, Database, KeySettings};
use crate::postgres::{Contents, Postgres, PostgresSettings};
use crate::rows::audit::AuditReport;
use crate::rows::deployment::Claim;
use crate::rows::schema::refuse_newer;
use crate::scripts::marks::Against;
use crate::secrets::Secrets;
use crate::sqlite::db::SqliteDb;
use crate::sqlite::migrations;
use crate::verification::Audience;
use domain::Timestamp;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;

/// A file that is there, without the write-ahead log of a database in use.
fn open_file(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

/// The keys at hand, which must be those that the deployment was made with. What is no secret without a passphrase or
/// Vault is taken from the deployment where there is no file of it here.
pub(crate) async fn secrets_of(
    settings: &KeySettings,
    held: &BTreeMap<String, Vec<u8>>,
) -> Result<Secrets, StoreError> {
    let startup = |error: keys::KeyError| StoreError::Startup(error.to_string());
    for (name, file) in keys::shareable(settings) {
        if let Some(text) = held.get(name) {
            file.take(text).map_err(startup)?;
        }
    }
    let secrets = Secrets::from_keys(keys::load(settings, Database::Existing).await.map_err(startup)?, held)?;
    let claim = Claim { secrets: &secrets, encrypt: settings.encrypt, sign: settings.sign };
    claim.check(held)?;
    Ok(secrets)
}

/// The key files that open nothing by themselves, as they go into a copy of the deployment.
fn shared_keys(settings: &KeySettings) -> Result<Vec<(&'static str, Vec<u8>)>, StoreError> {
    let mut shared = Vec::new();
    for (name, file) in keys::shareable(settings) {
        let text = file.text().map_err(|error| StoreError::Startup(error.to_string()))?;
        shared.extend(text.map(|text| (name, text.as_bytes().to_vec())));
    }
    Ok(shared)
}

const NO_HEADS: Against = Against { outside: Outside::NOT_YET, proposed: None };

/// How many entries the log of a copy has, all of which verify.
fn verified(sql: &mut Connection, secrets: &Secrets, what: &str) -> Result<u64, StoreError> {
    entries(SqliteDb { sql, secrets }.audit_check(NO_HEADS, &Audience::default())?, what)
}

/// The same of a copy in PostgreSQL, which nobody can open yet.
async fn verified_there(settings: PostgresSettings, now: Timestamp) -> Result<u64, StoreError> {
    let there = Postgres::open_as(settings, Contents::BeingCopied, now).await?;
    entries(there.shared.audit_check(NO_HEADS, &Audience::default()).await?, "the copy")
}

fn entries(report: AuditReport, what: &str) -> Result<u64, StoreError> {
    match report {
        AuditReport::Intact { entries, .. } => Ok(entries),
        AuditReport::Broken(broken) => Err(StoreError::Startup(format!(
            "the audit log of {what} is broken at seq {}: {}",
            broken.seq, broken.reason
        ))),
    }
}

/// Refuses a schema that this version does not know, one that is none, and one that somebody changed.
fn known_schema(sql: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let no_backup = |why: &str| StoreError::Startup(format!("{} is no backup: {why}", path.display()));
    match migrations::version(sql) {
        Err(error) => Err(no_backup(&error.to_string())),
        Ok(0) => Err(no_backup("it holds no memory")),
        Ok(version) => refuse_newer(version).and_then(|_| migrations::refuse_foreign(sql)),
    }
}
