//! Why a store call failed. None of these texts holds memory content or a key.

use domain::Fault;

#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("SQLite: {0}")]
    Sqlite(String),
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
    #[error("a panic in the middle of a transaction; nothing of it was kept")]
    Panicked,
}

impl StoreError {
    pub(crate) fn corrupt(what: &'static str, why: impl std::fmt::Display) -> Self {
        Self::Corrupt { what, why: format!("{why}") }
    }

    /// One word for `health` and the log.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SqliteError",
            Self::Sealed { .. } => "SealError",
            Self::Corrupt { .. } => "CorruptRow",
            Self::NewerSchema { .. } => "NewerSchema",
            Self::Startup(_) => "StartupError",
            Self::Closed => "StoreClosed",
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
