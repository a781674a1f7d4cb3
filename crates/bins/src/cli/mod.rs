//! The commands of `svc`, for the person who runs the deployment.

<<<<<<< HEAD
pub mod backup;
pub mod eval;
=======
pub mod connect;
pub mod demo;
>>>>>>> clients
pub mod license;
pub mod migrate_to;
pub mod principal;
<<<<<<< HEAD
mod progress;
pub mod restore;
=======
pub mod prompt;
mod session;
>>>>>>> clients

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
