//! The numbers by which rows are known.

use crate::Tenant;

/// The number of a space, given out once within its tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceId(pub i64);

/// A space as its rows name it: no query for one goes without the tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceKey<'a> {
    pub tenant: &'a Tenant,
    pub id: SpaceId,
}
