//! The opened facts of recently used spaces. A call reads one row to learn whether they are current, and only what
//! changed is read again.

use domain::{Caller, Fact, FactId, Space, Status, Tenant};
use model::Models;
use parking_lot::{Mutex, RwLock};
use recall::SpaceIndex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use store::{SpaceChanges, SpaceVersion, Store, StoreError};

/// Room for several spaces of 100,000 facts with their vectors; the least recently used space goes first.
const BUDGET_BYTES: usize = 1 << 30;
/// What an open space costs before it holds a fact.
const SLOT_BYTES: usize = 2048;

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
    fn is_empty(&self) -> bool {
        self.index.is_empty() && self.flagged.is_empty()
    }

    fn apply(&mut self, changes: SpaceChanges) {
        let newer = self.at.is_none_or(|at| {
            changes.at.epoch > at.epoch || (changes.at.epoch == at.epoch && changes.at.version > at.version)
        });
        // Another call may have read further meanwhile.
        if !newer {
            return;
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
    }
}

type Key = (Tenant, Space);

#[derive(Debug)]
struct Slot {
    space: Arc<RwLock<OpenSpace>>,
    used: u64,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Open {
    slots: HashMap<Key, Slot>,
    clock: u64,
    bytes: usize,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Spaces {
    open: Arc<Mutex<Open>>,
}

impl Spaces {
    /// The space as it is in the database now.
    pub async fn current(
        &self,
        store: &Store,
        caller: &Caller,
        space: &Space,
    ) -> Result<Arc<RwLock<OpenSpace>>, StoreError> {
        let key = (caller.tenant.clone(), space.clone());
        let open = self.open.lock().slots.get(&key).map(|slot| slot.space.clone()).unwrap_or_default();
        let known = open.read().at;
        let changes = store.space_changes(caller, space, known).await?;
        let kept_bytes = {
            let mut open = open.write();
            open.apply(changes);
            (!open.is_empty()).then(|| open.index.approx_bytes() + SLOT_BYTES)
        };
        let mut spaces = self.open.lock();
        match kept_bytes {
            Some(bytes) => spaces.keep(&key, &open, bytes),
            // There are as many empty spaces as names for them, and nothing to save by keeping one.
            None => spaces.close(&key),
        }
        drop(spaces);
        Ok(open)
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

impl Open {
    fn close(&mut self, key: &Key) {
        if let Some(closed) = self.slots.remove(key) {
            self.bytes -= closed.bytes;
        }
    }

    /// Keeps the space open, and closes the least recently used ones while all of them cost too much. Of two copies
    /// that were opened at once the later one stays; each caller goes on with its own, which it has just read.
    fn keep(&mut self, key: &Key, space: &Arc<RwLock<OpenSpace>>, bytes: usize) {
        self.clock += 1;
        let used = self.clock;
        self.close(key);
        self.slots.insert(key.clone(), Slot { space: space.clone(), used, bytes });
        self.bytes += bytes;
        while self.bytes > BUDGET_BYTES {
            let oldest =
                self.slots.iter().filter(|(other, _)| *other != key).min_by_key(|(_, slot)| slot.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { break };
            self.close(&oldest);
        }
    }
}
