//! The database itself, as somebody with all rights to it could change and read it: one way for both engines.

use super::Engine;
use futures_util::StreamExt;
use rusqlite::types::Value;
use samples::postgres::{connect, told, wait};
use std::path::Path;
use std::sync::Arc;
use tokio_postgres::types::Type;

/// One connection. It ends with the value.
pub enum Sql {
    Sqlite(rusqlite::Connection),
    Postgres(Arc<tokio_postgres::Client>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Sql {
    pub fn open_file(path: &Path) -> Self {
        let sql = rusqlite::Connection::open(path).unwrap();
        sql.busy_timeout(super::PATIENCE).unwrap();
        sql.pragma_update(None, "synchronous", "OFF").unwrap();
        Self::Sqlite(sql)
    }

    pub fn connect(url: String) -> Self {
        let client = wait(async move { connect(&url).await.map_err(|error| told(&error)) });
        Self::Postgres(Arc::new(client.unwrap()))
    }

    /// Any number of statements, each of which must be taken.
    pub fn run(&self, statements: &str) {
        match self {
            Self::Sqlite(sql) => sql.execute_batch(statements).unwrap(),
            Self::Postgres(client) => {
                let (client, text) = (client.clone(), statements.to_owned());
                let done =
                    wait(async move { client.batch_execute(&text).await.map_err(|error| told(&error)) });
                done.unwrap_or_else(|error| panic!("{statements}: {error}"));
            }
        }
    }

    /// How many rows one statement changed, or why it was refused.
    pub fn attempt(&self, statement: &str) -> Result<u64, String> {
        match self {
            Self::Sqlite(sql) => {
                sql.execute(statement, []).map(|n| n as u64).map_err(|error| error.to_string())
            }
            Self::Postgres(client) => {
                let (client, text) = (client.clone(), statement.to_owned());
                wait(async move { client.execute(&text, &[]).await.map_err(|error| told(&error)) })
            }
        }
    }

    pub fn change(&self, statement: &str) -> u64 {
        self.attempt(statement).unwrap_or_else(|error| panic!("{statement}: {error}"))
    }

    pub fn rows(&self, query: &str) -> Vec<Vec<Cell>> {
        match self {
            Self::Sqlite(sql) => {
                let mut query = sql.prepare(query).unwrap();
                let width = query.column_count();
                let rows = query
                    .query_map([], |row| (0..width).map(|at| Ok(row.get::<_, Value>(at)?.into())).collect());
                rows.unwrap().map(Result::unwrap).collect()
            }
            Self::Postgres(client) => {
                let (client, text) = (client.clone(), query.to_owned());
                let rows = wait(async move { client.query(&text, &[]).await.map_err(|error| told(&error)) });
                let rows = rows.unwrap_or_else(|error| panic!("{query}: {error}"));
                rows.iter().map(|row| (0..row.len()).map(|at| read(row, at)).collect()).collect()
            }
        }
    }

    /// All that each table of a PostgreSQL database holds, as bytes.
    pub fn contents(&self) -> Vec<Vec<u8>> {
        let Self::Postgres(client) = self else { panic!("the contents of SQLite are a file") };
        let tables = self.rows("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'");
        let copy = |table: &Vec<Cell>| {
            let (client, copy) =
                (client.clone(), format!("COPY {} TO STDOUT (FORMAT binary)", table[0].text()));
            wait(async move {
                let mut rows = Box::pin(client.copy_out(&copy).await.unwrap());
                let mut bytes = Vec::new();
                while let Some(row) = rows.next().await {
                    bytes.extend_from_slice(&row.unwrap());
                }
                bytes
            })
        };
        tables.iter().map(copy).collect()
    }

    /// The one value that the query finds.
    pub fn cell(&self, query: &str) -> Cell {
        match self.rows(query).as_slice() {
            [row] if row.len() == 1 => row[0].clone(),
            other => panic!("{query}: {other:?}"),
        }
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(number),
            Value::Text(text) => Self::Text(text),
            Value::Blob(bytes) => Self::Bytes(bytes),
            Value::Real(number) => panic!("no column holds a number such as {number}"),
        }
    }
}

fn read(row: &tokio_postgres::Row, at: usize) -> Cell {
    let cell = match *row.columns()[at].type_() {
        Type::INT8 => row.get::<_, Option<i64>>(at).map(Cell::Integer),
        Type::INT4 => row.get::<_, Option<i32>>(at).map(|number| Cell::Integer(number.into())),
        Type::INT2 => row.get::<_, Option<i16>>(at).map(|number| Cell::Integer(number.into())),
        Type::BOOL => row.get::<_, Option<bool>>(at).map(|is| Cell::Integer(is.into())),
        Type::BYTEA => row.get::<_, Option<Vec<u8>>>(at).map(Cell::Bytes),
        _ => row.get::<_, Option<String>>(at).map(Cell::Text),
    };
    cell.unwrap_or(Cell::Null)
}

impl Cell {
    /// As it is written in a statement.
    pub fn literal(&self) -> String {
        match self {
            Self::Null => "NULL".to_owned(),
            Self::Integer(number) => format!("({number})"),
            Self::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Self::Bytes(bytes) => blob(bytes),
        }
    }

    pub fn integer(&self) -> i64 {
        let Self::Integer(number) = self else { panic!("{self:?} is no number") };
        *number
    }

    pub fn text(&self) -> &str {
        let Self::Text(text) = self else { panic!("{self:?} is no text") };
        text
    }

    pub fn bytes(&self) -> &[u8] {
        let Self::Bytes(bytes) = self else { panic!("{self:?} is no bytes") };
        bytes
    }
}

/// Bytes as they are written in a statement.
pub fn blob(bytes: &[u8]) -> String {
    match crate::ENGINE {
        Engine::Sqlite => format!("x'{}'", hex::encode(bytes)),
        Engine::Postgres => format!(r"'\x{}'::bytea", hex::encode(bytes)),
    }
}
