//! The columns of a space.

use crate::StoreError;
use crate::secrets::{Place, Secrets};
use domain::SourcePolicy;

/// A number that grows with every commit to the space, and one that grows when something was erased from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpaceVersion {
    pub version: i64,
    pub epoch: i64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SpaceRow {
    pub id: i64,
    pub at: SpaceVersion,
}

fn place(tenant: &str, space: i64) -> Place<'_> {
    Place::new("policy", tenant, space)
}

impl Secrets {
    pub fn policy_open(
        &self,
        tenant: &str,
        space: i64,
        sealed: Option<&[u8]>,
    ) -> Result<SourcePolicy, StoreError> {
        match sealed {
            None => Ok(SourcePolicy::default()),
            Some(sealed) => self.open_json(place(tenant, space), sealed),
        }
    }

    pub fn policy_seal(
        &self,
        tenant: &str,
        space: i64,
        policy: &SourcePolicy,
    ) -> Result<Vec<u8>, StoreError> {
        self.seal_json(place(tenant, space), policy)
    }
}
