//! The columns of a principal, and the hashes of its keys.

use super::time;
use crate::StoreError;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow};
use domain::{
    OwnQuotas, Principal, PrincipalId, PrincipalKind, PrincipalsVersion, Role, Scopes, Tenant, Timestamp,
};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// Enough of the hash to find one row among millions.
const HINT_BYTES: usize = 8;

/// SHA-256 of a whole key. Keys are long and random, so a slow hash would protect nothing.
#[derive(Debug, Clone, Copy)]
pub struct KeyHash(pub [u8; 32]);

impl KeyHash {
    pub(crate) fn hint(&self) -> &[u8] {
        self.0.get(..HINT_BYTES).unwrap_or(&self.0)
    }
}

/// A key that is about to be given out.
#[derive(Debug, Clone, Copy)]
pub struct NewKey {
    pub hash: KeyHash,
    pub expires: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct PrincipalState {
    pub principal: Principal,
    pub created: Timestamp,
    pub revoked: Option<Timestamp>,
    pub expires: Option<Timestamp>,
    /// Until when the key before the last rotation works.
    pub former_until: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    Created,
    SeatsTaken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revocation {
    Disable,
    /// Remove the row as well.
    Erase,
}

/// What a revocation found within the caller's reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revoked {
    Active,
    /// It was revoked before. Only an erasure looks for these.
    Before,
    Nothing,
}

/// When a rotated key is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextExpiry {
    At(Timestamp),
    Never,
    /// Nothing was said. That is enough only where the key until now does not end either.
    Unsaid,
}

#[derive(Debug, Clone, Copy)]
pub struct Rotation {
    pub key: KeyHash,
    pub expires: NextExpiry,
    /// Until when the key until now is to work beside the new one.
    pub overlap_until: Timestamp,
}

/// Whether the next key ends must be said.
pub(crate) struct Unsaid;

#[derive(Debug, Clone)]
pub enum Rotated {
    Done(Box<PrincipalState>),
    /// The key until now ends by itself, and whether the new one does was not said.
    ExpiryUnsaid,
    /// No active principal of that id within the caller's reach.
    Unknown,
}

#[derive(Serialize, Deserialize)]
struct Body {
    name: String,
    role: Role,
    kind: PrincipalKind,
    scopes: Scopes,
    #[serde(default, skip_serializing_if = "OwnQuotas::are_none")]
    quotas: OwnQuotas,
}

impl Body {
    fn of(principal: &Principal) -> Self {
        Self {
            name: principal.name.clone(),
            role: principal.role,
            kind: principal.kind,
            scopes: principal.scopes.clone(),
            quotas: principal.quotas,
        }
    }
}

/// The key before the last rotation.
#[derive(Debug, Clone)]
pub(crate) struct FormerKey {
    pub hash: Vec<u8>,
    pub until: i64,
}

impl FormerKey {
    /// What both columns hold, or neither does.
    fn of(hash: Option<Vec<u8>>, until: Option<i64>) -> Option<Self> {
        Some(Self { hash: hash?, until: until? })
    }

    pub fn hint(&self) -> &[u8] {
        self.hash.get(..HINT_BYTES).unwrap_or(&self.hash)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct SealedPrincipal {
    pub tenant: String,
    pub id: PrincipalId,
    pub key_hash: Vec<u8>,
    pub revoked: Option<i64>,
    pub created: i64,
    pub body: Vec<u8>,
    pub expires: Option<i64>,
    pub former: Option<FormerKey>,
}

pub(crate) const COLUMNS: &str =
    "tenant, id, key_hash, revoked, created, body, expires, former_hash, former_until";

impl FromRow for SealedPrincipal {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            tenant: row.cell(0)?,
            id: PrincipalId(row.cell(1)?),
            key_hash: row.cell(2)?,
            revoked: row.cell(3)?,
            created: row.cell(4)?,
            body: row.cell(5)?,
            expires: row.cell(6)?,
            former: FormerKey::of(row.cell(7)?, row.cell(8)?),
        })
    }
}

impl SealedPrincipal {
    /// What the key is looked up by.
    pub fn hint(&self) -> &[u8] {
        self.key_hash.get(..HINT_BYTES).unwrap_or(&self.key_hash)
    }

    pub fn found(&self) -> Revoked {
        if self.revoked.is_none() { Revoked::Active } else { Revoked::Before }
    }

    /// When the key ends, if it is this principal's at that time, or was until a rotation whose overlap is not over.
    pub fn good_until(&self, key: &KeyHash, now: Timestamp) -> Option<Timestamp> {
        let is = |hash: &[u8]| bool::from(hash.ct_eq(key.0.as_slice()));
        let current = is(&self.key_hash).then_some(self.expires.unwrap_or(i64::MAX));
        let former = self.former.as_ref().filter(|former| is(&former.hash)).map(|former| former.until);
        let ends = current.into_iter().chain(former).max().filter(|ends| now.as_microsecond() < *ends);
        ends.map(|ends| Timestamp::from_microsecond(ends).unwrap_or(Timestamp::MAX))
    }

    /// When the next key is to end; an error where that must be said.
    pub fn next_expiry(&self, rotation: &Rotation) -> Result<Option<Timestamp>, Unsaid> {
        match (rotation.expires, self.expires) {
            (NextExpiry::At(at), _) => Ok(Some(at)),
            (NextExpiry::Never, _) | (NextExpiry::Unsaid, None) => Ok(None),
            (NextExpiry::Unsaid, Some(_)) => Err(Unsaid),
        }
    }

    /// The keys, their ends, the tenant and the revocation are part of the binding: a row that was given another key or
    /// tenant, a longer life, or was brought back to life, in the database does not open.
    pub fn identity(&self) -> String {
        let mut identity = format!("{}\u{1f}{}\u{1f}{}", self.tenant, self.id, hex::encode(&self.key_hash));
        if let Some(expires) = self.expires {
            identity.push_str(&format!("\u{1f}expires {expires}"));
        }
        if let Some(FormerKey { hash, until }) = &self.former {
            identity.push_str(&format!("\u{1f}former {} until {until}", hex::encode(hash)));
        }
        identity
    }
}

/// A row that may hold anything by now.
pub(crate) enum FoundPrincipal {
    Whole(SealedPrincipal),
    /// A column holds what no version of ours writes. Its id, where that can still be read.
    Damaged(PrincipalId),
}

impl FromRow for FoundPrincipal {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        match SealedPrincipal::from_row(row) {
            Ok(whole) => Ok(Self::Whole(whole)),
            Err(error) if error.is_of_content() => {
                let id = row.cell(1).unwrap_or_else(|_| "(unreadable)".to_owned());
                Ok(Self::Damaged(PrincipalId(id)))
            }
            Err(error) => Err(error),
        }
    }
}

/// A principal found by a key, and the version of the principals at that moment.
pub(crate) struct FoundByKey {
    pub found: FoundPrincipal,
    pub version: PrincipalsVersion,
}

impl FromRow for FoundByKey {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        let held: Option<Vec<u8>> = row.cell(9)?;
        Ok(Self { found: FoundPrincipal::from_row(row)?, version: version(held.as_deref()) })
    }
}

/// The version as the database holds it. One from before versions were kept has none until a principal is changed.
pub(crate) fn version(held: Option<&[u8]>) -> PrincipalsVersion {
    let bytes: Option<[u8; 16]> = held.and_then(|held| held.try_into().ok());
    bytes.map_or_else(PrincipalsVersion::default, |bytes| PrincipalsVersion(u128::from_be_bytes(bytes)))
}

/// A version that never was before.
pub(crate) fn next_version() -> Result<[u8; 16], StoreError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| StoreError::Startup(format!("the system has no randomness: {e}")))?;
    Ok(bytes)
}

pub(crate) fn binding(identity: &str, revoked: Option<i64>) -> Binding<'_> {
    Binding::new("a principal", identity, revoked.unwrap_or(0))
}

impl Secrets {
    pub fn principal_open(&self, row: SealedPrincipal) -> Result<PrincipalState, StoreError> {
        let body = self.principal_body(&row)?;
        Ok(PrincipalState {
            principal: Principal {
                id: row.id,
                name: body.name,
                role: body.role,
                kind: body.kind,
                tenant: Tenant::new(row.tenant),
                scopes: body.scopes,
                quotas: body.quotas,
                shown: None,
            },
            created: time(row.created)?,
            revoked: row.revoked.map(time).transpose()?,
            expires: row.expires.map(time).transpose()?,
            former_until: row.former.map(|former| time(former.until)).transpose()?,
        })
    }

    fn principal_body(&self, row: &SealedPrincipal) -> Result<Body, StoreError> {
        self.open_json(binding(&row.identity(), row.revoked), &row.body)
    }

    fn principal_reseal(&self, row: &mut SealedPrincipal, body: &Body) -> Result<(), StoreError> {
        row.body = self.seal_json(binding(&row.identity(), row.revoked), body)?;
        Ok(())
    }

    /// The row of a new principal.
    pub fn principal_seal(
        &self,
        principal: &Principal,
        key: &NewKey,
        now: Timestamp,
    ) -> Result<SealedPrincipal, StoreError> {
        let row = SealedPrincipal {
            tenant: principal.tenant.as_str().to_owned(),
            id: principal.id.clone(),
            key_hash: key.hash.0.to_vec(),
            revoked: None,
            created: now.as_microsecond(),
            body: Vec::new(),
            expires: key.expires.map(Timestamp::as_microsecond),
            former: None,
        };
        self.principal_allow(row, principal)
    }

    /// The row of a principal that is allowed what this one is.
    pub fn principal_allow(
        &self,
        mut row: SealedPrincipal,
        principal: &Principal,
    ) -> Result<SealedPrincipal, StoreError> {
        self.principal_reseal(&mut row, &Body::of(principal))?;
        Ok(row)
    }

    /// The body of a principal that is revoked now.
    pub fn principal_disable(&self, row: &SealedPrincipal, now: i64) -> Result<Vec<u8>, StoreError> {
        let body = self.principal_body(row)?;
        let mut disabled = SealedPrincipal { revoked: Some(now), ..row.clone() };
        self.principal_reseal(&mut disabled, &body)?;
        Ok(disabled.body)
    }

    /// The row with a key that ends at this time, or before as it was to.
    pub fn principal_expire(
        &self,
        mut row: SealedPrincipal,
        ends: i64,
    ) -> Result<SealedPrincipal, StoreError> {
        let body = self.principal_body(&row)?;
        row.expires = Some(row.expires.map_or(ends, |expires| expires.min(ends)));
        self.principal_reseal(&mut row, &body)?;
        Ok(row)
    }

    /// The row with its new key; the one until now becomes the former one, and one before that ends.
    pub fn principal_rotate(
        &self,
        mut row: SealedPrincipal,
        rotation: &Rotation,
        expires: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<SealedPrincipal, StoreError> {
        let body = self.principal_body(&row)?;
        let overlap = rotation.overlap_until.as_microsecond();
        let until = row.expires.map_or(overlap, |expires| overlap.min(expires));
        let former = std::mem::replace(&mut row.key_hash, rotation.key.0.to_vec());
        row.former = (until > now.as_microsecond()).then_some(FormerKey { hash: former, until });
        row.expires = expires.map(Timestamp::as_microsecond);
        self.principal_reseal(&mut row, &body)?;
        Ok(row)
    }
}
