//! A statement with the signature over its exact bytes.

use crate::record::{Reader, Writer};
use crate::{Canonical, Hash, Keyring, Malformed, Signature, Signer, Statement};

const TAG: &str = "svc/signed/1";

#[derive(Debug, Clone, PartialEq)]
pub struct Signed<T> {
    pub statement: T,
    /// None when the deployment signs nothing.
    pub signature: Option<Signature>,
}

impl<T: Canonical> Signed<T> {
    pub fn new(statement: T, signer: Option<&Signer>) -> Self {
        let signature = signer.map(|s| s.sign(&statement.encode()));
        Self { statement, signature }
    }

    /// The bytes that the signature is over.
    pub fn body(&self) -> Vec<u8> {
        self.statement.encode()
    }

    pub fn digest(&self) -> Hash {
        Hash::of(&self.body())
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(TAG);
        w.bytes(&self.body());
        w.option(self.signature, |w, s| w.bytes(&s.encode()));
        w.finish()
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, TAG)?;
        let statement = T::decode(r.bytes()?)?;
        let signature = r.option(|r| Signature::decode(r.bytes()?))?;
        r.end()?;
        Ok(Self { statement, signature })
    }
}

impl<T: Statement> Signed<T> {
    /// Whether one of the keys signed it, and was not retired before.
    pub fn is_signed_by(&self, keys: &Keyring) -> bool {
        self.signature.is_some_and(|s| keys.verify(&self.body(), &s, self.statement.place()))
    }
}
