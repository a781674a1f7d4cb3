//! Why a store call failed. None of these texts holds memory content or a key.

use crate::keys::KeyError;
use crate::storage_quota::OverStorage;
use domain::{Fault, ReceiptId};
use rusqlite::ErrorCode;

/// What a fault of PostgreSQL means for the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The connection is gone, or the server is starting or stopping.
    Lost,
    /// The transaction was broken off in favour of another; run again, it may well succeed.
    Conflict,
    /// The server takes no writes: it is a standby, or was made read-only.
    ReadOnly,
    DiskFull,
    Other,
}

/// The part that keeps the service from storing anything, in one word, for the log and `/metrics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It does not answer.
    Database,
    /// It is full, or does not take what is written.
    Disk,
    /// Another program holds the lock for writing.
    Lock,
    /// It takes no entry.
    AuditLog,
}

impl Part {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Disk => "disk",
            Self::Lock => "lock",
            Self::AuditLog => "audit-log",
        }
    }
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("SQLite: {why}")]
    Sqlite { why: String, part: Part },
    #[error("the outcome of a commit is not known: {0}")]
    OutcomeUnknown(String),
    #[error(
        "a sync to the disk failed, and nothing is written over it: {0}; check the disk and restart the service"
    )]
    SyncFailed(String),
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
    #[error("{0}")]
    OverQuota(OverStorage),
    #[error("the key of the caller was revoked, has expired or was replaced while the call was under way")]
    KeyEnded,
    #[error("what the key of the caller may do was narrowed while the call was under way")]
    KeyNarrowed,
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

    /// The part to look at first.
    pub const fn part(&self) -> Part {
        match self {
            Self::Sqlite { part, .. } => *part,
            Self::SyncFailed(_) | Self::OutcomeUnknown(_) => Part::Disk,
            Self::Postgres { trouble: Trouble::DiskFull, .. } => Part::Disk,
            Self::Postgres { trouble: Trouble::ReadOnly, .. } => Part::AuditLog,
            Self::Sealed { .. } | Self::Corrupt { .. } => Part::AuditLog,
            _ => Part::Database,
        }
    }

    /// What the caller may do about it, where more can be said than that nothing was changed.
    const fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::OutcomeUnknown(_) => {
                "It is not known whether this was stored: the answer to the commit never came. Look with list_memories, or \
                 send it again: what is stored already is not stored twice."
            }
            Self::SyncFailed(_) => {
                "Nothing was changed. The disk has failed, and nothing more is stored until the operator has restarted the \
                 service; trying again before that is of no use."
            }
            Self::Sqlite { part: Part::Lock, .. } => {
                "Nothing was changed: another program has the database locked. Try again in a moment."
            }
            Self::Sqlite { part: Part::Disk, .. } | Self::Postgres { trouble: Trouble::DiskFull, .. } => {
                "Nothing was changed: the disk is full or takes no writes. Try again once the operator has made room."
            }
            Self::Sqlite { part: Part::AuditLog, .. } | Self::Postgres { trouble: Trouble::ReadOnly, .. } => {
                "Nothing was changed: the database takes no writes. Try again once the operator has seen to that."
            }
            Self::Postgres { trouble: Trouble::Lost, .. } => {
                "Nothing was changed: the database is away. Try again in a moment."
            }
            Self::Sealed { .. } | Self::Corrupt { .. } => {
                "Nothing was changed: something that this needs is stored, but damaged. Everything else can be used. The \
                 operator can find it with svc fsck, and remove it with svc fsck --erase."
            }
            _ => return None,
        })
    }

    /// One word for `health` and the log.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "SqliteError",
            Self::OutcomeUnknown(_) => "OutcomeUnknown",
            Self::SyncFailed(_) => "SyncFailed",
            Self::Postgres { .. } => "PostgresError",
            Self::Sealed { .. } => "SealError",
            Self::Corrupt { .. } => "CorruptRow",
            Self::NewerSchema { .. } => "NewerSchema",
            Self::Startup(_) => "StartupError",
            Self::OverQuota(_) => "OverQuota",
            Self::KeyEnded => "KeyEnded",
            Self::KeyNarrowed => "KeyNarrowed",
            Self::Closed => "StoreClosed",
            Self::Waiting => "StoreWaiting",
            Self::TooLate => "Timeout",
            Self::Erasing(_) => "Erasing",
            Self::Panicked => "Panic",
        }
    }
}

impl From<KeyError> for StoreError {
    fn from(error: KeyError) -> Self {
        Self::Startup(error.to_string())
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let part = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Part::Lock,
            Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => Part::Disk,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => Part::AuditLog,
            _ => Part::Database,
        };
        Self::Sqlite { why: error.to_string(), part }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let fault = Self::new(error.kind(), error.to_string());
        match error.advice() {
            Some(advice) => fault.advising(advice),
            None => fault,
        }
    }
}
