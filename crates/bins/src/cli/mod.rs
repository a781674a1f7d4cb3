//! The commands of `svc`, for the person who runs the deployment.

pub mod backup;
pub mod connect;
pub mod demo;
pub mod eval;
pub mod license;
pub mod migrate_to;
mod patience;
pub mod principal;
mod progress;
pub mod prompt;
pub mod restore;
mod session;
pub mod tell;

use crate::startup::StartupError;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error("{0}")]
    Startup(#[from] StartupError),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Connect(#[from] connect::Fault),
    #[error("cannot write: {0}")]
    Output(#[from] std::io::Error),
}
