//! Shows and applies schema migrations.

use crate::settings::Settings;
use crate::startup::{self, StartupError};
use clap::{Parser, Subcommand};
use domain::Timestamp;
use std::io::{self, Write};
use std::process::ExitCode;
use store::Schema;

/// Shows or applies the migrations of the database that SVC_DATABASE_URL or SVC_DB names.
#[derive(Parser)]
#[command(name = "svc-migrate", version, max_term_width = 80)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the version of the schema and what is pending; changes nothing.
    Status,
    /// Apply what is pending.
    Up,
}

pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => startup::refuse("svc-migrate", &error),
    }
}

fn run(command: &Command) -> Result<(), StartupError> {
    let Settings { database_file, storage, .. } = Settings::from_environment()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut out = io::stdout().lock();
    match command {
        Command::Status => {
            let schema = runtime.block_on(Schema::of(&storage))?;
            writeln!(out, "schema: v{} (this svc-migrate: v{})", schema.version, schema.known)?;
            for (version, name) in &schema.pending {
                writeln!(out, "PENDING v{version}: {name}")?;
            }
        }
        Command::Up => {
            database_file.make_folder()?;
            let applied = runtime.block_on(Schema::migrate(&storage, Timestamp::now()))?;
            if applied.is_empty() {
                writeln!(out, "nothing to do: the schema is current")?;
            }
            for version in applied {
                writeln!(out, "applied v{version}")?;
            }
        }
    }
    Ok(())
}
