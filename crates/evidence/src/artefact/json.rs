//! Reading an artefact's JSON, and naming the place of whatever is wrong in it.

use crate::{Disclosure, Hash, Keyring, Place, Salt, Signature, Signed, Statement};
use serde_json::Value;

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where in the file: `receipts[2].signature`, `line 17`.
    pub at: String,
    pub why: String,
}

/// What a part of a file proves, or what does not hold in it.
pub type Finding = Result<String, Fault>;

/// A value of a JSON document, and the way to it.
#[derive(Debug, Clone)]
pub(super) struct At<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> At<'a> {
    pub fn root(path: impl Into<String>, value: &'a Value) -> Self {
        Self { path: path.into(), value }
    }

    pub fn fault(&self, why: impl Into<String>) -> Fault {
        Fault { at: self.path.clone(), why: why.into() }
    }

    fn below(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some()
    }

    /// `None` where it is missing or null.
    pub fn maybe(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(Self { path: self.below(name), value })
    }

    pub fn get(&self, name: &str) -> Result<Self, Fault> {
        self.maybe(name).ok_or_else(|| Fault { at: self.below(name), why: "it is missing".to_owned() })
    }

    pub fn items(&self) -> Result<Vec<Self>, Fault> {
        let items = self.value.as_array().ok_or_else(|| self.fault("it is not a list"))?;
        let item = |(n, value)| Self { path: format!("{}[{n}]", self.path), value };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub fn text(&self) -> Result<&'a str, Fault> {
        self.value.as_str().ok_or_else(|| self.fault("it is not a text"))
    }

    pub fn number(&self) -> Result<u64, Fault> {
        self.value.as_u64().ok_or_else(|| self.fault("it is not a whole number"))
    }

    pub fn bytes(&self) -> Result<Vec<u8>, Fault> {
        let text = self.text()?;
        let bytes = hex::decode(text).ok().filter(|_| !text.bytes().any(|b| b.is_ascii_uppercase()));
        bytes.ok_or_else(|| self.fault("it is not hexadecimal digits in lower case"))
    }

    pub fn hash(&self) -> Result<Hash, Fault> {
        let bytes = self.bytes()?;
        bytes.try_into().map(Hash).map_err(|_| self.fault("it is not a hash of 32 bytes"))
    }

    /// What a reader sees beside the signed bytes must be what those say.
    pub fn shows(&self, name: &str, signed: impl Into<Value>) -> Result<(), Fault> {
        let signed = signed.into();
        match self.value.get(name) {
            Some(shown) if *shown != signed => Err(Fault {
                at: self.below(name),
                why: format!("it says {shown}, and what is signed says {signed}"),
            }),
            _ => Ok(()),
        }
    }

    pub fn signature(&self) -> Result<Option<Signature>, Fault> {
        let Some(signature) = self.maybe("signature") else { return Ok(None) };
        Signature::decode(&signature.bytes()?).map(Some).map_err(|e| signature.fault(e.to_string()))
    }

    /// The statement in `body`, once its signature is checked.
    pub fn signed<T: Statement>(&self, keys: &Keyring) -> Result<Signed<T>, Fault> {
        let body = self.get("body")?;
        let statement = T::decode(&body.bytes()?).map_err(|e| body.fault(e.to_string()))?;
        let signed = Signed { statement, signature: self.signature()? };
        let (holds, place) = (signed.is_signed_by(keys), signed.statement.place());
        self.vouched_for(holds, signed.signature, keys, place)?;
        Ok(signed)
    }

    pub fn vouched_for(
        &self,
        holds: bool,
        signature: Option<Signature>,
        keys: &Keyring,
        place: Place,
    ) -> Result<(), Fault> {
        if holds {
            return Ok(());
        }
        let why = match signature {
            None => "there is no signature".to_owned(),
            Some(signature) if keys.find(signature.key_id).is_none() => {
                format!("it is signed by key {}, which is not among the keys given", signature.key_id)
            }
            Some(signature) if keys.signing_at(signature.key_id, place).is_none() => {
                format!("it is signed by key {}, which had been retired before", signature.key_id)
            }
            Some(_) => "the signature is not one over these bytes".to_owned(),
        };
        Err(Fault { at: self.below("signature"), why })
    }

    /// A salt and the content, which must give the commitment.
    pub fn disclosure(&self, commitment: crate::Commitment) -> Result<Disclosure, Fault> {
        let salt = self.get("salt")?;
        let salt = salt.bytes()?.try_into().map(Salt).map_err(|_| salt.fault("it is not 16 bytes"))?;
        let disclosure = Disclosure { salt, content: self.get("content")?.bytes()? };
        if disclosure.commitment() == commitment {
            Ok(disclosure)
        } else {
            Err(self.fault("it is not what was committed to"))
        }
    }
}
