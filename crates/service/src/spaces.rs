//! The opened facts of recently used spaces. A call reads one row to learn whether they are current, and only what
//! changed is read again.

use domain::{Caller, Fact, FactId, Space, Status, Tenant};
use model::Models;
use parking_lot::RwLock;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use recall::SpaceIndex;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{SpaceChanges, SpaceVersion, Store, StoreError};

/// Room for several spaces of 100,000 facts with their vectors; spaces that are seldom used go first.
pub(crate) const BUDGET_BYTES: usize = 1 << 30;
/// What an open space costs before it holds a fact.
const EMPTY_BYTES: usize = 2048;
/// Sizes the table of open spaces. So few that the cache is not split into shards, each with its share of the budget:
/// one space may need most of it.
const SPACES: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct OpenSpace {
    at: Option<SpaceVersion>,
    /// The active facts, ready to be ranked.
    pub index: SpaceIndex,
    pub flagged: BTreeMap<FactId, Arc<Fact>>,
    /// The embedder whose stored vectors have been read into the index.
    pub vectors_of: Option<String>,
}

impl OpenSpace {
    /// What the space costs in memory. There are as many empty spaces as names for them, and nothing is saved by
    /// keeping one open, so they have no cost to note.
    fn cost(&self) -> Option<usize> {
        let is_empty = self.index.is_empty() && self.flagged.is_empty();
        (!is_empty).then(|| self.index.approx_bytes() + EMPTY_BYTES)
    }

    /// Takes in what changed; returns the cost.
    fn apply(&mut self, changes: SpaceChanges) -> Option<usize> {
        let newer = self.at.is_none_or(|at| {
            changes.at.epoch > at.epoch || (changes.at.epoch == at.epoch && changes.at.version > at.version)
        });
        // Another call may have read further meanwhile.
        if !newer {
            return self.cost();
        }
        if changes.whole {
            *self = Self::default();
        }
        for fact in changes.facts {
            let fact = Arc::new(fact);
            match fact.status {
                Status::FlaggedConflict => self.flagged.insert(fact.id, fact.clone()),
                Status::Active | Status::Superseded | Status::Historical => self.flagged.remove(&fact.id),
            };
            self.index.upsert(fact);
        }
        self.at = Some(changes.at);
        self.cost()
    }
}

type Key = (Tenant, Space);

/// A space that is kept open, with what it cost when it was last looked at.
#[derive(Debug, Clone)]
struct Kept {
    space: Arc<RwLock<OpenSpace>>,
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Cost {
    budget: usize,
}

impl Weighter<Key, Kept> for Cost {
    /// The cache takes nothing that fills all of it. A space beyond the budget is kept all the same, nearly alone:
    /// reading it anew for each call would cost more.
    fn weight(&self, _: &Key, kept: &Kept) -> u64 {
        kept.bytes.min(self.budget / 10 * 9) as u64
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Spaces {
    open: Arc<Cache<Key, Kept, Cost>>,
}

impl Spaces {
    pub fn within(budget: usize) -> Self {
        Self { open: Arc::new(Cache::with_weighter(SPACES, budget as u64, Cost { budget })) }
    }

    /// The space as it is in the database now. However many ask for one that is not open, it is read once.
    pub async fn current(
        &self,
        store: &Store,
        caller: &Caller,
        space: &Space,
    ) -> Result<Arc<RwLock<OpenSpace>>, StoreError> {
        let key = (caller.tenant.clone(), space.clone());
        match self.open.get_value_or_guard_async(&key).await {
            Ok(kept) => {
                let known = kept.space.read().at;
                let changes = store.space_changes(caller, space, known).await?;
                match kept.space.write().apply(changes) {
                    None => {
                        self.open.remove(&key);
                    }
                    Some(bytes) if bytes == kept.bytes => {}
                    Some(bytes) => {
                        // Refused if the space has been closed meanwhile; the next call opens it again.
                        let _ = self.open.replace(key, Kept { bytes, ..kept.clone() }, true);
                    }
                }
                Ok(kept.space)
            }
            // Whoever waits goes on once the guard is gone, filled or not.
            Err(guard) => {
                let changes = store.space_changes(caller, space, None).await?;
                let space = Arc::new(RwLock::new(OpenSpace::default()));
                let cost = space.write().apply(changes);
                if let Some(bytes) = cost {
                    let _ = guard.insert(Kept { space: space.clone(), bytes });
                }
                Ok(space)
            }
        }
    }

    /// Reads the vectors that are stored for this embedder, once for as long as the space stays open.
    pub async fn load_vectors(
        &self,
        store: &Store,
        models: &Models,
        caller: &Caller,
        space: &Space,
        open: &RwLock<OpenSpace>,
    ) -> Result<(), StoreError> {
        let embedder = models.embedder_id();
        if open.read().vectors_of.as_deref() == Some(embedder) {
            return Ok(());
        }
        let vectors = store.vectors_of_space(caller, space, embedder).await?;
        let mut open = open.write();
        open.index.use_embedder(embedder);
        for (id, vector) in vectors {
            if let Some(fact) = open.index.get(id).cloned() {
                // A stored vector that is not usable counts as missing, and is made anew.
                let _ = open.index.set_vector(&fact, &vector);
            }
        }
        open.vectors_of = Some(embedder.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, OpenSpace, Spaces};
    use domain::{Space, Tenant};
    use parking_lot::RwLock;
    use std::sync::Arc;

    fn insert(spaces: &Spaces, user: &str, bytes: usize) {
        let space = Arc::new(RwLock::new(OpenSpace::default()));
        spaces.open.insert((Tenant::default(), Space::new(user, "", "")), Kept { space, bytes });
    }

    #[test]
    fn open_spaces_stay_within_the_budget() {
        let spaces = Spaces::within(1000);
        for n in 0..100 {
            insert(&spaces, &format!("u{n}"), 90);
        }
        assert!(spaces.open.weight() <= 1000 && spaces.open.len() >= 9);
    }

    #[test]
    fn a_space_beyond_the_budget_is_kept() {
        let spaces = Spaces::within(1000);
        insert(&spaces, "small", 10);
        insert(&spaces, "large", 5000);
        assert!(spaces.open.get(&(Tenant::default(), Space::new("large", "", ""))).is_some());
    }
}
