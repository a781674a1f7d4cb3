//! How the signature of an ID token is checked: RSA with SHA-256, and no other way.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{Error as Unequal, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Has the JWT library check signatures in this way, in the whole process.
pub(super) fn install() {
    // Where it is installed already, it is this one.
    let _ = PROVIDER.install_default();
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(ErrorKind::InvalidAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    match (algorithm, key.kind()) {
        (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
            Ok(Box::new(Rs256(RsaPublicKeyComponents { n: n.clone(), e: e.clone() })))
        }
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

struct Rs256(RsaPublicKeyComponents<Vec<u8>>);

impl Verifier<Vec<u8>> for Rs256 {
    fn verify(&self, signed: &[u8], signature: &Vec<u8>) -> Result<(), Unequal> {
        self.0.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature).map_err(|_| Unequal::new())
    }
}

impl JwtVerifier for Rs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::RS256
    }
}
