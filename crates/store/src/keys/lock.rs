//! Secrets in a key file that are sealed under a key which a passphrase yields. The passphrase can then change, and the
//! secrets stay.

use super::error::KeyError;
use super::ring::derive;
use super::secret::Secret;
use crate::seal::{KeyId, SealKey, Sealer};
use zeroize::Zeroizing;

/// How such a secret begins.
pub(super) const LOCKED: &str = "locked:";
const AAD: &[u8] = b"svc locked key v1";

pub(super) struct Lock(Sealer);

impl Lock {
    /// `root` is what the passphrase and the salt come to.
    pub fn new(root: &Secret) -> Result<Self, KeyError> {
        let key = SealKey::new(KeyId([0; KeyId::BYTES]), &*derive(root, "svc passphrase lock v1")?);
        Ok(Self(Sealer::sealing(key, Vec::new())))
    }

    /// The secret as a file keeps it.
    pub fn locked(&self, secret: &Secret) -> Result<Zeroizing<String>, KeyError> {
        let sealed = self.0.seal(AAD, secret.as_slice()).map_err(|e| KeyError::Derivation(e.to_string()))?;
        Ok(Zeroizing::new(format!("{LOCKED}{}", hex::encode(sealed))))
    }

    /// `None` where another passphrase locked it.
    pub fn opened(&self, written: &str) -> Option<Secret> {
        let sealed = hex::decode(written.strip_prefix(LOCKED)?).ok()?;
        let plain = self.0.open(AAD, &sealed).ok()?;
        <[u8; 32]>::try_from(plain.as_slice()).map(Secret::new).ok()
    }
}
