//! The operator's command line.

use clap::{Parser, Subcommand};
use domain::Timestamp;
use std::process::ExitCode;
use svc::cli::{CliError, eval, license, principal};
use svc::settings::Settings;
use svc::startup::{self, StartupError};

/// Looks after a deployment of the memory service: principals, licences, and how good its model is.
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
    /// Measure how well the configured model keeps a memory, on a database of its own.
    Eval(eval::Command),
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
    match command {
        Command::License(command) => command.run(Timestamp::now(), &mut out),
        Command::Principal(command) => {
            let settings = Settings::from_environment().map_err(StartupError::from)?;
            svc::logging::start(settings.log);
            let runtime = tokio::runtime::Runtime::new().map_err(StartupError::from)?;
            runtime.block_on(command.run(settings, &mut out))
        }
        Command::Eval(command) => {
            let settings = Settings::from_environment().map_err(StartupError::from)?;
            svc::logging::start(settings.log);
            let runtime = tokio::runtime::Runtime::new().map_err(StartupError::from)?;
            runtime.block_on(command.run(svc::settings::environment(), &mut out))
        }
    }
}
