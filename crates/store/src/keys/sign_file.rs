//! What is kept of the signing keys: the history of those that signed, and the secret of the one that signs. While a
//! rotation is under way there are two secrets, and the history in the database says which of them signs.

use super::error::KeyError;
use super::lines::{self, Problem};
use super::secret::{Secret, SigningKeys};
use crate::seal::{SealError, Sealer};
use evidence::{Canonical, KeyHistory};
use zeroize::Zeroizing;

/// How a secret begins that is sealed under the master key.
pub(super) const SEALED: &str = "sealed:";
const AAD: &[u8] = b"svc signing key v1";

/// The text that keeps these keys, sealed under the master key.
pub(crate) fn sign_text(keys: &SigningKeys, sealer: &Sealer) -> Result<Zeroizing<String>, SealError> {
    let secrets: Vec<_> =
        keys.secrets.iter().map(|secret| sealed(secret, sealer)).collect::<Result<_, _>>()?;
    Ok(lines::sign_lines(&keys.history.encode(), &secrets))
}

/// The secret as a file keeps it under the master key.
pub(super) fn sealed(secret: &Secret, sealer: &Sealer) -> Result<Zeroizing<String>, SealError> {
    let sealed = sealer.seal(AAD, secret.as_slice())?;
    Ok(Zeroizing::new(format!("{SEALED}{}", hex::encode(sealed))))
}

/// The text with what is under another master key than the current one sealed anew; `None` where nothing is.
pub(crate) fn sealed_anew(text: &str, sealer: &Sealer) -> Result<Option<Zeroizing<String>>, Problem> {
    let (_, written) = lines::sign_file(text)?;
    let mut anew = Zeroizing::new(text.to_owned());
    for written in written {
        let digits = written.strip_prefix(SEALED).unwrap_or_default();
        let is_outdated = hex::decode(digits).is_ok_and(|value| sealer.is_outdated(&value));
        if let Some(secret) = opened(written, sealer).filter(|_| is_outdated) {
            let sealed = sealed(&secret?, sealer).map_err(|e| e.to_string())?;
            anew = Zeroizing::new(anew.replace(written, &sealed));
        }
    }
    Ok((*anew != *text).then_some(anew))
}

/// Reads such a text without the help of anybody else: secrets that Vault has wrapped are passed over.
pub(crate) fn sign_keys(text: &str, sealer: &Sealer) -> Result<SigningKeys, Problem> {
    let (history, written) = lines::sign_file(text)?;
    let mut secrets = Vec::new();
    for secret in written {
        match opened(secret, sealer) {
            Some(opened) => secrets.push(opened?),
            None => secrets.extend(lines::hexadecimal(secret)),
        }
    }
    Ok(SigningKeys { history: decoded(history)?, secrets })
}

pub(super) fn decoded(history: Option<Vec<u8>>) -> Result<KeyHistory, Problem> {
    history
        .map_or_else(|| Ok(KeyHistory::default()), |bytes| KeyHistory::decode(&bytes))
        .map_err(|e| e.to_string())
}

/// The secret, where it is one that is sealed under the master key.
pub(super) fn opened(written: &str, sealer: &Sealer) -> Option<Result<Secret, Problem>> {
    let digits = written.strip_prefix(SEALED)?;
    let opened = || -> Result<Secret, Problem> {
        let sealed = hex::decode(digits).map_err(|_| "a sealed secret is not hex digits".to_owned())?;
        let plain = sealer.open(AAD, &sealed).map_err(|e| e.to_string())?;
        let secret = <[u8; 32]>::try_from(plain.as_slice()).map(Secret::new);
        secret.map_err(|_| "a sealed secret is not 32 bytes".to_owned())
    };
    Some(opened())
}

/// A new secret to sign with.
pub(crate) fn new_secret() -> Result<Secret, KeyError> {
    super::secret::random()
}
