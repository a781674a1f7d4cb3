//! The columns of a space.

use crate::StoreError;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow};
use domain::{PolicyMode, ReceiptId, SourcePolicy, Space, SpaceId, SpaceKey};
use serde::{Deserialize, Serialize};

/// A number that grows with every commit to the space, and one that grows when something was erased from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpaceVersion {
    pub version: i64,
    pub epoch: i64,
}

impl SpaceVersion {
    pub(crate) const fn was_erased_from(self) -> bool {
        self.epoch > 0
    }
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
    pub row: SpaceRow,
    pub sealed: SealedAssignment,
    erasing: Option<ReceiptId>,
}

/// What a row says of the key of its user: in a column that anybody who writes the database can change, and sealed beside
/// the policy. The column alone is not believed, or one user's erasure could be aimed at another's key.
pub(crate) struct SealedAssignment {
    pub user_id: String,
    /// As the column has it.
    pub column: Option<UserKeyId>,
    policy: Option<Vec<u8>>,
}

impl SealedAssignment {
    /// As [`ASSIGNMENT`] has it, from this column on.
    fn at(row: &impl Cells, first: usize) -> Result<Self, StoreError> {
        let column = row.cell::<Option<i64>>(first + 1)?.map(user_key);
        Ok(Self { user_id: row.cell(first)?, column, policy: row.cell(first + 2)? })
    }
}

impl FromRow for SealedAssignment {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Self::at(row, 0)
    }
}

pub(crate) const ASSIGNMENT: &str = "user_id, user_key, policy";

/// A space and what its row says of the key of its user.
pub(crate) struct AssignedSpace {
    pub id: SpaceId,
    pub sealed: SealedAssignment,
}

impl FromRow for AssignedSpace {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self { id: SpaceId(row.cell(0)?), sealed: SealedAssignment::at(row, 1)? })
    }
}

impl FoundSpace {
    pub fn settled(self) -> Result<(SpaceRow, SealedAssignment), StoreError> {
        let (row, sealed) = (self.row, self.sealed);
        self.erasing.map_or(Ok((row, sealed)), |erasure| Err(StoreError::Erasing(erasure)))
    }
}

impl FromRow for FoundSpace {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        let at = SpaceVersion { version: row.cell(1)?, epoch: row.cell(2)? };
        let erasing = row.cell::<Option<i64>>(3)?.map(ReceiptId);
        let sealed = SealedAssignment::at(row, 4)?;
        Ok(Self { row: SpaceRow { id: SpaceId(row.cell(0)?), at, key: sealed.column }, sealed, erasing })
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

/// What is sealed of a space.
#[derive(Default, Serialize, Deserialize)]
struct Body {
    #[serde(flatten)]
    policy: SourcePolicy,
    /// The key of the user, as it was assigned. Spaces from before this was kept lack it until they are written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Assigned>,
}

#[derive(Serialize, Deserialize)]
struct Assigned {
    user: String,
    number: u64,
}

impl Secrets {
    fn space_body(&self, space: SpaceKey<'_>, sealed: Option<&[u8]>) -> Result<Body, StoreError> {
        sealed.map_or_else(|| Ok(Body::default()), |sealed| self.open_json(binding(space), sealed))
    }

    /// The key that was assigned to the user of the space, as nobody without the keys can say it.
    pub fn assigned(&self, space: SpaceKey<'_>, sealed: &SealedAssignment) -> Option<UserKeyId> {
        let body = self.space_body(space, sealed.policy.as_deref()).ok()?;
        body.key.filter(|key| key.user == sealed.user_id).map(|key| UserKeyId(key.number))
    }

    /// An error where the space was sealed for another user than its row names: whoever writes the database without the keys
    /// has given one user's memory another's name. Nothing is read there, written or erased.
    pub fn refuse_anothers(&self, space: SpaceKey<'_>, sealed: &SealedAssignment) -> Result<(), StoreError> {
        let Ok(body) = self.space_body(space, sealed.policy.as_deref()) else { return Ok(()) };
        match body.key {
            Some(key) if key.user != sealed.user_id => Err(StoreError::Sealed {
                what: "a space",
                why: format!("number {} was sealed for another user than its row names", space.id.0),
            }),
            _ => Ok(()),
        }
    }

    /// What is sealed of a space whose user gets this key; `None` where it does not open, and stays as it is.
    pub fn assignment_seal(
        &self,
        space: SpaceKey<'_>,
        sealed: &SealedAssignment,
        key: UserKeyId,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Ok(body) = self.space_body(space, sealed.policy.as_deref()) else { return Ok(None) };
        let key = Some(Assigned { user: sealed.user_id.clone(), number: key.0 });
        self.seal_json(binding(space), &Body { key, ..body }).map(Some)
    }

    /// The policy that [`POLICY`] found. A space has none until one is set.
    pub fn policy_open(
        &self,
        space: SpaceKey<'_>,
        found: Vec<(Option<Vec<u8>>,)>,
    ) -> Result<SourcePolicy, StoreError> {
        let sealed = found.into_iter().find_map(|(sealed,)| sealed);
        Ok(self.space_body(space, sealed.as_deref())?.policy)
    }

    /// The policy that a plan is made with. Where it does not open, every change waits for a person.
    pub fn policy_for_plan(&self, space: SpaceKey<'_>, found: Vec<(Option<Vec<u8>>,)>) -> SourcePolicy {
        self.policy_open(space, found).unwrap_or_else(|error| {
            tracing::error!(%error, tenant = %space.tenant, space = space.id.0, "a policy does not open; changes wait");
            SourcePolicy { mode: PolicyMode::Review, ..SourcePolicy::default() }
        })
    }

    /// The policy, with the key that the user of the space has.
    pub fn policy_seal(
        &self,
        space: SpaceKey<'_>,
        policy: &SourcePolicy,
        user_id: &str,
        key: Option<UserKeyId>,
    ) -> Result<Vec<u8>, StoreError> {
        let key = key.map(|key| Assigned { user: user_id.to_owned(), number: key.0 });
        self.seal_json(binding(space), &Body { policy: policy.clone(), key })
    }
}
