//! The opened facts of recently used spaces. A call reads one row to learn whether they are current, and only what
//! changed is read again.

use crate::room::{Budget, Room};
use domain::{Action, Caller, Capacity, Fact, FactId, Places, Space, Status, Tenant, Timestamp};
use model::Models;
use parking_lot::RwLock;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use recall::SpaceIndex;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::{SpaceChanges, SpaceSize, SpaceVersion, Store, StoreError};
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

/// Room for several spaces of 100,000 facts with their vectors; spaces that are seldom used go first.
pub(crate) const BUDGET_BYTES: usize = 1 << 30;
/// What an open space costs before it holds a fact.
const EMPTY_BYTES: usize = 2048;
/// Sizes the table of open spaces. So few that the cache is not split into shards, each with its share of the budget:
/// one space may need most of it.
const SPACES: usize = 32;
/// Large spaces that are read at once. One tenant reads one at a time, so another one need not wait for it.
const OPENING: Capacity = Capacity { all: 3, tenant: 1, caller: 1 };
/// A space up to this size is read in a few milliseconds, and waits for nobody.
const SMALL_BYTES: usize = 1 << 20;
/// So many facts, or vectors, are taken in sooner than the work could be handed to another thread.
const FEW: usize = 64;
/// So many facts that are over are put into history by one write; the next one goes on.
const DUE: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct OpenSpace {
    at: Option<SpaceVersion>,
    /// The active facts, ready to be ranked.
    pub index: SpaceIndex,
    /// What waits for a decision.
    pub flagged: BTreeMap<FactId, Arc<Fact>>,
    /// Facts whose time is over, and changes that the world has moved past, though their rows do not say so yet.
    pub over: BTreeMap<FactId, Arc<Fact>>,
    /// When active facts run out.
    ends: BTreeSet<(Timestamp, FactId)>,
    /// The embedder whose stored vectors have been read into the index.
    pub vectors_of: Option<String>,
    /// Held by the one call that reads the stored vectors.
    reading_vectors: Arc<tokio::sync::Mutex<()>>,
    room: Option<Room>,
}

/// What a space will take in memory: each fact as it is sealed, once more in the index of its words, and its vector.
fn expected(size: SpaceSize) -> usize {
    const BESIDE_ITS_BYTES: usize = 2048;
    2 * size.bytes + BESIDE_ITS_BYTES * size.facts
}

impl OpenSpace {
    fn empty(room: Room) -> Self {
        Self { room: Some(room), ..Self::default() }
    }

    fn take_vectors(&mut self, embedder: &str, vectors: Vec<(FactId, Vec<f32>)>) {
        self.index.use_embedder(embedder);
        for (id, vector) in vectors {
            if let Some(fact) = self.index.get(id).cloned() {
                // A stored vector that is not usable counts as missing, and is made anew.
                let _ = self.index.set_vector(&fact, &vector);
            }
        }
        self.vectors_of = Some(embedder.to_owned());
        self.account();
    }

    fn account(&mut self) {
        let bytes = self.cost().unwrap_or_default();
        if let Some(room) = &mut self.room {
            room.set(bytes);
        }
    }

    /// What the space costs in memory. There are as many empty spaces as names for them, and nothing is saved by
    /// keeping one open, so they have no cost to note.
    fn cost(&self) -> Option<usize> {
        let is_empty = self.index.is_empty() && self.flagged.is_empty() && self.over.is_empty();
        (!is_empty).then(|| self.index.approx_bytes() + EMPTY_BYTES)
    }

    fn has_ends(&self, now: Timestamp) -> bool {
        self.ends.first().is_some_and(|(end, _)| *end <= now)
    }

    /// Puts aside what has run out by now.
    fn pass(&mut self, now: Timestamp) {
        while self.has_ends(now)
            && let Some((_, id)) = self.ends.pop_first()
        {
            // It may have been replaced, or its dates changed, since.
            let ended = self.index.get(id).filter(|fact| fact.has_run_out(now)).cloned();
            if let Some(fact) = ended {
                self.index.remove(id);
                self.over.insert(id, Arc::new(Fact::clone(&fact).counted_at(now)));
            }
            let is_over = |flag: &Arc<Fact>| flag.runs_out().is_some_and(|end| end <= now);
            if self.flagged.get(&id).is_some_and(is_over) {
                self.over.extend(self.flagged.remove(&id).map(|flag| (id, flag)));
            }
        }
        self.settle();
        self.account();
    }

    /// Puts aside the changes whose target is no longer current.
    fn settle(&mut self) {
        let target = |flag: &Fact| flag.pending.as_ref().and_then(|pending| pending.target);
        let is_gone = |flag: &Fact| target(flag).is_some_and(|id| self.index.get(id).is_none());
        let settled: Vec<FactId> =
            self.flagged.values().filter(|flag| is_gone(flag)).map(|flag| flag.id).collect();
        for id in settled {
            self.over.extend(self.flagged.remove(&id).map(|flag| (id, flag)));
        }
    }

    /// The changes that wait on one of the facts and are not among them.
    pub fn waiting_on(&self, facts: &[Fact]) -> Vec<Fact> {
        let target = |flag: &Fact| flag.pending.as_ref().and_then(|pending| pending.target);
        let aims = |flag: &Fact| target(flag).is_some_and(|id| facts.iter().any(|fact| fact.id == id));
        let is_new = |flag: &Fact| facts.iter().all(|fact| fact.id != flag.id);
        let found = self.flagged.values().filter(|flag| aims(flag) && is_new(flag));
        found.map(|flag| Fact::clone(flag)).collect()
    }

    /// What the next write in the space puts into history, and the facts that it rests on.
    pub fn due(&self) -> Vec<FactId> {
        let targets = self.over.values().filter_map(|fact| fact.pending.as_ref()?.target);
        self.over.keys().copied().chain(targets).take(DUE).collect()
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
            let (reading_vectors, room) = (self.reading_vectors.clone(), self.room.take());
            *self = Self { reading_vectors, room, ..Self::default() };
        }
        for fact in changes.facts {
            let fact = Arc::new(fact);
            self.over.remove(&fact.id);
            match fact.status {
                Status::FlaggedConflict => self.flagged.insert(fact.id, fact.clone()),
                Status::Active | Status::Superseded | Status::Historical => self.flagged.remove(&fact.id),
            };
            if let Some(end) = fact.runs_out().filter(|_| is_standing(&fact)) {
                self.ends.insert((end, fact.id));
            }
            self.index.upsert(fact);
        }
        self.settle();
        self.at = Some(changes.at);
        self.account();
        self.cost()
    }
}

/// A removal that waits shows the dates of nothing.
fn is_standing(fact: &Fact) -> bool {
    let removes = || fact.pending.as_ref().is_some_and(|pending| pending.action == Action::Retract);
    fact.status == Status::Active || (fact.status == Status::FlaggedConflict && !removes())
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
    budget: Budget,
    opening: Places,
}

impl Spaces {
    pub fn within(budget: usize) -> Self {
        let open = Arc::new(Cache::with_weighter(SPACES, budget as u64, Cost { budget }));
        Self { open, budget: Budget::of(budget), opening: Places::new(OPENING) }
    }

    /// The space as it is in the database now. However many ask for one that is not open, it is read once.
    pub async fn current(
        &self,
        store: &Store,
        caller: &Caller,
        space: &Space,
    ) -> Result<Arc<RwLock<OpenSpace>>, StoreError> {
        let current = self.read_current(store, caller, space);
        timeout_at(caller.deadline.into(), current).await.unwrap_or(Err(StoreError::TooLate))
    }

    async fn read_current(
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
                match take_in(&kept.space, changes).await? {
                    None => {
                        self.open.remove(&key);
                    }
                    Some(bytes) if bytes == kept.bytes => {}
                    Some(bytes) => {
                        // Refused if the space has been closed meanwhile; the next call opens it again.
                        let _ = self.open.replace(key, Kept { bytes, ..kept.clone() }, true);
                    }
                }
                pass(&kept.space, caller.now);
                Ok(kept.space)
            }
            // Whoever waits goes on once the guard is gone, filled or not.
            Err(guard) => {
                let (space, cost) = self.open(store, caller, space).await?;
                pass(&space, caller.now);
                if let Some(bytes) = cost {
                    let _ = guard.insert(Kept { space: space.clone(), bytes });
                }
                Ok(space)
            }
        }
    }

    /// Reads a space, with what it costs. A large one waits for its turn, and for room.
    async fn open(
        &self,
        store: &Store,
        caller: &Caller,
        space: &Space,
    ) -> Result<(Arc<RwLock<OpenSpace>>, Option<usize>), StoreError> {
        let tenant = &caller.tenant;
        let bytes = expected(store.space_size(caller, space).await?);
        let _place;
        let room = if bytes <= SMALL_BYTES {
            self.budget.take_small(tenant, bytes)
        } else {
            _place = self.opening.take(&caller.account()).await;
            self.budget.take(tenant, bytes, |missing| self.close_idle(missing)).await
        };
        let changes = store.space_changes(caller, space, None).await?;
        let open = Arc::new(RwLock::new(OpenSpace::empty(room)));
        let cost = take_in(&open, changes).await?;
        Ok((open, cost))
    }

    /// Closes spaces that no call uses, until so many bytes are free.
    fn close_idle(&self, bytes: usize) {
        let closed = Cell::new(0);
        self.open.retain(|_, kept| {
            let is_idle = Arc::strong_count(&kept.space) == 1;
            if is_idle && closed.get() < bytes {
                closed.set(closed.get() + kept.bytes);
                return false;
            }
            true
        });
    }

    /// Reads the vectors that are stored for this embedder, once for as long as the space stays open.
    pub async fn load_vectors(
        &self,
        store: &Store,
        models: &Models,
        caller: &Caller,
        space: &Space,
        open: &Arc<RwLock<OpenSpace>>,
    ) -> Result<(), StoreError> {
        let embedder = models.embedder_id();
        let is_read = || open.read().vectors_of.as_deref() == Some(embedder);
        if is_read() {
            return Ok(());
        }
        let reading = open.read().reading_vectors.clone();
        let _reading = reading.lock().await;
        if is_read() {
            return Ok(());
        }
        let vectors = store.vectors_of_space(caller, space, embedder).await?;
        if vectors.len() <= FEW {
            open.write().take_vectors(embedder, vectors);
            return Ok(());
        }
        let (open, embedder) = (open.clone(), embedder.to_owned());
        let taken = spawn_blocking(move || open.write().take_vectors(&embedder, vectors)).await;
        taken.map_err(|_| StoreError::Panicked)
    }
}

fn pass(open: &RwLock<OpenSpace>, now: Timestamp) {
    let has_ends = open.read().has_ends(now);
    if has_ends {
        open.write().pass(now);
    }
}

/// Takes in what changed; returns the cost. Many changes are taken in apart from the asynchronous work.
async fn take_in(open: &Arc<RwLock<OpenSpace>>, changes: SpaceChanges) -> Result<Option<usize>, StoreError> {
    if changes.facts.len() <= FEW {
        return Ok(open.write().apply(changes));
    }
    let open = open.clone();
    spawn_blocking(move || open.write().apply(changes)).await.map_err(|_| StoreError::Panicked)
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
