//! What is kept apart from the rows of a database, and in no backup of it: what a restore must not bring back. It is a file
//! beside a SQLite database, and a row of its own in PostgreSQL, where several hosts need it.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Apart {
    /// The keys of the users' spaces, sealed under the master key.
    UserKeys,
    /// The principals that were revoked, signed.
    Revoked,
    /// The signing keys once they were rotated, sealed under the master key.
    SigningKeys,
}

impl Apart {
    pub const ALL: [Self; 3] = [Self::UserKeys, Self::Revoked, Self::SigningKeys];

    /// The row of `deployment` that holds it in PostgreSQL.
    pub const fn row(self) -> &'static str {
        match self {
            Self::UserKeys => "user_keys",
            Self::Revoked => "revoked",
            Self::SigningKeys => "signing_keys",
        }
    }

    pub fn file(self, database: &Path) -> PathBuf {
        let mut path = database.as_os_str().to_owned();
        path.push(match self {
            Self::UserKeys => ".users.key",
            Self::Revoked => ".revoked",
            Self::SigningKeys => ".sign.key",
        });
        PathBuf::from(path)
    }
}
