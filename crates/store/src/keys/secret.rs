//! Secrets at hand, wiped from memory when dropped.

use super::error::KeyError;
use std::fmt;
use zeroize::Zeroizing;

/// 32 random bytes, or as good as random.
pub(crate) type Secret = Zeroizing<[u8; 32]>;

pub struct SigningKeys {
    /// The Ed25519 seed that signs.
    pub current: Secret,
    /// The Ed25519 public keys that signed before, oldest first: what they signed still verifies.
    pub retired: Vec<[u8; 32]>,
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKeys").field("retired", &self.retired.len()).finish_non_exhaustive()
    }
}

pub(super) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, KeyError> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|_| KeyError::NoRandomness)?;
    Ok(bytes)
}
