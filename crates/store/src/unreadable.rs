//! What this process found damaged: facts, which are left out of what is read, and the file itself. Whoever reads is told.

use crate::StoreError;
use domain::{FactId, SpaceId, SpaceKey, Tenant};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

#[derive(Debug, Default)]
pub(crate) struct Unreadable {
    facts: Mutex<BTreeMap<(Tenant, SpaceId), BTreeSet<FactId>>>,
    /// Facts that open, but are not what the audit log says of them: somebody else put them there.
    replaced: Mutex<BTreeMap<(Tenant, SpaceId), BTreeSet<FactId>>>,
    /// The same of the rows of spaces.
    spaces: Mutex<BTreeSet<(Tenant, SpaceId)>>,
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
        self.facts.lock().is_empty() && self.replaced.lock().is_empty()
    }

    /// Notes whether the fact is what the audit log says of it; whether that is news.
    pub fn set_replaced(&self, space: SpaceKey<'_>, fact: FactId, is_replaced: bool) -> bool {
        let (mut noted, key) = (self.replaced.lock(), (space.tenant.clone(), space.id));
        if is_replaced {
            return noted.entry(key).or_default().insert(fact);
        }
        let Some(facts) = noted.get_mut(&key) else { return false };
        let is_news = facts.remove(&fact);
        if facts.is_empty() {
            noted.remove(&key);
        }
        is_news
    }

    pub fn is_replaced(&self, space: SpaceKey<'_>, fact: FactId) -> bool {
        let noted = self.replaced.lock();
        !noted.is_empty()
            && noted.get(&(space.tenant.clone(), space.id)).is_some_and(|facts| facts.contains(&fact))
    }

    pub fn replaced_in(&self, space: SpaceKey<'_>) -> Vec<FactId> {
        let noted = self.replaced.lock();
        noted.get(&(space.tenant.clone(), space.id)).into_iter().flatten().copied().collect()
    }

    /// Notes whether the row of the space is what the audit log says of it; whether that is news.
    pub fn set_space_replaced(&self, space: SpaceKey<'_>, is_replaced: bool) -> bool {
        let (mut noted, key) = (self.spaces.lock(), (space.tenant.clone(), space.id));
        if is_replaced { noted.insert(key) } else { noted.remove(&key) }
    }

    /// An error where somebody else wrote the row of the space: what its policy says is not what was set.
    pub fn refuse_replaced(&self, space: SpaceKey<'_>) -> Result<(), StoreError> {
        let noted = self.spaces.lock();
        if noted.is_empty() || !noted.contains(&(space.tenant.clone(), space.id)) {
            return Ok(());
        }
        let why = format!("number {} is not as the audit log left it; set its policy anew", space.id.0);
        Err(StoreError::corrupt("a space", why))
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
