//! The numbers by which rows are known. Each kind has a type, so that none can be taken for another.

use crate::Tenant;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! numbers {
    ($($(#[$about:meta])* $name:ident),* $(,)?) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )*};
}

numbers! {
    /// Sequential within a tenant, and never given out twice.
    FactId,
    /// The number of a space, given out once within its tenant.
    SpaceId,
    /// Sequential within a tenant.
    DecisionId,
    /// Sequential within a tenant.
    ReceiptId,
    /// Of an entry of the audit log: from 1, without gaps, over the whole deployment.
    EntryNumber,
}

/// A space as its rows name it: no query for one goes without the tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceKey<'a> {
    pub tenant: &'a Tenant,
    pub id: SpaceId,
}

/// Under which a thing is known in the entity graph: a keyed hash of its name within its space, so that the graph holds
/// no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityKey(pub [u8; 16]);

/// Tells the projections of deployments apart that share a Neo4j.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProjectionId(pub [u8; 16]);
