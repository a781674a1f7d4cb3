//! The columns of a space.

use crate::StoreError;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow};
use domain::{PolicyMode, ReceiptId, SourcePolicy, Space, SpaceId, SpaceKey};

/// A number that grows with every commit to the space, and one that grows when something was erased from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpaceVersion {
    pub version: i64,
    pub epoch: i64,
}

/// What is active or flagged in a space, and its bytes as they are stored.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpaceSize {
    pub facts: usize,
    pub bytes: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SpaceRow {
    pub id: SpaceId,
    pub at: SpaceVersion,
    /// The key that the user's content is sealed under. A space has none until something is written to it, and none where
    /// encryption is off.
    pub key: Option<UserKeyId>,
}

/// A row as it was found, from which something may be being erased.
pub(crate) struct FoundSpace {
    row: SpaceRow,
    erasing: Option<ReceiptId>,
}

impl FoundSpace {
    pub fn whatever_goes_on(self) -> SpaceRow {
        self.row
    }

    pub fn settled(self) -> Result<SpaceRow, StoreError> {
        self.erasing.map_or(Ok(self.row), |erasure| Err(StoreError::Erasing(erasure)))
    }
}

impl FromRow for FoundSpace {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        let at = SpaceVersion { version: row.cell(1)?, epoch: row.cell(2)? };
        let erasing = row.cell::<Option<i64>>(3)?.map(ReceiptId);
        let key = row.cell::<Option<i64>>(4)?.map(user_key);
        Ok(Self { row: SpaceRow { id: SpaceId(row.cell(0)?), at, key }, erasing })
    }
}

/// The number of a key, as its column has it.
pub(crate) const fn user_key(number: i64) -> UserKeyId {
    UserKeyId(number.cast_unsigned())
}

/// One of the spaces of a user.
pub(crate) struct UserSpace {
    pub id: SpaceId,
    pub space: Space,
    erasing: Option<ReceiptId>,
}

impl UserSpace {
    pub fn settled(self) -> Result<(SpaceId, Space), StoreError> {
        self.erasing.map_or(Ok((self.id, self.space)), |erasure| Err(StoreError::Erasing(erasure)))
    }
}

impl FromRow for UserSpace {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        let space = Space { user_id: row.cell(1)?, agent_id: row.cell(2)?, run_id: row.cell(3)? };
        let erasing = row.cell::<Option<i64>>(4)?.map(ReceiptId);
        Ok(Self { id: SpaceId(row.cell(0)?), space, erasing })
    }
}

pub(crate) const POLICY: &str = "SELECT policy FROM space WHERE tenant = $1 AND id = $2";

pub(crate) fn binding(space: SpaceKey<'_>) -> Binding<'_> {
    Binding::new("policy", space.tenant.as_str(), space.id.0)
}

impl Secrets {
    /// The policy that [`POLICY`] found. A space has none until one is set.
    pub fn policy_open(
        &self,
        space: SpaceKey<'_>,
        found: Vec<(Option<Vec<u8>>,)>,
    ) -> Result<SourcePolicy, StoreError> {
        match found.into_iter().find_map(|(sealed,)| sealed) {
            None => Ok(SourcePolicy::default()),
            Some(sealed) => self.open_json(binding(space), &sealed),
        }
    }

    /// The policy that a plan is made with. Where it does not open, every change waits for a person.
    pub fn policy_for_plan(&self, space: SpaceKey<'_>, found: Vec<(Option<Vec<u8>>,)>) -> SourcePolicy {
        self.policy_open(space, found).unwrap_or_else(|error| {
            tracing::error!(%error, tenant = %space.tenant, space = space.id.0, "a policy does not open; changes wait");
            SourcePolicy { mode: PolicyMode::Review, ..SourcePolicy::default() }
        })
    }

    pub fn policy_seal(&self, space: SpaceKey<'_>, policy: &SourcePolicy) -> Result<Vec<u8>, StoreError> {
        self.seal_json(binding(space), policy)
    }
}
