//! The keys of users at work. The ones that were used lately are kept ready.

use crate::StoreError;
use crate::keys::UserTrees;
use crate::seal::{Cipher, FOR_USER, SealError, Sealer, UserKeyId};
use hkdf::Hkdf;
use parking_lot::RwLock;
use sha2::Sha256;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// More users than are at work at once. Beyond it all are derived again, which takes microseconds each.
const READY: usize = 4096;
const PURPOSE: &[u8] = b"svc user sealing v1";

pub(crate) struct UserKeys(RwLock<Held>);

struct Held {
    trees: UserTrees,
    ready: HashMap<(u8, UserKeyId), Arc<Cipher>>,
    /// The change of keys that these are as of.
    at: Vec<u8>,
}

impl UserKeys {
    pub fn new(trees: UserTrees, at: Vec<u8>) -> Self {
        Self(RwLock::new(Held { trees, ready: HashMap::new(), at }))
    }

    /// The number of the tree that seals.
    pub fn generation(&self) -> u8 {
        self.0.read().trees.newest()
    }

    /// Whether there is such a key, and it was not destroyed.
    pub fn can_seal(&self, user: Option<UserKeyId>) -> bool {
        let tree = self.0.read().trees.newest();
        user.is_some_and(|user| self.cipher(tree, user).is_ok())
    }

    /// Whether the key was destroyed.
    pub fn lacks(&self, user: UserKeyId) -> bool {
        self.0.read().trees.lacks(user)
    }

    /// The user whose key sealed the value; given is what comes behind its first byte.
    pub fn user_of(value: &[u8]) -> Option<UserKeyId> {
        let (key, _) = value.split_first_chunk::<8>()?;
        Some(UserKeyId(u64::from_be_bytes(*key) & ((1 << UserKeyId::BITS) - 1)))
    }

    /// Goes on with these: what was destroyed elsewhere is no longer held here either.
    pub fn replace(&self, trees: UserTrees, at: Vec<u8>) {
        *self.0.write() = Held { trees, ready: HashMap::new(), at };
    }

    pub fn is_as_of(&self, at: &[u8]) -> bool {
        self.0.read().at == at
    }

    pub fn seal(&self, user: UserKeyId, aad: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let tree = self.0.read().trees.newest();
        let mut header = [0; 9];
        // The number has seven bytes, and leaves the first of eight to the tree.
        let (form, key) = header.split_at_mut(1);
        form.copy_from_slice(&[FOR_USER]);
        key.copy_from_slice(&(u64::from(tree) << UserKeyId::BITS | user.0).to_be_bytes());
        self.cipher(tree, user)?.seal(&header, aad, plain)
    }

    /// What comes behind the first byte of a value.
    pub fn open(&self, aad: &[u8], value: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let (key, rest) = value.split_first_chunk::<8>().ok_or(SealError::Truncated)?;
        let number = u64::from_be_bytes(*key);
        let user = UserKeyId(number & ((1 << UserKeyId::BITS) - 1));
        self.cipher((number >> UserKeyId::BITS) as u8, user)?.open(aad, rest)
    }

    fn cipher(&self, tree: u8, user: UserKeyId) -> Result<Arc<Cipher>, SealError> {
        if let Some(ready) = self.0.read().ready.get(&(tree, user)) {
            return Ok(ready.clone());
        }
        let mut held = self.0.write();
        if !held.trees.has_tree(tree) {
            return Err(SealError::UnknownTree(tree));
        }
        let secret = held.trees.key(tree, user).ok_or(SealError::Destroyed)?;
        let mut key = [0; 32];
        Hkdf::<Sha256>::new(None, secret.as_slice())
            .expand(PURPOSE, &mut key)
            .map_err(|_| SealError::Destroyed)?;
        let cipher = Arc::new(Cipher::new(&key));
        key.zeroize();
        if held.ready.len() >= READY {
            held.ready.clear();
        }
        held.ready.insert((tree, user), cipher.clone());
        Ok(cipher)
    }
}

/// The keys that a database of this id needs. `written` is what is kept of them; where that is nothing, and the database
/// never had any, they are made.
pub(crate) fn needed(
    sealer: &Sealer,
    id: Option<&[u8]>,
    written: Option<&[u8]>,
    wanted: &str,
) -> Result<UserTrees, StoreError> {
    let startup = |problem: String| StoreError::Startup(problem);
    let Some(written) = written else {
        if id.is_none() {
            return UserTrees::generate().map_err(|e| startup(e.to_string()));
        }
        return Err(startup(format!(
            "{wanted} is missing, and what users stored does not open without it: put it back from where you keep copies \
             of the key files"
        )));
    };
    let trees = UserTrees::open(sealer, written)
        .map_err(|problem| startup(format!("{wanted} is damaged: {problem}; put it back from a copy")))?;
    if id.is_some_and(|id| id != trees.id) {
        return Err(startup(format!(
            "{wanted} holds the users' keys of another database; put the file of this one in its place"
        )));
    }
    Ok(trees)
}

impl fmt::Debug for UserKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserKeys(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::UserKeys;
    use crate::keys::UserTrees;
    use crate::seal::{SealError, UserKeyId};

    #[test]
    fn a_value_opens_for_its_user_and_row_until_the_key_is_destroyed() {
        let (ann, ben) = (UserKeyId(1), UserKeyId((1 << 56) - 1));
        let mut trees = UserTrees::generate().unwrap();
        let keys = UserKeys::new(trees.clone(), Vec::new());
        let sealed = keys.seal(ann, b"row", b"x").unwrap();
        let other = keys.seal(ben, b"row", b"y").unwrap();
        assert_eq!(keys.open(b"row", &sealed[1..]).unwrap().as_slice(), b"x");
        assert_eq!(keys.open(b"another row", &sealed[1..]), Err(SealError::Altered));

        trees.destroy(&[ann]);
        keys.replace(trees, b"later".to_vec());
        assert!(keys.is_as_of(b"later"));
        assert_eq!(keys.open(b"row", &sealed[1..]), Err(SealError::Destroyed));
        assert_eq!(keys.seal(ann, b"row", b"z"), Err(SealError::Destroyed));
        assert_eq!(keys.open(b"row", &other[1..]).unwrap().as_slice(), b"y");
        assert_eq!(keys.open(b"row", &[9; 60]), Err(SealError::UnknownTree(9)));
    }
}
