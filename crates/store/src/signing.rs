//! The signing keys at work: the one that signs, and the history of those before it.

use crate::StoreError;
use crate::keys::SigningKeys;
use evidence::{KeyHistory, Keyring, PublicKey, Signer};
use parking_lot::RwLock;
use std::fmt;
use std::sync::Arc;

pub(crate) struct Signing {
    pub signer: Signer,
    pub keyring: Keyring,
    pub history: KeyHistory,
}

impl Signing {
    /// Of all that is at hand, the key that the longest history ends with. `first` is the key that the database was made
    /// with; a new one has none yet.
    pub fn of(
        kept: &[SigningKeys],
        told: &KeyHistory,
        first: Option<PublicKey>,
        before: Option<&Arc<Self>>,
    ) -> Result<Self, StoreError> {
        let histories = || kept.iter().map(|keys| &keys.history).chain([told]);
        let longest = histories().max_by_key(|history| history.handovers().len()).cloned();
        let history = longest.unwrap_or_default();
        if !histories().all(|other| history.continues(other)) {
            return Err(StoreError::Startup(
                "the database and the signing key file tell two histories of the signing keys; put back the file that \
                 belongs to this database"
                    .to_owned(),
            ));
        }
        let newest = history.newest().copied().or(first);
        let mut signers: Vec<Signer> =
            kept.iter().flat_map(|keys| &keys.secrets).map(|secret| Signer::from_seed(**secret)).collect();
        signers.extend(before.map(|before| before.signer.clone()));
        let found = signers.iter().position(|signer| Some(signer.public_key()) == newest);
        // Whether the only key of a database is its own is for the claim on it to say.
        let found = found.or_else(|| history.is_empty().then(|| signers.len().checked_sub(1)).flatten());
        let Some(signer) = found.map(|place| signers.swap_remove(place)) else {
            let id = newest.map_or_else(String::new, |key| format!(" {}", key.key_id()));
            return Err(StoreError::Startup(format!(
                "the signing key{id} is missing, which signs for this database since the last svc keys rotate signing; \
                 put the newest copy of the file that ends in .sign.key back"
            )));
        };
        let keyring = Keyring::new(signer.public_key(), Vec::new()).following(&history);
        Ok(Self { signer, keyring, history })
    }
}

/// What signs now; another process may have changed it by the next transaction.
pub(crate) struct SigningNow(RwLock<Held>);

struct Held {
    now: Arc<Signing>,
    /// What signed before the last change, for the case that the change is not committed.
    before: Option<Arc<Signing>>,
}

impl SigningNow {
    pub fn new(signing: Signing) -> Self {
        Self(RwLock::new(Held { now: Arc::new(signing), before: None }))
    }

    pub fn get(&self) -> Arc<Signing> {
        self.0.read().now.clone()
    }

    pub fn before(&self) -> Option<Arc<Signing>> {
        self.0.read().before.clone()
    }

    /// Goes on with these, if they go further.
    pub fn extend(&self, signing: Signing) {
        let mut held = self.0.write();
        if signing.history.handovers().len() > held.now.history.handovers().len() {
            held.now = Arc::new(signing);
        }
    }

    pub fn replace(&self, signing: Signing) {
        let mut held = self.0.write();
        let before = std::mem::replace(&mut held.now, Arc::new(signing));
        held.before = Some(before);
    }
}

impl fmt::Debug for SigningNow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningNow({:?})", self.get().signer)
    }
}
