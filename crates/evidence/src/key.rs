//! Ed25519 keys. A signature names its key, and is checked only against keys that the verifier already holds.

use crate::{Hash, Malformed};
use curve25519_dalek::edwards::EdwardsPoint;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use std::fmt;
use zeroize::Zeroize;

/// The first eight bytes of the SHA-256 of the public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId(pub [u8; 8]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    pub key_id: KeyId,
    pub bytes: [u8; 64],
}

impl Signature {
    /// The key id and then the Ed25519 signature.
    pub fn encode(&self) -> [u8; 72] {
        let mut bytes = [0; 72];
        let (key_id, signature) = bytes.split_at_mut(8);
        key_id.copy_from_slice(&self.key_id.0);
        signature.copy_from_slice(&self.bytes);
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let wrong = || Malformed::new(format!("a signature is {} bytes long, not 72", bytes.len()));
        let (key_id, signature) = bytes.split_first_chunk().ok_or_else(wrong)?;
        Ok(Self { key_id: KeyId(*key_id), bytes: signature.try_into().map_err(|_| wrong())? })
    }
}

/// The private half. It is wiped from memory when dropped.
#[derive(Clone)]
pub struct Signer {
    key: SigningKey,
    key_id: KeyId,
}

impl Signer {
    pub fn from_seed(mut seed: [u8; 32]) -> Self {
        let key = SigningKey::from_bytes(&seed);
        seed.zeroize();
        let key_id = key_id(&key.verifying_key());
        Self { key, key_id }
    }

    /// The secret itself, to be kept where nobody else reads it.
    pub fn seed(&self) -> [u8; 32] {
        self.key.to_bytes()
    }

    pub fn public_key(&self) -> PublicKey {
        PublicKey { key: self.key.verifying_key(), key_id: self.key_id }
    }

    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature { key_id: self.key_id, bytes: self.key.sign(message).to_bytes() }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.key_id)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    key: VerifyingKey,
    key_id: KeyId,
}

impl PublicKey {
    pub fn from_hex(text: &str) -> Result<Self, Malformed> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text.trim(), &mut bytes)
            .map_err(|_| Malformed::new("an Ed25519 public key is 64 hexadecimal digits"))?;
        Self::from_bytes(&bytes)
    }

    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Malformed> {
        match VerifyingKey::from_bytes(bytes) {
            // Under a key of small order, one signature fits many messages.
            Ok(key) if !key.is_weak() => Ok(Self { key, key_id: key_id(&key) }),
            _ => Err(Malformed::new("these 32 bytes are no Ed25519 public key")),
        }
    }

    pub fn to_hex(&self) -> String {
        hex::encode(self.key.as_bytes())
    }

    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Whether this key made the signature, whatever key the signature names.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    pub(crate) fn point(&self) -> EdwardsPoint {
        self.key.to_edwards()
    }
}

fn key_id(key: &VerifyingKey) -> KeyId {
    let [a, b, c, d, e, f, g, h, ..] = Hash::of(key.as_bytes()).0;
    KeyId([a, b, c, d, e, f, g, h])
}
