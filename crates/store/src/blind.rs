//! Equality lookups over sealed columns: a keyed hash that is the same for the same words, and tells nothing to who
//! does not hold the key.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const DOMAIN: &[u8] = b"svc blind index v1";
/// The key of the lookups where encryption is off. It hides nothing, and has nothing to hide.
const PUBLIC: &[u8; BlindKey::BYTES] = b"svc blind index without encryption: this key is public, not kept";

/// HMAC-SHA-256 cut to 16 bytes: two different inputs meet once in 2^64 rows, and an index entry stays small.
#[derive(Clone)]
pub struct BlindKey(Hmac<Sha256>);

impl BlindKey {
    /// One block of SHA-256, which HMAC takes as it is.
    pub const BYTES: usize = 64;

    pub fn new(secret: &[u8; Self::BYTES]) -> Self {
        Self(Hmac::new(secret.into()))
    }

    pub fn public() -> Self {
        Self::new(PUBLIC)
    }

    /// `purpose` names the column that is looked up, so that equal words in two columns cannot be linked.
    pub fn blind(&self, purpose: &str, parts: &[&str]) -> [u8; 16] {
        let mut mac = self.0.clone();
        mac.update(DOMAIN);
        // Each length comes before its text: ("ab", "c") and ("a", "bc") are different inputs.
        for text in std::iter::once(&purpose).chain(parts) {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        }
        let full: [u8; 32] = mac.finalize().into_bytes().into();
        full.first_chunk().copied().unwrap_or_default()
    }
}

impl fmt::Debug for BlindKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlindKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::BlindKey;
    use proptest::prelude::{prop_assert_eq, proptest};

    fn blind(parts: &[String]) -> [u8; 16] {
        BlindKey::public().blind("subject", &parts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn two_inputs_are_equal_exactly_when_their_parts_are(a: Vec<String>, b: Vec<String>) {
            prop_assert_eq!(blind(&a) == blind(&b), a == b);
        }

        #[test]
        fn a_boundary_between_parts_counts(text in "[a-c]{2,8}", at in 1usize..8) {
            let (left, right) = text.split_at(at.min(text.len() - 1));
            let split = blind(&[left.to_owned(), right.to_owned()]);
            proptest::prop_assert_ne!(split, blind(std::slice::from_ref(&text)));
            proptest::prop_assert_ne!(split, blind(&[text, String::new()]));
        }
    }

    #[test]
    fn another_purpose_or_key_gives_another_index() {
        let words = ["acme", "budget"];
        let index = BlindKey::public().blind("subject", &words);
        assert_ne!(index, BlindKey::public().blind("value", &words));
        assert_ne!(index, BlindKey::new(&[1; 64]).blind("subject", &words));
        assert_ne!(
            BlindKey::public().blind("subject", &["acme"]),
            BlindKey::public().blind("subjectacme", &[])
        );
    }

    #[test]
    fn an_index_never_changes_between_versions() {
        assert_eq!(
            hex::encode(BlindKey::new(&[7; 64]).blind("subject", &["acme", "budget"])),
            "21ee7e4a4c1d043f69bf97a4bf0165bf"
        );
    }
}
