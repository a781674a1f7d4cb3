//! Moving a SQLite deployment up to PostgreSQL.

use super::CliError;
use super::progress::Progress;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::Args;
use domain::{Timestamp, counted};
use secrecy::SecretString;
use std::io::Write;
use store::{Moved, SqliteSettings, StoreError, StoreSettings, migrate_to};

/// Copy the SQLite deployment that SVC_DB names to a PostgreSQL database.
///
/// Everything is copied: facts and their history, decisions, receipts, the audit log, principals, counters. Keys stay
/// where they are. The source is only read. Stop the service first: calls that are made during the copy would be missing
/// from it, and the command fails. After an interruption run it again: it goes on where it stopped.
#[derive(Debug, Args)]
pub struct Command {
    /// The PostgreSQL database, which must be empty: postgresql://user:password@host:port/database
    url: String,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let StoreSettings::Sqlite(source) = settings.storage else {
            return Err(CliError::Refused(
                "SVC_DATABASE_URL is set, so this deployment is in PostgreSQL already; unset it to move the one that \
                 SVC_DB names"
                    .to_owned(),
            ));
        };
        let url = SecretString::from(self.url);
        let mut progress = Progress::on_stderr();
        let mut watch = |step| progress.show(step);
        let moved = migrate_to(&source, &url, Timestamp::now(), &mut watch).await.map_err(of_the_address)?;
        match moved {
            Moved::Whole { entries } => tell(&source, entries, out),
            Moved::Behind { entries } => Err(CliError::Refused(format!(
                "{entries} calls were made on {} during the copy and are missing from it; stop the service and run \
                 migrate-to again, which starts over",
                source.path.display()
            ))),
        }
    }
}

/// The address was given here, and not by the setting that usually names it.
fn of_the_address(error: StoreError) -> CliError {
    match error {
        StoreError::Startup(text) => CliError::Refused(text.replace("SVC_DATABASE_URL", "the address")),
        other => StartupError::from(other).into(),
    }
}

fn tell(source: &SqliteSettings, entries: u64, out: &mut impl Write) -> Result<(), CliError> {
    let path = source.path.display();
    writeln!(
        out,
        "Copied. The audit chain verifies on the other side: {}.",
        counted(entries, "entry", "entries")
    )?;
    writeln!(
        out,
        "Now set SVC_DATABASE_URL to that address, and leave SVC_DB={path} as it is: next to it this host"
    )?;
    writeln!(out, "keeps its keys and its head of the audit log. The file {path} itself is no longer used.")?;
    Ok(())
}
