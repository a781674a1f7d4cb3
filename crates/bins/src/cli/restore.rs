//! Restoring a backup, and the operator's word that a database was restored.

use super::CliError;
use super::progress::Progress;
use crate::settings::Settings;
use crate::startup::{self, StartupError};
use clap::Args;
use domain::{Caller, Identity, Timestamp, counted};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use store::{Call, LeftOut, Missing, Replace, Store, StoreError, restore};

/// Put the deployment back to what a backup holds, or confirm that it was restored.
///
/// Stop the service first. The keys that the backup was made with must be in place. A backup that does not fit is
/// refused before anything is changed. Users whose key was destroyed since, by delete_all, and principals that were
/// revoked since do not come back: the command names them.
///
/// A restored audit log is shorter than the head that is kept outside the database, and verify_audit says BROKEN until
/// you confirm the restoration with --confirm. This signs a note of what is missing, which verify_audit shows from then
/// on. Without FILE it confirms a database that was restored in another way, such as with pg_restore, or that the head
/// file or the file of a witness was lost. Files of witnesses begin anew; a witness over HTTP has to be told on its host to
/// forget the log.
#[derive(Debug, Args)]
pub struct Command {
    /// The backup.
    #[arg(required_unless_present = "confirm")]
    file: Option<PathBuf>,
    /// Replace the existing deployment.
    #[arg(long, requires = "file")]
    force: bool,
    /// Confirm what is missing, and give the reason.
    #[arg(long, value_name = "REASON")]
    confirm: Option<String>,
}

pub(super) fn replace(force: bool) -> Replace {
    if force { Replace::Yes } else { Replace::No }
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let reason = self.confirm.as_deref().map(str::trim);
        if reason.is_some_and(str::is_empty) {
            return Err(CliError::Refused("--confirm takes the reason for the restoration".to_owned()));
        }
        if let Some(file) = &self.file {
            settings.database_file.make_folder().map_err(StartupError::from)?;
            let mut progress = Progress::on_stderr();
            let mut watch = |step| progress.show(step);
            let now = Timestamp::now();
            let restored = restore(&settings.storage, file, replace(self.force), now, &mut watch)
                .await
                .map_err(StartupError::from)?;
            writeln!(
                out,
                "Restored {}: {}, verified.",
                file.display(),
                counted(restored.entries, "audit entry", "audit entries")
            )?;
            tell_left_out(&restored.left_out, out)?;
        }
        match reason {
            None => report(&startup::store(settings.storage, settings.witnesses).await?, out).await,
            Some(reason) => {
                // Without a file there must be something to confirm; after a restoration there need not be.
                let store = startup::store(settings.storage, settings.witnesses).await?;
                let found = confirm(&store, reason, out).await?;
                if found || self.file.is_some() {
                    return Ok(());
                }
                Err(CliError::Refused(
                    "nothing is missing: the log contains the head kept outside it, so there is nothing to confirm"
                        .to_owned(),
                ))
            }
        }
    }
}

/// Says who does not come back.
fn tell_left_out(left_out: &LeftOut, out: &mut impl Write) -> Result<(), CliError> {
    for (tenant, user) in &left_out.users {
        writeln!(
            out,
            "Left out: everything of user '{user}' in tenant '{tenant}', whose key was destroyed."
        )?;
    }
    for id in &left_out.principals {
        writeln!(out, "Left out: principal {id}, which was revoked.")?;
    }
    for id in &left_out.keyless {
        writeln!(
            out,
            "Left out: the API key of principal {id}, which was replaced; svc principal rotate {id} gives it another."
        )?;
    }
    Ok(())
}

fn failed(error: StoreError) -> CliError {
    CliError::Startup(StartupError::from(error))
}

async fn report(store: &Store, out: &mut impl Write) -> Result<(), CliError> {
    let Some(missing) = store.restoration_missing().await.map_err(failed)? else {
        return Ok(());
    };
    let and = if missing.is_head_file_alone() { "" } else { " What these calls did is missing too." };
    writeln!(out, "{}.{and}", told(&missing))?;
    writeln!(out, "verify_audit says BROKEN until you confirm that: svc restore --confirm REASON")?;
    Ok(())
}

/// Whether anything was missing.
async fn confirm(store: &Store, reason: &str, out: &mut impl Write) -> Result<bool, CliError> {
    const TIME: Duration = Duration::from_secs(60);
    let caller = Caller::new(Identity::Local, "svc".to_owned(), Timestamp::now(), Instant::now() + TIME);
    let call = Call::new(caller, "restored", None);
    let missing = store.restoration_confirm(call, reason.to_owned()).await.map_err(failed)?;
    if let Some(missing) = &missing {
        writeln!(out, "{}. Confirmed: {reason}", told(missing))?;
    }
    let begun = store.witnesses_begin().await.map_err(failed)?;
    for witness in &begun {
        writeln!(out, "Witness {witness} was gone, and begins anew with this log.")?;
    }
    for witnessed in store.witnesses_ask().await {
        writeln!(out, "{witnessed}.")?;
    }
    Ok(missing.is_some() || !begun.is_empty())
}

fn told(missing: &Missing) -> String {
    let (first, last) = (missing.first(), missing.last());
    if missing.is_head_file_alone() {
        return format!(
            "The head file is gone, and nothing outside the database vouches for its {last} audit entries"
        );
    }
    match missing.signed {
        Some(signed) => {
            format!("Entries {first} to {last} of the audit log are missing; the last was signed at {signed}")
        }
        None => format!("Entries {first} to {last} of the audit log are missing, by the word of a witness"),
    }
}
