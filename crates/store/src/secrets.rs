//! The keys of a deployment at work: sealing what a row holds, finding it again, and signing.

use crate::StoreError;
use crate::blind::BlindKey;
use crate::seal::{FOR_USER, SealError, Sealer, UserKeyId};
use crate::state::StateKey;
use crate::unreadable::Unreadable;
use crate::user_keys::UserKeys;
use domain::SpaceKey;
use evidence::{Keyring, Signer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

pub(crate) struct Secrets {
    pub sealer: Sealer,
    /// The keys of the users' spaces; `None` where encryption is off.
    pub users: Option<UserKeys>,
    pub blind: BlindKey,
    /// For the macs of rows, to which the audit log commits; `None` when encryption is off.
    pub state: Option<StateKey>,
    pub signer: Option<Signer>,
    /// The deployment's own public keys; `None` when signing is off.
    pub keyring: Option<Keyring>,
    /// What did not open under these keys.
    pub unreadable: Unreadable,
}

/// Which row and column a sealed value belongs to. A value that was moved to another row does not open there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub what: &'static str,
    pub tenant: &'a str,
    pub row: [i64; 3],
}

impl<'a> Binding<'a> {
    pub fn new(what: &'static str, tenant: &'a str, row: i64) -> Self {
        Self { what, tenant, row: [row, 0, 0] }
    }

    pub fn within(mut self, second: i64, third: i64) -> Self {
        self.row = [self.row[0], second, third];
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.what.len() + self.tenant.len() + 40);
        for part in [self.what.as_bytes(), self.tenant.as_bytes()] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        for number in self.row {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes
    }
}

impl Secrets {
    pub fn seal(&self, binding: Binding<'_>, plain: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.seal_for(None, binding, plain)
    }

    /// Under the key of a user, which is destroyed when everything of the user is erased; without one, under the key of
    /// the deployment.
    pub fn seal_for(
        &self,
        user: Option<UserKeyId>,
        binding: Binding<'_>,
        plain: &[u8],
    ) -> Result<Vec<u8>, StoreError> {
        let sealed = match user.zip(self.users.as_ref()) {
            Some((user, keys)) => keys.seal(user, &binding.bytes(), plain),
            None => self.sealer.seal(&binding.bytes(), plain),
        };
        sealed.map_err(|e| StoreError::Sealed { what: binding.what, why: e.to_string() })
    }

    pub fn open(&self, binding: Binding<'_>, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
        let opened = match (sealed.split_first(), &self.users) {
            (Some((&FOR_USER, rest)), Some(keys)) => keys.open(&binding.bytes(), rest),
            (Some((&FOR_USER, _)), None) => Err(SealError::SealedWhileOff),
            _ => self.sealer.open(&binding.bytes(), sealed),
        };
        match opened {
            Ok(plain) => Ok(plain.to_vec()),
            Err(e) => Err(StoreError::Sealed { what: binding.what, why: e.to_string() }),
        }
    }

    pub fn seal_json(&self, binding: Binding<'_>, value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
        self.seal_json_for(None, binding, value)
    }

    pub fn seal_json_for(
        &self,
        user: Option<UserKeyId>,
        binding: Binding<'_>,
        value: &impl Serialize,
    ) -> Result<Vec<u8>, StoreError> {
        let plain = serde_json::to_vec(value).map_err(|e| StoreError::corrupt(binding.what, e))?;
        self.seal_for(user, binding, &plain)
    }

    pub fn open_json<T: DeserializeOwned>(
        &self,
        binding: Binding<'_>,
        sealed: &[u8],
    ) -> Result<T, StoreError> {
        let plain = self.open(binding, sealed)?;
        // The parser's own message can quote what it read, so only where it stopped is told.
        serde_json::from_slice(&plain)
            .map_err(|e| StoreError::corrupt(binding.what, format!("malformed at column {}", e.column())))
    }

    /// An index for equality lookups within one space. `purpose` keeps equal words of different columns apart.
    pub fn index(&self, purpose: &str, space: SpaceKey<'_>, key: &str) -> [u8; 16] {
        self.blind.blind(purpose, &[space.tenant.as_str(), &space.id.0.to_string(), key])
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}
