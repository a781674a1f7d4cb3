//! Whose key was good a moment ago. While the database is away no key can be looked up, and `health` is to say so to
//! those who may ask. Nothing else is answered to them: it would have to be in the audit log.

use domain::{Principal, Timestamp};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant};

const KEPT: Duration = Duration::from_secs(300);
/// A deployment with more keys in use at once has others that ask how it fares.
const MOST: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct RecentCallers(Mutex<HashMap<[u8; 32], (Principal, Instant)>>);

impl RecentCallers {
    pub fn note(&self, key: [u8; 32], principal: &Principal, now: Instant) {
        let mut callers = self.0.lock();
        if callers.len() >= MOST && !callers.contains_key(&key) {
            callers.retain(|_, (_, seen)| now.saturating_duration_since(*seen) < KEPT);
        }
        if callers.len() < MOST || callers.contains_key(&key) {
            callers.insert(key, (principal.clone(), now));
        }
    }

    /// The key is no longer good.
    pub fn forget(&self, key: &[u8; 32]) {
        self.0.lock().remove(key);
    }

    pub fn find(&self, key: &[u8; 32], now: Instant) -> Option<Principal> {
        let callers = self.0.lock();
        let (principal, seen) = callers.get(key)?;
        let has_ended = principal.shown.as_ref().is_none_or(|shown| shown.ends <= Timestamp::now());
        (now.saturating_duration_since(*seen) < KEPT && !has_ended).then(|| principal.clone())
    }
}
