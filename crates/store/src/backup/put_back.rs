//! Restoring a backup. Whatever can refuse it does so before anything of the deployment that is there is touched.

use super::draft::Draft;
use super::kept_apart::KeptApart;
use super::make::vacuum_into;
use super::{known_schema, open_file, secrets_of, verified, verified_there};
use crate::StoreError;
use crate::call::Call;
use crate::copy::{Replace, SqliteRows, Step, Target, Watcher, into_postgres};
use crate::head_file::HeadFile;
use crate::postgres::PostgresSettings;
use crate::rows::deployment::{self, ENCRYPTION, HEAD};
use crate::script::Script;
use crate::scripts::left_out::{LeaveOut, LeftOut};
use crate::secrets::Secrets;
use crate::sqlite::db::at_once;
use crate::sqlite::{SqliteTx, migrations, watch as watch_rows};
use crate::store::StoreSettings;
use domain::{Caller, Identity, Timestamp};
use rusqlite::{Connection, ErrorCode};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Restored {
    /// Entries of the audit log, all of which verify.
    pub entries: u64,
    /// Who was not brought back.
    pub left_out: LeftOut,
}

/// Puts the deployment back to what the file holds. The service must not be running.
pub async fn restore(
    settings: &StoreSettings,
    file: &Path,
    replace: Replace,
    now: Timestamp,
    watch: Watcher<'_>,
) -> Result<Restored, StoreError> {
    if !file.is_file() {
        return Err(StoreError::Startup(format!("there is no file {}", file.display())));
    }
    let keys = settings.keys();
    if let StoreSettings::Sqlite(settings) = settings {
        refuse_deployment(&settings.path, replace)?;
    }
    // Where a deployment was before, a head file that is gone was lost, and only the operator's note begins it anew.
    let is_new_place = match settings {
        StoreSettings::Sqlite(settings) => !settings.path.exists(),
        StoreSettings::Postgres(_) => true,
    };
    let draft = draft_of(file, &keys.beside, now)?;
    let mut copy = open_file(draft.path())?;
    let held = SqliteRows::of(&mut copy)?.deployment()?;
    if !held.contains_key(ENCRYPTION) {
        return Err(StoreError::Startup(format!("{} is no backup: it holds no deployment", file.display())));
    }
    let mut secrets = secrets_of(&keys, &held).await?;
    let apart = KeptApart::of(settings).await?;
    secrets.users = apart.users(&secrets.sealer, &held)?;
    let entries = verified(&mut copy, &secrets, "the backup")?;
    let left_out = leave_out(&mut copy, &secrets, &apart, now)?;
    match settings {
        StoreSettings::Sqlite(settings) => {
            copy.close().map_err(|(_, error)| error)?;
            out_of_use(&settings.path)?;
            draft.put_in_place(&settings.path, Replace::Yes)?;
        }
        StoreSettings::Postgres(settings) => fill(settings, &mut copy, replace, now, watch).await?,
    }
    if is_new_place {
        let head = deployment::signed(held.get(HEAD).map(Vec::as_slice))?;
        let head_file = HeadFile::beside(&keys.beside);
        head_file.begin(head.as_ref(), now).map_err(|e| {
            StoreError::Startup(format!(
                "cannot write {}: {e}; check its permissions",
                head_file.path().display()
            ))
        })?;
    }
    Ok(Restored { entries, left_out })
}

/// Takes out of the copy what must not come back.
fn leave_out(
    copy: &mut Connection,
    secrets: &Secrets,
    apart: &KeptApart,
    now: Timestamp,
) -> Result<LeftOut, StoreError> {
    let caller = Caller::new(Identity::Local, "svc".to_owned(), now, Instant::now());
    let call = Call::new(caller, "restored", None);
    let script = LeaveOut { call, revoked: apart.revoked(secrets)? };
    watch_rows(copy)?;
    let mut tx = SqliteTx::begin(copy, secrets, None)?;
    let left_out = at_once(script.run(&mut tx))?;
    if !left_out.is_nothing() {
        tx.commit().map_err(|uncommitted| uncommitted.error)?;
    }
    Ok(left_out)
}

/// A copy of the backup in the schema of this version; the backup itself stays as it is.
fn draft_of(file: &Path, beside: &Path, now: Timestamp) -> Result<Draft, StoreError> {
    let draft = Draft::beside(beside)?;
    let mut source = open_file(file)?;
    known_schema(&mut source, file)?;
    vacuum_into(&source, draft.path())?;
    migrations::up(&mut open_file(draft.path())?, &now.to_string())?;
    Ok(draft)
}

async fn fill(
    settings: &PostgresSettings,
    copy: &mut Connection,
    replace: Replace,
    now: Timestamp,
    watch: Watcher<'_>,
) -> Result<(), StoreError> {
    let source = SqliteRows::of(copy)?;
    let head = source.deployment()?.remove(HEAD).unwrap_or_default();
    let (target, beginning) = Target::begin(&settings.url, &head, replace, now).await?;
    watch(Step::Begins(beginning));
    into_postgres(&source, &target, watch).await?;
    verified_there(settings.clone(), now).await?;
    target.finish().await
}

/// A file that holds no deployment yet, such as an empty one, is no loss.
fn refuse_deployment(path: &Path, replace: Replace) -> Result<(), StoreError> {
    if replace == Replace::Yes || !path.exists() {
        return Ok(());
    }
    let sql = open_file(path)?;
    let claimed = migrations::version(&sql)? > 0
        && sql.query_row("SELECT count(*) FROM deployment WHERE name = ?1", [ENCRYPTION], |row| {
            row.get::<_, i64>(0)
        })? > 0;
    if !claimed {
        return Ok(());
    }
    Err(StoreError::Startup(format!(
        "{} already holds a deployment; give --force to replace it",
        path.display()
    )))
}

/// Takes the database that is there out of use. SQLite gives up its write-ahead log only when nobody else has the file
/// open; what a process that has it open still wrote would be lost, or mixed into the new database.
fn out_of_use(path: &Path) -> Result<(), StoreError> {
    const WAIT: Duration = Duration::from_millis(500);
    if path.exists() {
        let sql = open_file(path)?;
        sql.busy_timeout(WAIT)?;
        let mode = sql.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0));
        match mode {
            Ok(mode) if mode == "delete" => {}
            // What is no database any more has nobody at work on it that this could hurt.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {}
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {}
            _ => {
                return Err(StoreError::Startup(format!(
                    "the service is running on {}; stop it first",
                    path.display()
                )));
            }
        }
    }
    for end in ["-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::Startup(format!(
                    "cannot remove {}: {error}",
                    Path::new(&name).display()
                )));
            }
            _ => {}
        }
    }
    Ok(())
}
