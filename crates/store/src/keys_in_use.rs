//! Which keys a deployment has, without any secret.

use crate::keys::KeySettings;
use crate::seal::KeyId;
use crate::store::Store;
use domain::Timestamp;
use evidence::PublicKey;

/// What can be said of the keys.
#[derive(Debug)]
pub struct KeysInUse {
    /// `None` where encryption is off.
    pub master: Option<KeyId>,
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
    pub fn keys_in_use(&self, kept: KeySettings) -> KeysInUse {
        let secrets = self.secrets();
        let signing = secrets.signing().map(|signing| {
            let handovers = signing.history.handovers();
            SigningInUse {
                key: signing.signer.public_key(),
                since: handovers.last().map(|handover| handover.statement.ts),
                retired: handovers.len(),
            }
        });
        KeysInUse {
            master: secrets.sealer.key_ids().first().copied(),
            users: secrets.users.as_ref().map(crate::user_keys::UserKeys::generation),
            signing,
            kept,
        }
    }
}
