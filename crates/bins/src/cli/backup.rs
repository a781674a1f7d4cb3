//! Writing a backup.

use super::CliError;
use super::progress::Progress;
use super::restore::replace;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::Args;
use domain::{Timestamp, counted};
use std::io::Write;
use std::path::PathBuf;
use store::backup;

/// Write a backup of the deployment to a file. The service may keep running.
///
/// The backup is one file with everything as it was at one moment, checked before it gets its name. What is encrypted
/// in the database is encrypted in the backup. The keys are not in it: keep them safe too.
#[derive(Debug, Args)]
pub struct Command {
    /// Where the backup goes.
    file: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let mut progress = Progress::on_stderr();
        let mut watch = |step| progress.show(step);
        let (storage, file) = (settings.storage, &self.file);
        let made = backup(&storage, file, replace(self.force), Timestamp::now(), &mut watch)
            .await
            .map_err(StartupError::from)?;
        writeln!(
            out,
            "Backed up to {}: {}, verified.",
            file.display(),
            counted(made.entries, "audit entry", "audit entries")
        )?;
        if !made.keys_are_files {
            writeln!(
                out,
                "Keep the passphrase, or the keys in Vault, safe too: the backup is useless without them."
            )?;
        }
        if made.key_files.is_empty() {
            return Ok(());
        }
        writeln!(out, "Keep these safe too. They are not in the backup, and it is useless without them:")?;
        for file in made.key_files {
            writeln!(out, "  {}", file.display())?;
        }
        Ok(())
    }
}
