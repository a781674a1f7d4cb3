//! What the project measures itself with: `svc-lab eval`, how well a model keeps a memory, and `svc-lab bench`, how fast
//! the service is on this machine. Nothing that users run needs it.

mod bench;
mod bench_command;
mod error;
mod eval;
mod eval_command;

use clap::{Parser, Subcommand};
use error::LabError;
use std::process::ExitCode;
use svc::settings::{self, Settings};
use svc::startup::{self, StartupError};

/// Measures a memory: how well a model keeps it, and how fast the service is.
#[derive(Parser)]
#[command(name = "svc-lab", version, max_term_width = 80)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure how well the configured model keeps a memory, in a database of its own.
    Eval(eval_command::Command),
    /// Measure how fast the service is on this machine, with servers and a database of its own.
    Bench(bench_command::Command),
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => startup::refuse("svc-lab", &error),
    }
}

fn run(command: Command) -> Result<(), LabError> {
    let mut out = std::io::stdout();
    match command {
        Command::Eval(command) => {
            let settings = Settings::from_environment().map_err(StartupError::from)?;
            svc::logging::start(settings.log);
            settings.warn_of_unknown();
            let runtime = tokio::runtime::Runtime::new()?;
            startup::block_on(&runtime, command.run(settings::environment(), &mut out))
        }
        Command::Bench(command) => command.run(&mut out),
    }
}
