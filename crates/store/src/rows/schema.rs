//! How far a database has been migrated.

use crate::StoreError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    pub version: i64,
    pub known: i64,
    /// Number and name of each migration that has not been applied.
    pub pending: Vec<(i64, &'static str)>,
}

/// What each version of the schema brought. A migration that has been released is never edited; a change is a new one
/// at the end, here and in the SQL of both engines.
const VERSIONS: [&str; 8] = [
    "the memory engine",
    "keys that expire and rotate, and indexes of the audit log",
    "what the entity graph has still to look at",
    "the words of a statement kept once, and erasures in pieces",
    "how much is held of whom",
    "the audit log as a tree",
    "rows that the audit log commits to",
    "a key for each user",
];

/// The SQL of an engine, version by version.
pub(crate) type Migrations = [&'static str; VERSIONS.len()];

pub(crate) struct Migration {
    pub version: i64,
    pub name: &'static str,
    pub sql: &'static str,
}

/// What is still to be applied to a schema of that version.
pub(crate) fn pending(all: &Migrations, found: i64) -> impl Iterator<Item = Migration> {
    let numbered = (1_i64..).zip(VERSIONS.iter().zip(all));
    let numbered = numbered.map(|(version, (name, sql))| Migration { version, name, sql });
    numbered.filter(move |migration| migration.version > found)
}

pub(crate) fn refuse_newer(found: i64) -> Result<i64, StoreError> {
    let known = VERSIONS.len() as i64;
    if found > known { Err(StoreError::NewerSchema { found, known }) } else { Ok(found) }
}

impl Schema {
    pub(crate) fn at(version: i64) -> Self {
        let versions = (1_i64..).zip(VERSIONS);
        Self {
            version,
            known: VERSIONS.len() as i64,
            pending: versions.filter(|(pending, _)| *pending > version).collect(),
        }
    }
}
