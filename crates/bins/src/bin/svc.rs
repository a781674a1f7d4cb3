//! The operator's command line.

use clap::{Parser, Subcommand};
use domain::Timestamp;
use std::process::ExitCode;
use svc::cli::{CliError, backup, license, migrate_to, principal, restore};
use svc::settings::Settings;
use svc::startup::{self, StartupError};

/// Looks after a deployment of the memory service: principals, licences, backups, and moving it to PostgreSQL.
///
/// Settings are the environment variables of the service itself; SVC_DB names the database file (svc.db).
#[derive(Parser)]
#[command(name = "svc", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make, list and revoke principals and their API keys.
    #[command(subcommand)]
    Principal(principal::Command),
    /// Make and read licences.
    #[command(subcommand)]
    License(license::Command),
    MigrateTo(migrate_to::Command),
    Backup(backup::Command),
    Restore(restore::Command),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => startup::refuse("svc", &error),
    }
}

fn run(command: Command) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    if let Command::License(command) = command {
        return command.run(Timestamp::now(), &mut out);
    }
    let settings = Settings::from_environment().map_err(StartupError::from)?;
    svc::logging::start(settings.log);
    let runtime = tokio::runtime::Runtime::new().map_err(StartupError::from)?;
    runtime.block_on(async {
        match command {
            Command::License(_) => Ok(()),
            Command::Principal(command) => command.run(settings, &mut out).await,
            Command::MigrateTo(command) => command.run(settings, &mut out).await,
            Command::Backup(command) => command.run(settings, &mut out).await,
            Command::Restore(command) => command.run(settings, &mut out).await,
        }
    })
}
