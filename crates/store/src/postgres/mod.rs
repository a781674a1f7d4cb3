//! The store on PostgreSQL: one database, any number of processes on any number of hosts.

mod address;
mod audit_verify;
mod chain;
mod counters;
mod db;
mod engine;
mod fault;
mod job;
mod known;
mod lane;
pub(crate) mod migrations;
mod numbers;
mod open;
mod pool;
mod shared;
mod touched;
mod tx;
mod user_keys;
mod view;
mod waited;
mod walls;
mod witness;

pub(crate) use address::Address;
pub(crate) use engine::Postgres;
pub use open::PostgresSettings;
pub(crate) use open::{deployment_rows, fit_for_use};
pub(crate) use pool::Contents;
pub(crate) use walls::walled;
