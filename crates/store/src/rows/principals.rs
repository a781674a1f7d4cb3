//! The columns of a principal, and the hash of its key.

use super::time;
use crate::StoreError;
use crate::secrets::{Place, Secrets};
use domain::{Principal, PrincipalKind, Role, Scopes, Tenant, Timestamp};
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

#[derive(Debug, Clone)]
pub struct PrincipalState {
    pub principal: Principal,
    pub created: Timestamp,
    pub revoked: Option<Timestamp>,
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

#[derive(Serialize, Deserialize)]
struct Body {
    name: String,
    role: Role,
    kind: PrincipalKind,
    scopes: Scopes,
}

pub(crate) struct SealedPrincipal {
    pub tenant: String,
    pub id: String,
    pub key_hash: Vec<u8>,
    pub revoked: Option<i64>,
    pub created: i64,
    pub body: Vec<u8>,
}

impl SealedPrincipal {
    pub fn found(&self) -> Revoked {
        if self.revoked.is_none() { Revoked::Active } else { Revoked::Before }
    }

    pub fn has_key(&self, key: &KeyHash) -> bool {
        bool::from(self.key_hash.as_slice().ct_eq(key.0.as_slice()))
    }
}

/// The key's hash, the tenant and the revocation are part of the place: a row that was given another key or tenant, or
/// brought back to life, in the database does not open.
fn identity(tenant: &str, id: &str, key_hash: &[u8]) -> String {
    format!("{tenant}\u{1f}{id}\u{1f}{}", hex::encode(key_hash))
}

fn place(identity: &str, revoked: Option<i64>) -> Place<'_> {
    Place::new("a principal", identity, revoked.unwrap_or(0))
}

impl Secrets {
    pub fn principal_open(&self, row: SealedPrincipal) -> Result<PrincipalState, StoreError> {
        let identity = identity(&row.tenant, &row.id, &row.key_hash);
        let body: Body = self.open_json(place(&identity, row.revoked), &row.body)?;
        Ok(PrincipalState {
            principal: Principal {
                id: row.id,
                name: body.name,
                role: body.role,
                kind: body.kind,
                tenant: Tenant::new(row.tenant),
                scopes: body.scopes,
            },
            created: time(row.created)?,
            revoked: row.revoked.map(time).transpose()?,
        })
    }

    pub fn principal_seal(&self, principal: &Principal, key: &KeyHash) -> Result<Vec<u8>, StoreError> {
        let body = Body {
            name: principal.name.clone(),
            role: principal.role,
            kind: principal.kind,
            scopes: principal.scopes.clone(),
        };
        let identity = identity(principal.tenant.as_str(), &principal.id, &key.0);
        self.seal_json(place(&identity, None), &body)
    }

    /// The body of a principal that is revoked now.
    pub fn principal_disable(&self, row: &SealedPrincipal, now: i64) -> Result<Vec<u8>, StoreError> {
        let identity = identity(&row.tenant, &row.id, &row.key_hash);
        let body: Body = self.open_json(place(&identity, None), &row.body)?;
        self.seal_json(place(&identity, Some(now)), &body)
    }
}
