//! A connection together with the keys that open what it reads. Reads and writes share the queries written on it.

use crate::StoreError;
use crate::secrets::Secrets;
use rusqlite::{Connection, OptionalExtension, Params, Row};

pub(crate) struct Db<'a> {
    pub sql: &'a Connection,
    pub secrets: &'a Secrets,
}

impl Db<'_> {
    pub fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.sql.prepare_cached(sql)?.query_row(params, read).optional()?)
    }

    pub fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.sql.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok(found)
    }

    pub fn run(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        Ok(self.sql.prepare_cached(sql)?.execute(params)?)
    }
}
