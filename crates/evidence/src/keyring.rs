//! The keys that signatures are checked with: those that the verifier trusts, and what their history says of them.

use crate::{KeyHistory, KeyId, Place, Position, PublicKey, Signature};
use domain::Timestamp;

/// The keys of one deployment, the oldest first; the last one signs now.
#[derive(Debug, Clone)]
pub struct Keyring {
    current: HeldKey,
    before: Vec<HeldKey>,
}

#[derive(Debug, Clone, Copy)]
struct HeldKey {
    key: PublicKey,
    /// The end of the log when it was retired, and the time; `None` while nobody says that it was.
    retired: Option<(Position, Timestamp)>,
}

impl HeldKey {
    const fn trusted(key: PublicKey) -> Self {
        Self { key, retired: None }
    }

    /// A retired key signs for what came before it was retired.
    fn signs(&self, place: Place) -> bool {
        self.retired.is_none_or(|(at, ts)| {
            place.entries.is_none_or(|entries| entries <= at.size) && place.ts.is_none_or(|made| made <= ts)
        })
    }
}

impl Keyring {
    /// Keys that are trusted, whatever they sign.
    pub fn new(current: PublicKey, others: Vec<PublicKey>) -> Self {
        let before = others.into_iter().map(HeldKey::trusted).collect();
        Self { current: HeldKey::trusted(current), before }
    }

    /// Takes the keys of a history in which one of ours is, each up to where it was retired.
    #[must_use]
    pub fn following(mut self, history: &KeyHistory) -> Self {
        let retired = history.handovers().iter().map(|handover| {
            let said = &handover.statement;
            HeldKey { key: said.retired, retired: Some((said.at, said.ts)) }
        });
        let Some(newest) = history.newest() else { return self };
        let of_history: Vec<HeldKey> = retired.collect();
        let is_in =
            |held: &HeldKey| held.key == *newest || of_history.iter().any(|known| known.key == held.key);
        if !self.all().any(is_in) {
            return self;
        }
        let mut others: Vec<HeldKey> = self.all().filter(|held| !is_in(held)).copied().collect();
        others.extend(&of_history);
        self.current = HeldKey::trusted(*newest);
        self.before = others;
        self
    }

    fn all(&self) -> impl Iterator<Item = &HeldKey> {
        self.before.iter().chain([&self.current])
    }

    pub fn current(&self) -> &PublicKey {
        &self.current.key
    }

    /// Every key, the oldest first.
    pub fn keys(&self) -> impl Iterator<Item = &PublicKey> {
        self.all().map(|held| &held.key)
    }

    /// The key that the deployment began with.
    pub fn first(&self) -> &PublicKey {
        self.before.first().map_or(&self.current.key, |held| &held.key)
    }

    pub fn find(&self, key_id: KeyId) -> Option<&PublicKey> {
        self.keys().find(|key| key.key_id() == key_id)
    }

    /// The key of that id, if it may have signed for this place.
    pub(crate) fn signing_at(&self, key_id: KeyId, place: Place) -> Option<&PublicKey> {
        self.all().find(|held| held.key.key_id() == key_id && held.signs(place)).map(|held| &held.key)
    }

    /// Whether the signature is valid, and by a key that was not retired before what it signs.
    pub fn verify(&self, message: &[u8], signature: &Signature, place: Place) -> bool {
        self.signing_at(signature.key_id, place).is_some_and(|key| key.verifies(message, &signature.bytes))
    }

    /// Whether a key was retired where the log ended here.
    pub fn retires_at(&self, at: Position) -> bool {
        self.before.iter().any(|held| held.retired.is_some_and(|(retired, _)| retired == at))
    }
}
