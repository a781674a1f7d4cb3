//! Secrets at hand, wiped from memory when dropped.

use super::error::KeyError;
use evidence::KeyHistory;
use std::fmt;
use zeroize::Zeroizing;

/// 32 random bytes, or as good as random.
pub(crate) type Secret = Zeroizing<[u8; 32]>;

/// What is kept of the signing keys.
pub struct SigningKeys {
    /// Which keys signed before the one that signs.
    pub history: KeyHistory,
    /// Ed25519 seeds: of the key that signs, and of one more while it is being replaced.
    pub secrets: Vec<Secret>,
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKeys").field("history", &self.history).finish_non_exhaustive()
    }
}

pub(super) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, KeyError> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|_| KeyError::NoRandomness)?;
    Ok(bytes)
}
