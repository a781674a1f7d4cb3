//! The memory service for one local client, over standard input and output.

use crate::settings::Settings;
use crate::startup::{self, StartupError};
use clap::Parser;
use domain::Identity;
use std::process::ExitCode;

/// A memory for AI agents, as an MCP server over standard input and output.
///
/// Settings are environment variables. The most useful ones: SVC_DB names the database file (svc.db in the current
/// folder if there is one, otherwise svc/svc.db in your data folder); OPENAI_API_KEY, ANTHROPIC_API_KEY or GROQ_API_KEY
/// choose the language model, and OPENAI_BASE_URL any compatible endpoint; SVC_SLOT_SCHEMA=preset:coding declares what
/// to keep track of. docs/settings.md lists them all.
#[derive(Parser)]
#[command(name = "svc-mcp", version, max_term_width = 80)]
struct Arguments {}

pub fn main() -> ExitCode {
    let Arguments {} = Arguments::parse();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => startup::refuse("svc-mcp", &error),
    }
}

fn run() -> Result<(), StartupError> {
    let settings = Settings::from_environment()?;
    crate::logging::start(settings.log);
    settings.warn_of_unknown();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = startup::block_on(&runtime, async {
        let identity = if settings.auth_required { Identity::Anonymous } else { Identity::Local };
        let service = startup::service(settings).await?;
        edge::stdio::serve(service.clone(), identity, tokio::io::stdin(), tokio::io::stdout()).await?;
        service.end().await;
        Ok(())
    });
    // What is still running is dropped, and with it the store, which closes the database. A read of standard input
    // cannot be interrupted; the process does not wait long for it.
    runtime.shutdown_timeout(startup::CLOSING);
    served
}
