//! The commands of `svc`, for the person who runs the deployment.

pub mod audit;
pub mod backup;
pub mod connect;
pub mod console;
pub mod demo;
mod error;
pub mod export;
pub mod fsck;
pub mod graph;
pub mod head;
pub mod import;
pub mod keys;
pub mod license;
pub mod migrate_to;
pub mod principal;
mod progress;
pub mod prompt;
pub mod restore;
mod session;
pub mod tell;
pub mod verify;
mod wait_notice;
mod whose;
pub mod witness;

pub use error::CliError;
