//! The master secrets of a database, one a generation, and the keys that each of them yields.

use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::KeyError;
use super::secret::Secret;
use crate::blind::BlindKey;
use crate::seal::{KeyId, SealKey, Sealer};
use crate::state::StateKey;

/// A master secret and its name. The name is derived from the secret, so that a damaged secret shows.
pub(super) struct Master {
    pub id: KeyId,
    pub secret: Secret,
}

impl Master {
    pub fn new(secret: Secret) -> Result<Self, KeyError> {
        let id = derive(&secret, "svc key id v1")?;
        Ok(Self { id: KeyId(*id), secret })
    }

    fn seal_key(&self) -> Result<SealKey, KeyError> {
        Ok(SealKey::new(self.id, &*derive(&self.secret, "svc sealing v1")?))
    }
}

pub(crate) struct Ring {
    current: Master,
    /// Oldest first.
    older: Vec<Master>,
}

impl Ring {
    pub(super) fn new(current: Master, older: Vec<Master>) -> Self {
        Self { current, older }
    }

    /// Oldest first.
    pub(super) fn masters(&self) -> impl Iterator<Item = &Master> {
        self.older.iter().chain([&self.current])
    }

    /// Seals under the newest master, unless it is told otherwise.
    pub fn sealer(&self) -> Result<Sealer, KeyError> {
        let older = self.older.iter().map(Master::seal_key).collect::<Result<_, _>>()?;
        Ok(Sealer::sealing(self.current.seal_key()?, older))
    }

    /// Derived from the oldest master, because a row written before a rotation must still be found after it.
    pub(super) fn blind(&self) -> Result<BlindKey, KeyError> {
        let oldest = self.older.first().unwrap_or(&self.current);
        Ok(BlindKey::new(&*derive(&oldest.secret, "svc blind key v1")?))
    }

    /// Derived from the oldest master too: the log holds macs from before a rotation.
    pub(super) fn state(&self) -> Result<StateKey, KeyError> {
        let oldest = self.older.first().unwrap_or(&self.current);
        Ok(StateKey::new(&*derive(&oldest.secret, "svc state v1")?))
    }
}

/// A key of its own for each `purpose`: none of them tells anything about the secret or about another one.
pub(super) fn derive<const N: usize>(secret: &Secret, purpose: &str) -> Result<Zeroizing<[u8; N]>, KeyError> {
    let mut key = Zeroizing::new([0; N]);
    Hkdf::<Sha256>::new(None, secret.as_slice())
        .expand(purpose.as_bytes(), key.as_mut_slice())
        .map_err(|_| KeyError::Derivation(format!("{N} bytes are too many")))?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::{Master, Ring, Secret};

    fn master(n: u8) -> Master {
        Master::new(Secret::new([n; 32])).unwrap()
    }

    #[test]
    fn lookups_and_old_values_survive_a_rotation() {
        let before = Ring::new(master(1), Vec::new());
        let after = Ring::new(master(2), vec![master(1)]);
        let parts = ["acme"];
        assert_eq!(
            before.blind().unwrap().blind("subject", &parts),
            after.blind().unwrap().blind("subject", &parts)
        );
        let old = before.sealer().unwrap().seal(b"row", b"x").unwrap();
        assert_eq!(after.sealer().unwrap().open(b"row", &old).unwrap().as_slice(), b"x");
        assert_eq!(after.sealer().unwrap().key_ids(), [master(2).id, master(1).id]);
    }

    #[test]
    fn another_master_has_another_name_and_other_keys() {
        let (one, two) = (Ring::new(master(1), Vec::new()), Ring::new(master(2), Vec::new()));
        assert_ne!(master(1).id, master(2).id);
        assert_ne!(one.blind().unwrap().blind("p", &[]), two.blind().unwrap().blind("p", &[]));
        let sealed = one.sealer().unwrap().seal(b"row", b"x").unwrap();
        assert!(two.sealer().unwrap().open(b"row", &sealed).is_err());
    }
}
