//! The store on SQLite: one file, any number of processes.

mod audit_verify;
mod chain;
pub(crate) mod connection;
mod counters;
pub(crate) mod db;
mod engine;
pub(crate) mod migrations;
mod open;
pub(crate) mod pages;
mod readers;
mod settle;
mod touched;
mod tx;
pub(crate) mod user_keys;
mod writer;

pub use connection::Meter;
pub(crate) use engine::Sqlite;
pub use open::SqliteSettings;
pub(crate) use touched::watch;
pub(crate) use tx::SqliteTx;
