//! Which keys a deployment has, without any secret.

use crate::StoreError;
use crate::keys::{KeySettings, newest_master};
use crate::seal::KeyId;
use crate::store::Store;
use domain::Timestamp;
use evidence::PublicKey;

/// What can be said of the keys.
#[derive(Debug)]
pub struct KeysInUse {
    /// `None` where encryption is off.
    pub master: Option<KeyId>,
    /// A newer master key, which seals nothing until the next rotation.
    pub waiting: Option<KeyId>,
    /// Whether the master key is derived from the passphrase, and in no file.
    pub master_is_derived: bool,
    /// The generation of the users' keys; `None` where encryption is off.
    pub users: Option<u8>,
    /// `None` where signing is off.
    pub signing: Option<SigningInUse>,
    /// Where the keys are kept.
    pub kept: KeySettings,
}

#[derive(Debug)]
pub struct SigningInUse {
    pub key: PublicKey,
    /// `None` for the key that the deployment began with.
    pub since: Option<Timestamp>,
    pub retired: usize,
}

impl Store {
    pub fn keys_in_use(&self, kept: KeySettings) -> Result<KeysInUse, StoreError> {
        let secrets = self.secrets();
        let (master, newest) = (secrets.sealer.current(), newest_master(&kept)?);
        let signing = secrets.signing().map(|signing| {
            let handovers = signing.history.handovers();
            SigningInUse {
                key: signing.signer.public_key(),
                since: handovers.last().map(|handover| handover.statement.ts),
                retired: handovers.len(),
            }
        });
        Ok(KeysInUse {
            master,
            waiting: newest.filter(|newest| Some(*newest) != master),
            master_is_derived: newest.is_none(),
            users: secrets.users.as_ref().map(crate::user_keys::UserKeys::generation),
            signing,
            kept,
        })
    }
}
