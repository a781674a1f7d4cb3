//! The facts that this process found damaged. They are left out of what is read, and whoever reads is told.

use domain::{FactId, SpaceId, SpaceKey, Tenant};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Unreadable(Mutex<BTreeMap<(Tenant, SpaceId), BTreeSet<FactId>>>);

impl Unreadable {
    /// Notes a fact that does not open; whether that is news.
    pub fn note(&self, space: SpaceKey<'_>, fact: FactId) -> bool {
        self.0.lock().entry((space.tenant.clone(), space.id)).or_default().insert(fact)
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    pub fn of(&self, space: SpaceKey<'_>) -> Vec<FactId> {
        let noted = self.0.lock();
        noted.get(&(space.tenant.clone(), space.id)).into_iter().flatten().copied().collect()
    }

    /// A fact that was mended, or erased.
    pub fn forget(&self, space: SpaceKey<'_>, fact: FactId) {
        let (mut noted, key) = (self.0.lock(), (space.tenant.clone(), space.id));
        if let Some(facts) = noted.get_mut(&key) {
            facts.remove(&fact);
            if facts.is_empty() {
                noted.remove(&key);
            }
        }
    }
}
