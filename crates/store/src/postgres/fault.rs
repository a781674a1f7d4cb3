//! What a fault of PostgreSQL means for the call.

use crate::StoreError;
use crate::error::Trouble;

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        use tokio_postgres::error::SqlState;
        let trouble = match error.code() {
            None if is_of_the_connection(&error) => Trouble::Lost,
            None => Trouble::Other,
            Some(code) => match *code {
                SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => Trouble::Conflict,
                SqlState::ADMIN_SHUTDOWN
                | SqlState::CRASH_SHUTDOWN
                | SqlState::CANNOT_CONNECT_NOW
                | SqlState::TOO_MANY_CONNECTIONS
                | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Trouble::Lost,
                SqlState::READ_ONLY_SQL_TRANSACTION => Trouble::ReadOnly,
                SqlState::DISK_FULL => Trouble::DiskFull,
                _ => Trouble::Other,
            },
        };
        Self::Postgres { why: explain(&error), trouble }
    }
}

fn is_of_the_connection(error: &tokio_postgres::Error) -> bool {
    let cause = std::error::Error::source(error);
    error.is_closed() || cause.is_some_and(|cause| cause.downcast_ref::<std::io::Error>().is_some())
}

impl From<deadpool_postgres::PoolError> for StoreError {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        match error {
            deadpool_postgres::PoolError::Backend(error) => error.into(),
            deadpool_postgres::PoolError::PostCreateHook(deadpool_postgres::HookError::Backend(error)) => {
                error.into()
            }
            other => Self::Postgres { why: other.to_string(), trouble: Trouble::Lost },
        }
    }
}

/// The whole chain of causes: the first of them only says that something failed.
pub(super) fn explain(error: &tokio_postgres::Error) -> String {
    if let Some(db) = error.as_db_error() {
        return format!("{} ({})", db.message(), db.code().code());
    }
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    // The usual case of a database with a certificate of the team's own.
    if text.contains("UnknownIssuer") {
        text.push_str("; name the file with the certificate of its issuer: sslrootcert=/path/to/ca.pem");
    }
    text
}
