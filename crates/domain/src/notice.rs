//! What a call that takes long is waiting for, in words for the person who waits.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// Clones share the words: whoever does the work says them, and whoever waits reads them.
#[derive(Debug, Clone, Default)]
pub struct Notice(Arc<Mutex<Option<Cow<'static, str>>>>);

impl Notice {
    pub fn say(&self, words: impl Into<Cow<'static, str>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.into());
    }

    pub fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// `None` while there is nothing out of the ordinary to say.
    pub fn words(&self) -> Option<Cow<'static, str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
