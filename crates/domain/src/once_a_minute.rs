//! What happens often and is worth a word once a minute.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// Tells each thing apart by its key.
#[derive(Debug)]
pub struct OnceAMinute<K>(Mutex<HashMap<K, Instant>>);

impl<K> Default for OnceAMinute<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> OnceAMinute<K> {
    /// Whether a minute has passed since this was last said of the key. The minute begins anew then.
    pub fn is_due(&self, key: K, now: Instant) -> bool {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        said.retain(|_, at| now.saturating_duration_since(*at) < MINUTE);
        if said.contains_key(&key) {
            return false;
        }
        said.insert(key, now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{MINUTE, OnceAMinute};
    use std::time::Instant;

    #[test]
    fn each_key_is_due_once_a_minute() {
        let (once, now) = (OnceAMinute::default(), Instant::now());
        assert!(once.is_due("a", now) && once.is_due("b", now));
        assert!(!once.is_due("a", now));
        assert!(once.is_due("a", now + MINUTE));
    }
}
