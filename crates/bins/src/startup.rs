//! From settings to a running service.

use crate::settings::{Settings, SettingsError};
use domain::{Fault, Timestamp};
use model::Models;
use service::Service;
use std::time::Duration;
use store::{Store, StoreError};

#[derive(Debug, thiserror::Error)]
pub enum StartupError {
    #[error("{0}")]
    Settings(#[from] SettingsError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Model(#[from] Fault),
    #[error("cannot start: {0}")]
    Io(#[from] std::io::Error),
}

/// How long the end of the process waits for what it has told to stop.
pub const CLOSING: Duration = Duration::from_secs(2);

/// Opens the store and puts the service together. Must be called within a Tokio runtime.
pub async fn service(settings: Settings) -> Result<Service, StartupError> {
    let models = Models::new(settings.models.chat, settings.models.embed)?;
    let store = Store::open(settings.storage, Timestamp::now()).await?;
    Ok(Service::new(store, models, settings.options))
}

/// Says why the program does not start, and ends it.
pub fn refuse(program: &str, error: &dyn std::error::Error) -> std::process::ExitCode {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{program}: {error}");
    std::process::ExitCode::FAILURE
}
