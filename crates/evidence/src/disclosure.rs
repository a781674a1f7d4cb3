//! Salted commitments: proof of a value that can outlive the value.

use crate::error::Malformed;
use crate::hash::{Commitment, Hash};
use crate::record::Writer;

const TAG: &str = "svc/commitment/1";

/// The operating system gave no random bytes, without which an erased value could be guessed from its commitment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no random bytes for a salt: {0}")]
pub struct NoRandomness(String);

/// Keeps a short value from being guessed by hashing every candidate. It is erased with the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Salt(pub [u8; 16]);

impl Salt {
    pub fn random() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|e| NoRandomness(e.to_string()))?;
        Ok(Self(bytes))
    }
}

/// What a commitment opens to. Stored apart from what is signed, so it can be erased alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disclosure {
    pub salt: Salt,
    pub content: Vec<u8>,
}

impl Disclosure {
    pub fn salted(content: impl Into<Vec<u8>>) -> Result<Self, NoRandomness> {
        Ok(Self { salt: Salt::random()?, content: content.into() })
    }

    pub fn commitment(&self) -> Commitment {
        let mut w = Writer::new(TAG);
        w.bytes(&self.salt.0);
        w.bytes(&self.content);
        Commitment(Hash::of(&w.finish()))
    }

    pub fn text(&self) -> Result<&str, Malformed> {
        std::str::from_utf8(&self.content).map_err(|_| Malformed::new("the disclosed text is not UTF-8"))
    }

    /// The salt and then the content.
    pub fn encode(&self) -> Vec<u8> {
        [self.salt.0.as_slice(), &self.content].concat()
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (salt, content) = bytes
            .split_first_chunk()
            .ok_or_else(|| Malformed::new("a disclosure is shorter than its salt"))?;
        Ok(Self { salt: Salt(*salt), content: content.to_vec() })
    }
}
