//! Values as they are kept on disk. A sealed value opens only under the identity of the row that it was sealed for.
//!
//! ```text
//! sealed             0x01 | key id, 4 bytes | nonce, 12 bytes | ciphertext | tag, 16 bytes
//! sealed for a user  0x02 | tree, 1 byte | number of the user's key, 7 bytes | nonce, 12 bytes | ciphertext | tag, 16 bytes
//! plain              0x00 | the value
//! ```
//!
//! AES-256-GCM-SIV, because a nonce that repeats then shows no more than that two equal values are equal: random
//! nonces stay safe over any number of rows.

use std::fmt;

use aes_gcm_siv::{AeadInOut, Aes256GcmSiv, Key, KeyInit, Nonce, Tag};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use thiserror::Error;
use zeroize::Zeroizing;

const PLAIN: u8 = 0;
const SEALED: u8 = 1;
/// How a value begins that was sealed under the key of a user.
pub(crate) const FOR_USER: u8 = 2;
const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;

/// Names a key on the values that it sealed, without telling anything about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId(pub [u8; KeyId::BYTES]);

impl KeyId {
    pub const BYTES: usize = 4;

    /// The key that the value is sealed under; `None` for one of a user, and for a plain value.
    pub fn of_sealed(value: &[u8]) -> Option<Self> {
        let rest = value.strip_prefix(&[SEALED])?;
        rest.first_chunk().copied().map(Self)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

/// Names the key of a user's spaces: a number that no other user has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserKeyId(pub u64);

impl UserKeyId {
    pub const BITS: u8 = 56;

    /// A number of a run that begins at random. Numbers that follow one another share most of the way down the tree of
    /// keys, and where all of them are destroyed, nothing has to be kept in place of them.
    pub(crate) fn fresh() -> Result<Self, SealError> {
        /// Long enough to share, and few enough that no two runs of random beginnings meet.
        const RUN: u64 = 1 << 12;
        static NEXT: Mutex<u64> = Mutex::new(0);
        let mut next = NEXT.lock();
        if next.is_multiple_of(RUN) {
            let mut bytes = [0; 8];
            getrandom::fill(&mut bytes).map_err(|_| SealError::NoRandomness)?;
            let number = u64::from_be_bytes(bytes) >> (u64::BITS - u32::from(Self::BITS));
            *next = number - number % RUN;
        }
        let id = Self(*next);
        *next += 1;
        Ok(id)
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum SealError {
    #[error("the operating system gave no random bytes for a nonce")]
    NoRandomness,
    #[error("a value is too long to be sealed")]
    TooLong,
    #[error("a stored value ends before its seal does: restore the database from the backup")]
    Truncated,
    #[error("a stored value has the unknown format {0}: a newer version wrote it, or it is damaged")]
    UnknownFormat(u8),
    #[error(
        "a stored value is plain while encryption is on: it is not from this database, or SVC_ENCRYPT was off"
    )]
    PlainWhileOn,
    #[error("a stored value is sealed while encryption is off: unset SVC_ENCRYPT=off")]
    SealedWhileOff,
    #[error(
        "a stored value is sealed under key {0}, which is not among ours: restore the keys of this database"
    )]
    UnknownKey(KeyId),
    #[error("a stored value is sealed under a user's key that was destroyed")]
    Destroyed,
    #[error(
        "a stored value is sealed under users' keys of generation {0}, which are not among ours: restore the file of \
         the users' keys"
    )]
    UnknownTree(u8),
    #[error("a stored value does not open: it was altered, or moved here from another row")]
    Altered,
}

/// What a key does to values.
pub(crate) struct Cipher(Aes256GcmSiv);

impl Cipher {
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(Aes256GcmSiv::new(&Key::<Aes256GcmSiv>::from(*secret)))
    }

    /// The sealed value, behind a header that says how to open it.
    pub fn seal(&self, header: &[u8], aad: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandomness)?;
        let start = header.len() + NONCE_BYTES;
        let mut value = Vec::with_capacity(start + plain.len() + TAG_BYTES);
        value.extend_from_slice(header);
        value.extend_from_slice(&nonce);
        value.extend_from_slice(plain);
        let body = value.get_mut(start..).unwrap_or_default();
        let tag = self
            .0
            .encrypt_inout_detached(&Nonce::from(nonce), aad, body.into())
            .map_err(|_| SealError::TooLong)?;
        value.extend_from_slice(&tag);
        Ok(value)
    }

    /// What comes behind the header.
    pub fn open(&self, aad: &[u8], value: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let (nonce, rest) = value.split_first_chunk::<NONCE_BYTES>().ok_or(SealError::Truncated)?;
        let (body, tag) = rest.split_last_chunk::<TAG_BYTES>().ok_or(SealError::Truncated)?;
        let mut plain = Zeroizing::new(body.to_vec());
        self.0
            .decrypt_inout_detached(&Nonce::from(*nonce), aad, plain.as_mut_slice().into(), &Tag::from(*tag))
            .map_err(|_| SealError::Altered)?;
        Ok(plain)
    }
}

/// A key that seals, with its name.
pub struct SealKey {
    id: KeyId,
    cipher: Cipher,
}

impl SealKey {
    pub fn new(id: KeyId, secret: &[u8; 32]) -> Self {
        Self { id, cipher: Cipher::new(secret) }
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealKey({})", self.id)
    }
}

/// Seals and opens values, or passes them through where encryption is off. Neither kind takes the other's values, so
/// that nobody who can write to the database can talk a sealing service into reading plain ones.
pub struct Sealer(RwLock<Arc<Mode>>);

#[derive(Debug)]
enum Mode {
    Plain,
    Sealing { current: Arc<SealKey>, older: Vec<Arc<SealKey>> },
}

impl Sealer {
    fn of(mode: Mode) -> Self {
        Self(RwLock::new(Arc::new(mode)))
    }

    pub fn plain() -> Self {
        Self::of(Mode::Plain)
    }

    /// Seals under `current`; opens what any of the keys sealed.
    pub fn sealing(current: SealKey, older: Vec<SealKey>) -> Self {
        Self::of(Mode::Sealing {
            current: Arc::new(current),
            older: older.into_iter().map(Arc::new).collect(),
        })
    }

    fn mode(&self) -> Arc<Mode> {
        self.0.read().clone()
    }

    /// Goes on with the keys of the other.
    pub fn take(&self, other: Self) {
        *self.0.write() = other.0.into_inner();
    }

    /// Seals under this key from here on; `false` where it is not among ours.
    pub fn turn_to(&self, id: KeyId) -> bool {
        let mut held = self.0.write();
        let Mode::Sealing { current, older } = &**held else { return false };
        let (found, others): (Vec<_>, Vec<_>) =
            older.iter().chain([current]).cloned().partition(|key| key.id == id);
        let Some(found) = found.into_iter().next() else { return false };
        *held = Arc::new(Mode::Sealing { current: found, older: others });
        true
    }

    pub fn is_on(&self) -> bool {
        matches!(*self.mode(), Mode::Sealing { .. })
    }

    /// Whether the value is sealed under another key than the current one.
    pub fn is_outdated(&self, value: &[u8]) -> bool {
        match (&*self.mode(), KeyId::of_sealed(value)) {
            (Mode::Sealing { current, .. }, Some(id)) => id != current.id,
            _ => false,
        }
    }

    /// The key that seals; `None` where encryption is off.
    pub fn current(&self) -> Option<KeyId> {
        self.key_ids().first().copied()
    }

    /// The current key first, then the others.
    pub fn key_ids(&self) -> Vec<KeyId> {
        match &*self.mode() {
            Mode::Plain => Vec::new(),
            Mode::Sealing { current, older } => std::iter::once(current).chain(older).map(|k| k.id).collect(),
        }
    }

    /// `aad` is the identity of the row and column that will hold the value.
    pub fn seal(&self, aad: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let mode = self.mode();
        let Mode::Sealing { current, .. } = &*mode else {
            let mut value = Vec::with_capacity(1 + plain.len());
            value.push(PLAIN);
            value.extend_from_slice(plain);
            return Ok(value);
        };
        let [a, b, c, d] = current.id.0;
        current.cipher.seal(&[SEALED, a, b, c, d], aad, plain)
    }

    /// `aad` must be what the value was sealed with.
    pub fn open(&self, aad: &[u8], value: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let (&format, rest) = value.split_first().ok_or(SealError::Truncated)?;
        match (format, &*self.mode()) {
            (PLAIN, Mode::Plain) => Ok(Zeroizing::new(rest.to_vec())),
            (PLAIN, Mode::Sealing { .. }) => Err(SealError::PlainWhileOn),
            (SEALED, Mode::Plain) => Err(SealError::SealedWhileOff),
            (SEALED, Mode::Sealing { current, older }) => {
                let (id, rest) = rest.split_first_chunk().ok_or(SealError::Truncated)?;
                let id = KeyId(*id);
                let key = std::iter::once(current)
                    .chain(older)
                    .find(|key| key.id == id)
                    .ok_or(SealError::UnknownKey(id))?;
                key.cipher.open(aad, rest)
            }
            (other, _) => Err(SealError::UnknownFormat(other)),
        }
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealer({:?})", self.mode())
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyId, SealError, SealKey, Sealer};
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    fn key(n: u8) -> SealKey {
        SealKey::new(KeyId([n; 4]), &[n; 32])
    }

    fn sealer(n: u8) -> Sealer {
        Sealer::sealing(key(n), Vec::new())
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens_again_for_the_same_row(aad: Vec<u8>, plain: Vec<u8>) {
            for sealer in [sealer(7), Sealer::plain()] {
                let value = sealer.seal(&aad, &plain).unwrap();
                let opened = sealer.open(&aad, &value).unwrap();
                prop_assert_eq!(&*opened, &plain);
            }
        }

        #[test]
        fn a_value_moved_to_another_row_does_not_open(a: Vec<u8>, b: Vec<u8>, plain: Vec<u8>) {
            proptest::prop_assume!(a != b);
            let value = sealer(7).seal(&a, &plain).unwrap();
            prop_assert_eq!(sealer(7).open(&b, &value), Err(SealError::Altered));
        }

        #[test]
        fn no_bytes_at_all_make_opening_panic_or_succeed(aad: Vec<u8>, value: Vec<u8>) {
            prop_assert!(sealer(7).open(&aad, &value).is_err());
        }

        #[test]
        fn a_value_cut_anywhere_does_not_open(plain: Vec<u8>, cut in any::<proptest::sample::Index>()) {
            let value = sealer(7).seal(b"row", &plain).unwrap();
            prop_assert!(sealer(7).open(b"row", &value[..cut.index(value.len())]).is_err());
        }
    }

    #[test]
    fn a_change_of_any_single_bit_is_refused() {
        let sealer = Sealer::sealing(key(1), vec![key(0), key(3)]);
        let value = sealer.seal(b"row 1", b"the budget is 40k").unwrap();
        for byte in 0..value.len() {
            for bit in 0..8 {
                let mut altered = value.clone();
                altered[byte] ^= 1 << bit;
                assert!(sealer.open(b"row 1", &altered).is_err(), "byte {byte}, bit {bit}");
            }
        }
    }

    #[test]
    fn neither_mode_takes_the_values_of_the_other() {
        let plain = Sealer::plain().seal(b"row", b"x").unwrap();
        let sealed = sealer(7).seal(b"row", b"x").unwrap();
        assert_eq!(sealer(7).open(b"row", &plain), Err(SealError::PlainWhileOn));
        assert_eq!(Sealer::plain().open(b"row", &sealed), Err(SealError::SealedWhileOff));
    }

    #[test]
    fn after_a_rotation_old_values_open_and_new_ones_use_the_new_key() {
        let old = sealer(1).seal(b"row", b"x").unwrap();
        let rotated = Sealer::sealing(key(2), vec![key(1)]);
        assert_eq!(rotated.open(b"row", &old).unwrap().as_slice(), b"x");
        let new = rotated.seal(b"row", b"x").unwrap();
        assert_eq!(sealer(2).open(b"row", &new).unwrap().as_slice(), b"x");
        assert_eq!(sealer(1).open(b"row", &new), Err(SealError::UnknownKey(KeyId([2; 4]))));
        assert_eq!(rotated.key_ids(), [KeyId([2; 4]), KeyId([1; 4])]);
    }

    #[test]
    fn it_turns_to_a_key_that_it_has_and_to_no_other() {
        let rotated = Sealer::sealing(key(2), vec![key(1)]);
        assert!(rotated.turn_to(KeyId([1; 4])));
        let old = rotated.seal(b"row", b"x").unwrap();
        assert_eq!(KeyId::of_sealed(&old), Some(KeyId([1; 4])));
        assert!(!rotated.turn_to(KeyId([3; 4])));
        assert!(!rotated.is_outdated(&old));
        assert!(rotated.turn_to(KeyId([2; 4])));
        assert!(rotated.is_outdated(&old));
        assert_eq!(rotated.open(b"row", &old).unwrap().as_slice(), b"x");
    }

    #[test]
    fn equal_values_are_sealed_to_different_bytes() {
        assert_ne!(sealer(7).seal(b"row", b"x").unwrap(), sealer(7).seal(b"row", b"x").unwrap());
    }

    #[test]
    fn debug_output_holds_no_key() {
        assert_eq!(
            format!("{:?}", sealer(0xab)),
            "Sealer(Sealing { current: SealKey(abababab), older: [] })"
        );
    }
}
