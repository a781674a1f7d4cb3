//! Copying every row of a deployment from one database to another, byte for byte: both engines have the same tables
//! and columns, and what is sealed opens under the same keys wherever it is.

mod batch;
mod from_postgres;
mod from_sqlite;
mod run;
mod step;
mod table_row;
mod tables;
mod to_postgres;
mod to_sqlite;

pub(crate) use batch::{BATCH, Batch};
pub(crate) use from_postgres::{PostgresRows, page as postgres_page};
pub(crate) use from_sqlite::{SqliteRows, numbered as sqlite_rows, page as sqlite_page};
pub(crate) use run::{into_postgres, into_sqlite};
pub use step::{Step, Watcher};
pub(crate) use table_row::TableRow;
pub(crate) use tables::{ColumnType, Divided, Key, STORAGE_USE, TABLES, Table};
pub(crate) use to_postgres::Target;
pub use to_postgres::{Beginning, Replace};
pub(crate) use to_sqlite::SqliteFile;
