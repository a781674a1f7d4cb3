//! The keys of a deployment at work: sealing what a row holds, finding it again, and signing.

use crate::StoreError;
use crate::blind::BlindKey;
use crate::keys::KeySettings;
use crate::seal::{self, FOR_USER, SealError, Sealer, UserKeyId};
use crate::signing::{Signing, SigningNow};
use crate::state::{StateKey, Told};
use crate::unreadable::Unreadable;
use crate::user_keys::UserKeys;
use domain::SpaceKey;
use evidence::{Canonical, KeyId, Revocations, Signed};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime::Handle;

pub(crate) struct Secrets {
    pub sealer: Sealer,
    /// The keys of the users' spaces; `None` where encryption is off.
    pub users: Option<UserKeys>,
    pub blind: BlindKey,
    /// For the macs of rows, to which the audit log commits; `None` when encryption is off.
    pub state: Option<StateKey>,
    /// `None` when signing is off.
    pub signing: Option<SigningNow>,
    /// Where the keys come from.
    pub kept: KeySettings,
    /// For asking there again from a thread that does not wait otherwise.
    pub runtime: Handle,
    /// What did not open under these keys.
    pub unreadable: Unreadable,
    /// What the log was last found to say of rows.
    pub told: Told,
    /// The list of those who were revoked, as it is written, and what it says.
    pub revocations: Mutex<Option<(Vec<u8>, Arc<Revocations>)>>,
    unknown: AtomicU64,
}

/// Which keys sign and seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeysMark {
    master: Option<seal::KeyId>,
    signer: Option<KeyId>,
    users: Option<u8>,
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

    pub fn bytes(&self) -> Vec<u8> {
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
    /// Must be called within a Tokio runtime.
    pub fn new(
        sealer: Sealer,
        blind: BlindKey,
        state: Option<StateKey>,
        signing: Option<SigningNow>,
        kept: KeySettings,
    ) -> Self {
        let (unreadable, told, unknown) = (Unreadable::default(), Told::default(), AtomicU64::new(0));
        let (runtime, revocations) = (Handle::current(), Mutex::default());
        Self {
            sealer,
            users: None,
            blind,
            state,
            signing,
            kept,
            runtime,
            unreadable,
            told,
            revocations,
            unknown,
        }
    }

    /// The keys that sign and have signed; `None` when signing is off.
    pub fn signing(&self) -> Option<Arc<Signing>> {
        self.signing.as_ref().map(SigningNow::get)
    }

    pub fn sign<T: Canonical>(&self, statement: T) -> Signed<T> {
        Signed::new(statement, self.signing().as_ref().map(|signing| &signing.signer))
    }

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
            Err(e) => {
                if matches!(e, SealError::UnknownTree(_) | SealError::UnknownKey(_)) {
                    self.unknown.fetch_add(1, Ordering::Relaxed);
                }
                Err(StoreError::Sealed { what: binding.what, why: e.to_string() })
            }
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

    /// Whether the value is under other keys than the newest.
    pub fn is_outdated(&self, sealed: &[u8]) -> bool {
        match (sealed.split_first(), &self.users) {
            (Some((&FOR_USER, rest)), Some(keys)) => rest.first() != Some(&keys.generation()),
            _ => self.sealer.is_outdated(sealed),
        }
    }

    /// The same value under the newest keys, for the same user; `None` where it does not open.
    pub fn reseal(&self, binding: Binding<'_>, sealed: &[u8]) -> Option<Vec<u8>> {
        let plain = self.open(binding, sealed).ok()?;
        let user = sealed.split_first().filter(|(form, _)| **form == FOR_USER);
        let user = user.and_then(|(_, rest)| UserKeys::user_of(rest));
        self.seal_for(user, binding, &plain).ok()
    }

    /// How often something did not open because its key is not among ours. Another process may have made it since.
    pub fn unknown(&self) -> u64 {
        self.unknown.load(Ordering::Relaxed)
    }

    /// The keys that a transaction works with.
    pub fn mark(&self) -> KeysMark {
        KeysMark {
            master: self.sealer.current(),
            signer: self.signing().map(|signing| signing.signer.key_id()),
            users: self.users.as_ref().map(UserKeys::generation),
        }
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
