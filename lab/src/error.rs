//! Why a measurement failed.

use svc::startup::StartupError;

#[derive(Debug, thiserror::Error)]
pub enum LabError {
    #[error("{0}")]
    Startup(#[from] StartupError),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    File(#[from] std::io::Error),
}
