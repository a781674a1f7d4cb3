//! One row of a batch, read by the names of its columns.

use super::batch::Batch;
use crate::StoreError;
use crate::sql::{Cell, Cells, FromRow};
use rusqlite::types::{Value, ValueRef};

type StoreResult<T> = Result<T, StoreError>;

/// One row of a batch.
#[derive(Clone, Copy)]
pub(crate) struct TableRow<'b> {
    pub batch: &'b Batch,
    pub at: usize,
}

impl TableRow<'_> {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.batch.value(column, self.at)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.batch.table.columns.iter().position(|(column, _)| *column == name)
    }

    /// The value of a column by its name.
    pub fn get<T: Cell>(&self, name: &str) -> StoreResult<T> {
        Picked { row: *self, places: vec![self.place(name)] }.cell(0)
    }

    /// Reads the columns that a query would name so.
    pub fn read<T: FromRow>(&self, columns: &str) -> StoreResult<T> {
        let name = |column: &str| {
            let column = column.trim();
            self.place(column.split_once('.').map_or(column, |(_, name)| name))
        };
        T::from_row(&Picked { row: *self, places: columns.split(',').map(name).collect() })
    }

    pub fn key(&self) -> Vec<Value> {
        let columns = self.batch.columns.iter().take(self.batch.table.key);
        columns.map(|column| column.owned(self.at).unwrap_or(Value::Null)).collect()
    }
}

/// Some columns of a row, in the order in which they are asked for.
struct Picked<'b> {
    row: TableRow<'b>,
    places: Vec<Option<usize>>,
}

impl Cells for Picked<'_> {
    fn cell<T: Cell>(&self, at: usize) -> StoreResult<T> {
        let place = self.places.get(at).copied().flatten();
        let value = place.map_or(ValueRef::Null, |place| self.row.value(place));
        T::column_result(value).map_err(|e| StoreError::corrupt("a column", e))
    }
}
