//! What a statement takes and what its rows hold, whichever engine runs it. A statement that both engines understand
//! alike is written once, with its parameters numbered `$1`, `$2` and so on.

use crate::StoreError;
use crate::seal::UserKeyId;
use domain::{DecisionId, EntryNumber, FactId, PrincipalId, ReceiptId, SpaceId, Status, Tenant, Timestamp};
use std::borrow::Cow;

/// A value that a statement takes, in the type of its column.
#[derive(Debug, Clone)]
pub(crate) enum Param<'a> {
    Text(Option<Cow<'a, str>>),
    Number(Option<i64>),
    Bytes(Option<Cow<'a, [u8]>>),
    Flag(bool),
}

impl Param<'_> {
    /// How many bytes it takes up, where it is bytes.
    pub fn bytes(&self) -> i64 {
        match self {
            Self::Bytes(Some(bytes)) => bytes.len() as i64,
            _ => 0,
        }
    }
}

/// The parameters of a statement, in the order of their numbers.
macro_rules! params {
    ($($value:expr),* $(,)?) => { [$($crate::sql::Param::from($value)),*] };
}
pub(crate) use params;

impl<'a> From<&'a str> for Param<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl<'a> From<&'a String> for Param<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl From<String> for Param<'_> {
    fn from(text: String) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl<'a> From<Option<&'a str>> for Param<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text.map(Into::into))
    }
}

impl From<Option<String>> for Param<'_> {
    fn from(text: Option<String>) -> Self {
        Self::Text(text.map(Into::into))
    }
}

impl<'a> From<&'a PrincipalId> for Param<'a> {
    fn from(id: &'a PrincipalId) -> Self {
        id.as_str().into()
    }
}

impl<'a> From<&'a Tenant> for Param<'a> {
    fn from(tenant: &'a Tenant) -> Self {
        tenant.as_str().into()
    }
}

impl From<i64> for Param<'_> {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<Option<i64>> for Param<'_> {
    fn from(number: Option<i64>) -> Self {
        Self::Number(number)
    }
}

macro_rules! ids {
    ($($id:ty),*) => {$(
        impl From<$id> for Param<'_> {
            fn from(id: $id) -> Self {
                id.0.into()
            }
        }
    )*};
}
ids!(DecisionId, EntryNumber, FactId, ReceiptId, SpaceId);

/// The bare numbers, for a statement that is run for each of them.
pub(crate) fn numbers<Id: Copy + Into<i64>>(ids: &[Id]) -> Vec<i64> {
    ids.iter().map(|id| (*id).into()).collect()
}

impl From<Timestamp> for Param<'_> {
    fn from(time: Timestamp) -> Self {
        time.as_microsecond().into()
    }
}

impl<'a> From<&'a [u8]> for Param<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Some(bytes.into()))
    }
}

impl<'a> From<&'a Vec<u8>> for Param<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        bytes.as_slice().into()
    }
}

impl From<Vec<u8>> for Param<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(Some(bytes.into()))
    }
}

impl From<[u8; 16]> for Param<'_> {
    fn from(bytes: [u8; 16]) -> Self {
        bytes.to_vec().into()
    }
}

impl<'a> From<Option<&'a [u8]>> for Param<'a> {
    fn from(bytes: Option<&'a [u8]>) -> Self {
        Self::Bytes(bytes.map(Into::into))
    }
}

impl From<Option<Vec<u8>>> for Param<'_> {
    fn from(bytes: Option<Vec<u8>>) -> Self {
        Self::Bytes(bytes.map(Into::into))
    }
}

impl From<UserKeyId> for Param<'_> {
    fn from(key: UserKeyId) -> Self {
        key.0.cast_signed().into()
    }
}

impl From<bool> for Param<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

/// A statement that writes, ready to be run.
pub(crate) struct RowWrite<'a> {
    pub sql: &'static str,
    pub params: Vec<Param<'a>>,
    /// The fact whose row it changes; that row must be there.
    pub changes: Option<FactId>,
}

impl<'a> RowWrite<'a> {
    pub fn new(sql: &'static str, params: impl Into<Vec<Param<'a>>>) -> Self {
        Self { sql, params: params.into(), changes: None }
    }

    pub fn check(&self, rows: u64) -> Result<(), StoreError> {
        match self.changes {
            Some(id) if rows != 1 => Err(StoreError::corrupt("a fact", format!("row {id} is gone"))),
            _ => Ok(()),
        }
    }
}

/// A type that a column of either engine can hold.
pub(crate) trait Cell:
    rusqlite::types::FromSql + for<'r> tokio_postgres::types::FromSql<'r> + Send
{
}

impl<T> Cell for T where T: rusqlite::types::FromSql + for<'r> tokio_postgres::types::FromSql<'r> + Send {}

/// A row as an engine gives it.
pub(crate) trait Cells {
    /// An error is a column of another type than we write.
    fn cell<T: Cell>(&self, at: usize) -> Result<T, StoreError>;
}

/// What a row is read into.
pub(crate) trait FromRow: Sized + Send {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError>;
}

/// Of a statement that finds nothing.
impl FromRow for () {
    fn from_row(_: &impl Cells) -> Result<Self, StoreError> {
        Ok(())
    }
}

impl<A: Cell> FromRow for (A,) {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok((row.cell(0)?,))
    }
}

impl<A: Cell, B: Cell> FromRow for (A, B) {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok((row.cell(0)?, row.cell(1)?))
    }
}

impl<A: Cell, B: Cell, C: Cell> FromRow for (A, B, C) {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok((row.cell(0)?, row.cell(1)?, row.cell(2)?))
    }
}

/// How a status is written.
pub(crate) const fn status_code(status: Status) -> i64 {
    match status {
        Status::Active => 0,
        Status::Superseded => 1,
        Status::Historical => 2,
        Status::FlaggedConflict => 3,
    }
}

impl From<Status> for Param<'_> {
    fn from(status: Status) -> Self {
        status_code(status).into()
    }
}

/// A set of statuses as a statement names it. It is written into the text and not passed as parameters, because an
/// index on some statuses serves only a statement that names them.
pub(crate) fn among(statuses: &[Status]) -> String {
    let codes: Vec<String> = statuses.iter().map(|status| status_code(*status).to_string()).collect();
    format!("IN ({})", codes.join(", "))
}
