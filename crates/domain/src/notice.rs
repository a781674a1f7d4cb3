//! What a call that takes long is waiting for, in words for the person who waits.

use crate::Share;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Clone, Default)]
enum Told {
    /// There is nothing out of the ordinary to say.
    #[default]
    Nothing,
    Words(Cow<'static, str>),
    Share(Arc<Share>),
}

/// Clones share what is told: whoever does the work says it, and whoever waits reads it.
#[derive(Debug, Clone, Default)]
pub struct Notice(Arc<Board>);

#[derive(Debug, Default)]
struct Board {
    told: Mutex<Told>,
    is_watched: AtomicBool,
}

impl Notice {
    /// Somebody asked to be told, and sees it.
    pub fn watch(&self) {
        self.0.is_watched.store(true, Ordering::Relaxed);
    }

    /// Whoever sees that work goes on waits longer for it than one who sees nothing.
    pub fn is_watched(&self) -> bool {
        self.0.is_watched.load(Ordering::Relaxed)
    }

    pub fn say(&self, words: impl Into<Cow<'static, str>>) {
        self.tell(Told::Words(words.into()));
    }

    /// From now on it tells how much of that work is done, as of when it is read.
    pub fn follow(&self, share: Arc<Share>) {
        self.tell(Told::Share(share));
    }

    pub fn clear(&self) {
        self.tell(Told::Nothing);
    }

    /// `None` while there is nothing out of the ordinary to say.
    pub fn words(&self) -> Option<Cow<'static, str>> {
        match self.told() {
            Told::Nothing => None,
            Told::Words(words) => Some(words),
            Told::Share(share) => Some(share.words().into()),
        }
    }

    /// How much is done of how much, where that is what it tells, and the work has begun.
    pub fn share(&self) -> Option<(u64, u64)> {
        match self.told() {
            Told::Share(share) => share.read(),
            Told::Nothing | Told::Words(_) => None,
        }
    }

    fn tell(&self, told: Told) {
        *self.0.told.lock().unwrap_or_else(PoisonError::into_inner) = told;
    }

    fn told(&self) -> Told {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
