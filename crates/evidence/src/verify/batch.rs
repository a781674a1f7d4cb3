//! Many signatures in one equation. Nearly all entries of a log are signed by one key, and its share of the equation is
//! one point however many signatures there are; a general batch has one for each signature, and takes a third longer.

use crate::{PublicKey, Signature};
use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};
use sha2::{Digest, Sha512};

/// Bytes of a random factor: 128 bits leave a forger one chance in 2^128.
const FACTOR: usize = 16;

pub(super) struct Claim<'a> {
    pub message: Vec<u8>,
    pub signature: Signature,
    pub key: &'a PublicKey,
}

/// Whether every claim holds. A signature (R, s) over M by the key A holds when sB = R + hA with h = SHA-512(R A M).
/// The equations are added up, each times a random factor that nobody could know when the signatures were made, so
/// false ones cannot cancel each other out. False also when the system has no randomness: then nothing is proved.
///
/// Only the holder of the key can make a signature that passes here and not in the strict check, by adding a point of
/// small order to R; and the entry is then still theirs.
pub(super) fn all_hold(claims: &[Claim<'_>]) -> bool {
    sum(claims).is_some_and(|sum| sum.is_identity())
}

fn sum(claims: &[Claim<'_>]) -> Option<EdwardsPoint> {
    let mut random = vec![0; claims.len() * FACTOR];
    getrandom::fill(&mut random).ok()?;
    let mut factors = Vec::with_capacity(claims.len());
    let mut base = Scalar::ZERO;
    let mut keys: Vec<(&PublicKey, Scalar)> = Vec::new();
    for (claim, random) in claims.iter().zip(random.as_chunks::<FACTOR>().0) {
        let factor = Scalar::from(u128::from_le_bytes(*random));
        let (r, s) = halves(&claim.signature);
        base -= factor * Option::<Scalar>::from(Scalar::from_canonical_bytes(s))?;
        let h = Sha512::new().chain_update(r).chain_update(claim.key.as_bytes()).chain_update(&claim.message);
        let h = factor * Scalar::from_bytes_mod_order_wide(&h.finalize().into());
        match keys.iter_mut().find(|(key, _)| key.key_id() == claim.key.key_id()) {
            Some((_, share)) => *share += h,
            None => keys.push((claim.key, h)),
        }
        factors.push(factor);
    }
    let points = claims.iter().map(|claim| CompressedEdwardsY(halves(&claim.signature).0).decompress());
    EdwardsPoint::optional_multiscalar_mul(
        std::iter::once(base).chain(keys.iter().map(|(_, share)| *share)).chain(factors),
        std::iter::once(Some(ED25519_BASEPOINT_POINT))
            .chain(keys.iter().map(|(key, _)| Some(key.point())))
            .chain(points),
    )
}

fn halves(signature: &Signature) -> ([u8; 32], [u8; 32]) {
    let (mut r, mut s) = ([0; 32], [0; 32]);
    let (first, second) = signature.bytes.split_at(32);
    r.copy_from_slice(first);
    s.copy_from_slice(second);
    (r, s)
}

#[cfg(test)]
mod tests {
    use super::{Claim, all_hold};
    use crate::Signer;

    fn hold(change: impl FnOnce(&mut Vec<Claim<'_>>)) -> bool {
        let signers = [Signer::from_seed([1; 32]), Signer::from_seed([2; 32])];
        let keys = signers.each_ref().map(Signer::public_key);
        let mut claims: Vec<Claim<'_>> = (0..300)
            .map(|n: usize| {
                let message = format!("message {n}").into_bytes();
                let signature = signers[n % 2].sign(&message);
                Claim { message, signature, key: &keys[n % 2] }
            })
            .collect();
        change(&mut claims);
        all_hold(&claims)
    }

    #[test]
    fn true_signatures_of_several_keys_hold_together() {
        assert!(hold(|_| {}));
        assert!(hold(|claims| claims.truncate(1)));
        assert!(hold(|claims| claims.clear()));
    }

    #[test]
    fn one_false_signature_breaks_the_batch() {
        assert!(!hold(|claims| claims[200].message.push(b'!')));
        assert!(!hold(|claims| claims[200].key = claims[201].key));
        for byte in 0..64 {
            assert!(!hold(|claims| claims[200].signature.bytes[byte] ^= 1), "byte {byte}");
        }
    }

    #[test]
    fn false_signatures_do_not_cancel_each_other_out() {
        // One scalar grows by one and another shrinks by one: their plain sum stays what it was.
        assert!(!hold(|claims| {
            let first = claims.iter().position(|c| c.signature.bytes[32] < 255).unwrap();
            let second = claims.iter().rposition(|c| c.signature.bytes[32] > 0).unwrap();
            assert_ne!(first, second);
            claims[first].signature.bytes[32] += 1;
            claims[second].signature.bytes[32] -= 1;
        }));
    }

    #[test]
    fn a_scalar_beyond_the_group_order_is_refused() {
        assert!(!hold(|claims| claims[0].signature.bytes[63] |= 0xf0));
    }
}
