//! How far a database has been migrated.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    pub version: i64,
    pub known: i64,
    /// Number and name of each migration that has not been applied.
    pub pending: Vec<(i64, &'static str)>,
}
