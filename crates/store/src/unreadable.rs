//! What this process found damaged: facts, which are left out of what is read, and the file itself. Whoever reads is told.

use domain::{FactId, SpaceId, SpaceKey, Tenant};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

#[derive(Debug, Default)]
pub(crate) struct Unreadable {
    facts: Mutex<BTreeMap<(Tenant, SpaceId), BTreeSet<FactId>>>,
    file: OnceLock<String>,
}

impl Unreadable {
    /// Notes a fact that does not open; whether that is news.
    pub fn note(&self, space: SpaceKey<'_>, fact: FactId) -> bool {
        self.facts.lock().entry((space.tenant.clone(), space.id)).or_default().insert(fact)
    }

    /// Notes what is wrong with the file.
    pub fn note_file(&self, fault: String) {
        // The first fault is as good as any other.
        let _ = self.file.set(fault);
    }

    pub fn file(&self) -> Option<&str> {
        self.file.get().map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.facts.lock().is_empty()
    }

    pub fn of(&self, space: SpaceKey<'_>) -> Vec<FactId> {
        let noted = self.facts.lock();
        noted.get(&(space.tenant.clone(), space.id)).into_iter().flatten().copied().collect()
    }

    /// A fact that was mended, or erased.
    pub fn forget(&self, space: SpaceKey<'_>, fact: FactId) {
        let (mut noted, key) = (self.facts.lock(), (space.tenant.clone(), space.id));
        if let Some(facts) = noted.get_mut(&key) {
            facts.remove(&fact);
            if facts.is_empty() {
                noted.remove(&key);
            }
        }
    }
}
