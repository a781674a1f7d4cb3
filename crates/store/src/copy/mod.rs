//! Copying every row of a deployment from one database to another, byte for byte: both engines have the same tables
//! and columns, and what is sealed opens under the same keys wherever it stands.

mod batch;
mod from_postgres;
mod from_sqlite;
mod run;
mod tables;
mod to_postgres;
mod to_sqlite;

pub(crate) use batch::{Batch, Key};
pub(crate) use from_postgres::PostgresRows;
pub(crate) use from_sqlite::SqliteRows;
pub(crate) use run::{into_postgres, into_sqlite};
pub(crate) use tables::{TABLES, Table};
pub(crate) use to_postgres::Target;
pub use to_postgres::{Beginning, Replace};
pub(crate) use to_sqlite::SqliteFile;

/// What there is to say while a copy is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Begins(Beginning),
    /// How far the copy of one table has come, in rows.
    Copied {
        table: &'static str,
        done: u64,
        total: u64,
    },
}

/// Hears of every step.
pub type Watcher<'a> = &'a mut (dyn FnMut(Step) + Send);

/// Rows that are read, sent and committed together: large enough that the round trips do not count, small enough that
/// an interruption costs little.
pub(crate) const BATCH: usize = 500;
