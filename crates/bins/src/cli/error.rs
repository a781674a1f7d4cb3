//! Why a command failed.

use super::connect::Fault;
use crate::startup::StartupError;
use service::projection_work::ProjectionError;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error("{0}")]
    Startup(#[from] StartupError),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Connect(#[from] Fault),
    #[error("{0}")]
    Graph(#[from] ProjectionError),
    #[error("cannot write: {0}")]
    Output(#[from] std::io::Error),
}
