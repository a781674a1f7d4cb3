//! Moving a SQLite deployment up to PostgreSQL.

use super::{secrets_of, shared_keys, verified_there};
use crate::StoreError;
use crate::copy::{Replace, SqliteRows, Step, Target, Watcher, into_postgres};
use crate::postgres::PostgresSettings;
use crate::rows::deployment::{self, ENCRYPTION, HEAD};
use crate::sqlite::{SqliteSettings, connection, migrations};
use domain::Timestamp;
use evidence::{Head, Signed};
use secrecy::SecretString;

#[derive(Debug)]
pub enum Moved {
    /// Everything is on the other side, where the audit log verifies.
    Whole { entries: u64 },
    /// The source was written to meanwhile, and the copy lacks so many entries of the audit log and what they did.
    Behind { entries: u64 },
}

/// Copies the deployment; what an interrupted copy has brought is not copied twice.
pub async fn migrate_to(
    settings: &SqliteSettings,
    url: &SecretString,
    now: Timestamp,
    watch: Watcher<'_>,
) -> Result<Moved, StoreError> {
    if !settings.path.exists() {
        return Err(StoreError::Startup(format!(
            "there is no database at {}; name the one to move with SVC_DB",
            settings.path.display()
        )));
    }
    let keys = settings.keys();
    migrations::upgrade(&settings.path, &now.to_string())?;
    let mut connection = connection::open(&settings.path, None)?;
    let source = SqliteRows::of(&mut connection)?;
    let held = source.deployment()?;
    if !held.contains_key(ENCRYPTION) {
        return Err(StoreError::Startup(format!("{} holds no deployment", settings.path.display())));
    }
    secrets_of(&keys, &held).await?;
    let head = held.get(HEAD).cloned().unwrap_or_default();
    let (target, beginning) = Target::begin(url, &head, Replace::No, now).await?;
    watch(Step::Begins(beginning));
    into_postgres(&source, &target, watch).await?;
    for (name, text) in shared_keys(&keys)? {
        target.set(name, &text).await?;
    }
    let SqliteSettings { path, keys, encrypt, sign, .. } = settings.clone();
    let there = PostgresSettings { url: url.clone(), beside: path, keys, encrypt, sign };
    let entries = verified_there(there, now).await?;
    drop(source);
    // Held until the copy is declared whole: an entry that came in between would be missing from it, and not counted.
    let held = SqliteRows::held(&mut connection)?;
    let by_now = held.deployment()?.remove(HEAD).unwrap_or_default();
    let behind = size(&by_now)?.saturating_sub(size(&head)?);
    if behind > 0 {
        // The database stays marked as half copied: nobody takes it for the whole, and the next run begins anew.
        return Ok(Moved::Behind { entries: behind });
    }
    target.finish().await?;
    drop(held);
    Ok(Moved::Whole { entries })
}

/// How many entries a log with this head has.
fn size(head: &[u8]) -> Result<u64, StoreError> {
    let head: Option<Signed<Head>> = deployment::signed((!head.is_empty()).then_some(head))?;
    Ok(head.map_or(0, |head| head.statement.at.size))
}
