//! Why a store call failed. None of these texts holds memory content or a key.

use domain::{Fault, ReceiptId};

/// What a fault of PostgreSQL means for the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The connection is gone, or the server is starting or stopping.
    Lost,
    /// The transaction was broken off in favour of another; run again, it may well succeed.
    Conflict,
    Other,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("SQLite: {0}")]
    Sqlite(String),
    #[error("PostgreSQL: {why}")]
    Postgres { why: String, trouble: Trouble },
    #[error("{what} does not open: {why}")]
    Sealed { what: &'static str, why: String },
    #[error("{what} is not what this version writes: {why}")]
    Corrupt { what: &'static str, why: String },
    #[error(
        "the schema of this database is v{found}, newer than the v{known} that this version knows; run a version that knows v{found}"
    )]
    NewerSchema { found: i64, known: i64 },
    #[error("{0}")]
    Startup(String),
    #[error("the store has shut down")]
    Closed,
    #[error("a transaction on SQLite waited for something, and nothing of it was kept")]
    Waiting,
    #[error("the time of the call is over; nothing of it was kept")]
    TooLate,
    #[error("an erasure of this user's memory is under way; its receipt will be #{0}")]
    Erasing(ReceiptId),
    #[error("a panic in the middle of a transaction; nothing of it was kept")]
    Panicked,
}

impl StoreError {
    pub(crate) fn corrupt(what: &'static str, why: impl std::fmt::Display) -> Self {
        Self::Corrupt { what, why: format!("{why}") }
    }

    pub(crate) fn lost(why: &str) -> Self {
        Self::Postgres { why: why.to_owned(), trouble: Trouble::Lost }
    }

    /// Whether a row holds something else than we wrote, rather than the database failing to give it.
    pub(crate) const fn is_of_content(&self) -> bool {
        matches!(self, Self::Sealed { .. } | Self::Corrupt { .. })
    }

    /// Whether the same call may succeed a moment later. Nothing of it has been kept.
    pub(crate) const fn is_passing(&self) -> bool {
        matches!(self, Self::Postgres { trouble: Trouble::Lost | Trouble::Conflict, .. })
    }

    /// Whether the connection is gone, and with it whatever had not been committed.
    pub(crate) const fn is_lost(&self) -> bool {
        matches!(self, Self::Postgres { trouble: Trouble::Lost, .. })
    }

    /// One word for `health` and the log.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SqliteError",
            Self::Postgres { .. } => "PostgresError",
            Self::Sealed { .. } => "SealError",
            Self::Corrupt { .. } => "CorruptRow",
            Self::NewerSchema { .. } => "NewerSchema",
            Self::Startup(_) => "StartupError",
            Self::Closed => "StoreClosed",
            Self::Waiting => "StoreWaiting",
            Self::TooLate => "Timeout",
            Self::Erasing(_) => "Erasing",
            Self::Panicked => "Panic",
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error.to_string())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}
