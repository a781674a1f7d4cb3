//! The command line: a prompt, a demo, connecting clients, and looking after a deployment.

use crate::cli::{
    CliError, audit, backup, connect, console, demo, export, fsck, graph, head, import, keys, license,
    migrate_to, principal, prompt, restore, tell, verify, witness,
};
use crate::line_wrap::WrappedOutput;
use crate::settings::{LogLevel, LogSettings, Settings};
use crate::startup::{self, StartupError};
use clap::{Parser, Subcommand};
use domain::Timestamp;
use std::future::Future;
use std::io::Write;
use std::process::ExitCode;

/// A memory for AI agents. Without a command it opens a prompt on the memory.
///
/// Settings are the environment variables of the service itself. SVC_DB names the database file; the default is svc.db
/// in the current folder if there is one, and otherwise svc/svc.db in your data folder.
#[derive(Parser)]
#[command(name = "svc", version, max_term_width = 80)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Tell(tell::Command),
    /// Show in half a minute what the memory does, in a database of its own.
    Demo(demo::Command),
    /// Show or write the configuration that connects a client: Claude Code, Cursor, VS Code and others.
    Connect(connect::Command),
    Console(console::Command),
    Import(import::Command),
    Export(export::Command),
    /// Make, list, rotate and revoke principals and their API keys.
    #[command(subcommand)]
    Principal(principal::Command),
    /// Make and read licences.
    #[command(subcommand)]
    License(license::Command),
    /// Look after the entity graph in Neo4j.
    #[command(subcommand)]
    Graph(graph::Command),
    Backup(backup::Command),
    Restore(restore::Command),
    MigrateTo(migrate_to::Command),
    /// Show and rotate the keys of the deployment.
    Keys(keys::Command),
    Fsck(fsck::Command),
    Head(head::Command),
    Verify(verify::Command),
    Witness(witness::Command),
    /// Take the audit log out, for others to check.
    #[command(subcommand)]
    Audit(audit::Command),
}

pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => startup::refuse("svc", &error),
    }
}

fn run(command: Option<Command>) -> Result<(), CliError> {
    let (mut out, mut unbroken) = (WrappedOutput::stdout(), std::io::stdout());
    let done = match command {
        None => within(prompt::run(settings()?, &mut out)),
        Some(Command::Tell(command)) => within(command.run(settings()?, &mut out, &mut unbroken)),
        Some(Command::Demo(command)) => within(command.run(&mut out)),
        // What it shows is to be copied as it is.
        Some(Command::Connect(command)) => command.run(&mut unbroken),
        // An address is to be copied as it is.
        Some(Command::Console(command)) => within(command.run(settings()?, &mut unbroken)),
        Some(Command::Import(command)) => within(command.run(settings()?, &mut unbroken)),
        Some(Command::Export(command)) => within(command.run(settings()?, &mut unbroken)),
        Some(Command::Principal(command)) => within(command.run(settings()?, &mut out)),
        Some(Command::License(command)) => command.run(Timestamp::now(), &mut out),
        Some(Command::Graph(command)) => within(command.run(settings()?, &mut out)),
        Some(Command::Backup(command)) => within(command.run(settings()?, &mut out)),
        Some(Command::Restore(command)) => within(command.run(settings()?, &mut out)),
        Some(Command::MigrateTo(command)) => within(command.run(settings()?, &mut out)),
        // A history is to be kept as it is.
        Some(Command::Keys(command)) => within(command.run(settings()?, &mut unbroken)),
        Some(Command::Fsck(command)) => within(command.run(settings()?, &mut unbroken)),
        // A checkpoint is to be kept as it is.
        Some(Command::Head(command)) => within(command.run(settings()?, &mut unbroken)),
        Some(Command::Verify(command)) => match command.since() {
            Some(head) => within(head::since(settings()?, head, &mut unbroken)),
            None => command.run(&mut unbroken),
        },
        Some(Command::Witness(command)) => {
            settings()?;
            // It shows a setting, to be copied as it is.
            within(command.run(&mut unbroken))
        }
        Some(Command::Audit(command)) => within(command.run(settings()?, &mut out)),
    };
    out.flush()?;
    done
}

fn settings() -> Result<Settings, CliError> {
    let settings = Settings::from_environment().map_err(StartupError::from)?;
    // Warnings are for those who watch a service. A person at a terminal reads in the reply what went wrong.
    let level = match settings.log.level {
        LogLevel::Warning => LogLevel::Error,
        asked => asked,
    };
    crate::logging::start(LogSettings { level, ..settings.log });
    settings.warn_of_unknown();
    Ok(settings)
}

fn within(work: impl Future<Output = Result<(), CliError>>) -> Result<(), CliError> {
    startup::block_on(&tokio::runtime::Runtime::new().map_err(StartupError::from)?, work)
}
