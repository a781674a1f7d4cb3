//! The work on the entity graph: applying what waits in the outbox, and making the graph again from the store.
//!
//! Any number of processes may do this beside each other. The one that holds the lease works; what it does can be done
//! twice without harm, and a fence keeps one that lost the lease from writing after its successor.

use domain::{Fact, FactId, SpaceId, SpaceKey, Tenant, Timestamp};
use graph::{Change, FactNode, Graph, GraphError, names_of};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::{Lease, OutboxRow, Rebuild, Store, StoreError};
use tokio::time::{Instant, sleep};

/// One transaction's worth of facts: large enough to be quick, small enough that nobody waits long behind it.
const BATCH: usize = 1000;
/// Neo4j holds a transaction in its heap, which may be small.
const WIPED_AT_ONCE: u32 = 2000;
/// How long the lease lasts. A holder that dies is replaced after that; one that works prolongs it in time.
const LEASE: Duration = Duration::from_secs(30);
const PROLONGED_AFTER: Duration = Duration::from_secs(10);
/// What other processes have written or done is noticed within this time.
pub(crate) const LOOKS_EVERY: Duration = Duration::from_secs(1);

/// Why the graph could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    #[error("{0}")]
    Graph(#[from] GraphError),
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// What a turn at the work came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing is left to do.
    Done,
    /// Another process is at it.
    Another,
    /// The graph was turned off.
    Off,
}

/// Tells how far the work has come: facts done, of how many.
pub type Watcher<'a> = &'a mut (dyn FnMut(Step) + Send);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nodes of the old graph that are gone.
    Wiped(u64),
    /// Facts that are in the new one.
    Rebuilt { done: u64, of: u64 },
    /// Changes that were waiting and have been applied.
    Applied(u64),
}

/// Has the whole graph made anew from the store, and returns when that is done, here or by another process; says how many
/// facts are in it.
pub async fn rebuild(store: &Store, graph: &Graph, watch: Watcher<'_>) -> Result<u64, ProjectionError> {
    store.graph_turn_on().await?;
    store.graph_rebuild_ask().await?;
    drain(store, graph, watch).await?;
    Ok(active_facts(store).await?)
}

/// Brings the graph up to date, and returns when nothing is left to do.
pub async fn drain(store: &Store, graph: &Graph, watch: Watcher<'_>) -> Result<(), ProjectionError> {
    let worker = Worker::new(store.clone(), graph.clone());
    loop {
        match worker.turn(watch).await? {
            Turn::Done | Turn::Off => return Ok(()),
            Turn::Another => {
                let rebuild = store.graph_state().await?.and_then(|state| state.rebuild);
                if let Some(Rebuild::Walking { done, total, .. }) = rebuild {
                    watch(Step::Rebuilt { done, of: total });
                }
                sleep(LOOKS_EVERY).await;
            }
        }
    }
}

/// Takes everything of this deployment out of Neo4j and keeps no graph from now on; returns how many nodes went. What
/// waits is applied first: erasures are still owed their second receipts.
pub async fn drop_all(store: &Store, graph: &Graph, watch: Watcher<'_>) -> Result<u64, ProjectionError> {
    drain(store, graph, watch).await?;
    let worker = Worker::new(store.clone(), graph.clone());
    let mut wiped = 0;
    while store.graph_state().await?.is_some() {
        let Some(lease) = worker.lease().await? else {
            sleep(LOOKS_EVERY).await;
            continue;
        };
        match graph.wipe(lease.fence, WIPED_AT_ONCE).await? {
            0 => break,
            count => wiped += count,
        }
        watch(Step::Wiped(wiped));
    }
    store.graph_turn_off().await?;
    Ok(wiped)
}

pub(crate) struct Worker {
    store: Store,
    graph: Graph,
    holder: String,
    /// Whether the constraints and the graph are known to be there.
    is_prepared: AtomicBool,
}

impl Worker {
    pub fn new(store: Store, graph: Graph) -> Self {
        let mut name = [0_u8; 8];
        // Two workers of one name would share a lease; the number of the process tells them apart without randomness.
        if getrandom::fill(&mut name).is_err() {
            name = u64::from(std::process::id()).to_be_bytes();
        }
        Self { store, graph, holder: hex::encode(name), is_prepared: AtomicBool::new(false) }
    }

    /// Does what there is to do, unless another process is at it.
    pub async fn turn(&self, watch: Watcher<'_>) -> Result<Turn, ProjectionError> {
        let mut leased: Option<Lease> = None;
        let mut applied = 0;
        let ended = loop {
            let Some(state) = self.store.graph_state().await? else { return Ok(Turn::Off) };
            match self.prepare().await {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) => break Err(error),
            }
            if state.waiting == 0 && state.rebuild.is_none() {
                break Ok(Turn::Done);
            }
            let Some(lease) = self.lease().await? else { return Ok(Turn::Another) };
            leased = Some(lease.clone());
            match self.go_on(&lease, state.rebuild, &mut applied, watch).await {
                Ok(true) => {}
                Ok(false) => return Ok(Turn::Another),
                Err(ProjectionError::Graph(GraphError::Missing)) => self.store.graph_rebuild_ask().await?,
                // Overtaken; if we were not, something is wrong with the mark in Neo4j.
                Err(ProjectionError::Graph(GraphError::Fenced))
                    if self.lease().await?.is_none_or(|now| now.fence != lease.fence) =>
                {
                    return Ok(Turn::Another);
                }
                Err(error) => {
                    // It may be another Neo4j that answers next.
                    self.is_prepared.store(false, Ordering::Relaxed);
                    break Err(error);
                }
            }
        };
        // Another process may have something to do, or a better way to Neo4j than this one.
        if let Some(lease) = leased {
            self.store.graph_release(lease).await?;
        }
        ended
    }

    /// Looks once whether this is the Neo4j that the graph was made in. `false` where it is not, and a rebuild was asked
    /// for.
    async fn prepare(&self) -> Result<bool, ProjectionError> {
        if self.is_prepared.load(Ordering::Relaxed) {
            return Ok(true);
        }
        self.graph.prepare().await?;
        let is_there = self.graph.is_there().await?;
        if !is_there {
            self.store.graph_rebuild_ask().await?;
        }
        self.is_prepared.store(true, Ordering::Relaxed);
        Ok(is_there)
    }

    /// Works until it is done or it is time to prolong the lease. `false` where the lease is lost.
    async fn go_on(
        &self,
        lease: &Lease,
        rebuild: Option<Rebuild>,
        applied: &mut u64,
        watch: Watcher<'_>,
    ) -> Result<bool, ProjectionError> {
        let until = Instant::now() + PROLONGED_AFTER;
        match rebuild {
            Some(rebuild) => self.rebuild(lease, rebuild, until, watch).await,
            None => self.apply_waiting(lease, until, applied, watch).await,
        }
    }

    async fn lease(&self) -> Result<Option<Lease>, StoreError> {
        let now = Timestamp::now();
        self.store.graph_lease(&self.holder, now, now + LEASE).await
    }

    /// Applies what waits, batch by batch.
    async fn apply_waiting(
        &self,
        lease: &Lease,
        until: Instant,
        applied: &mut u64,
        watch: Watcher<'_>,
    ) -> Result<bool, ProjectionError> {
        while Instant::now() < until {
            let rows = self.store.graph_waiting(BATCH).await?;
            if rows.is_empty() {
                break;
            }
            let mut tenants: BTreeMap<Tenant, Vec<OutboxRow>> = BTreeMap::new();
            for row in rows {
                tenants.entry(row.tenant.clone()).or_default().push(row);
            }
            for (tenant, rows) in tenants {
                self.apply(lease, &tenant, &rows).await?;
                if !self.store.graph_applied(lease, &tenant, &rows, Timestamp::now()).await? {
                    return Ok(false);
                }
                *applied += rows.len() as u64;
                watch(Step::Applied(*applied));
            }
        }
        Ok(true)
    }

    /// Puts the facts of these rows into the graph as they are now, or takes them out.
    async fn apply(&self, lease: &Lease, tenant: &Tenant, rows: &[OutboxRow]) -> Result<(), ProjectionError> {
        let changed: BTreeSet<FactId> = rows.iter().map(|row| row.fact).collect();
        let changed: Vec<FactId> = changed.into_iter().collect();
        let active = self.store.facts_active(tenant, changed.clone()).await?;
        let there: HashSet<FactId> = active.iter().map(|(_, fact)| fact.id).collect();
        let gone = changed.iter().filter(|id| !there.contains(id));
        let gone = gone.map(|fact| Change::Remove { tenant: tenant.clone(), fact: *fact });
        let changes: Vec<Change> = self.puts(tenant, &active).chain(gone).collect();
        Ok(self.graph.apply(lease.fence, &changes).await?)
    }

    fn puts<'a>(
        &'a self,
        tenant: &'a Tenant,
        facts: &'a [(SpaceId, Fact)],
    ) -> impl Iterator<Item = Change> + 'a {
        facts.iter().map(|(space, fact)| Change::Put(node(&self.store, tenant, *space, fact)))
    }

    /// Goes on with a rebuild where it was.
    async fn rebuild(
        &self,
        lease: &Lease,
        from: Rebuild,
        until: Instant,
        watch: Watcher<'_>,
    ) -> Result<bool, ProjectionError> {
        let (mut tenant, mut after, mut done, mut total) = match from {
            Rebuild::Walking { tenant, fact, done, total } => (tenant, fact, done, total),
            Rebuild::Wiping => {
                let mut wiped = 0;
                loop {
                    match self.graph.wipe(lease.fence, WIPED_AT_ONCE).await? {
                        0 => break,
                        count => wiped += count,
                    }
                    watch(Step::Wiped(wiped));
                    if Instant::now() >= until {
                        return Ok(true);
                    }
                }
                (Tenant::new(""), FactId(0), 0, active_facts(&self.store).await?)
            }
        };
        for next in self.store.tenants().await?.into_iter().filter(|next| *next >= tenant).collect::<Vec<_>>()
        {
            if next != tenant {
                (tenant, after) = (next, FactId(0));
            }
            loop {
                if Instant::now() >= until {
                    return Ok(true);
                }
                let page = self.store.facts_active_page(&tenant, after, BATCH).await?;
                let Some((_, last)) = page.last() else { break };
                after = last.id;
                let puts: Vec<Change> = self.puts(&tenant, &page).collect();
                self.graph.apply(lease.fence, &puts).await?;
                done += page.len() as u64;
                total = total.max(done);
                let progress = Rebuild::Walking { tenant: tenant.clone(), fact: after, done, total };
                if !self.store.graph_rebuild_at(lease, Some(progress)).await? {
                    return Ok(false);
                }
                watch(Step::Rebuilt { done, of: total });
            }
        }
        Ok(self.store.graph_rebuild_at(lease, None).await?)
    }
}

async fn active_facts(store: &Store) -> Result<u64, StoreError> {
    let mut total = 0;
    for tenant in store.tenants().await? {
        total += store.facts_active_count(&tenant).await?;
    }
    Ok(total)
}

/// A fact as the graph is to have it, its names sorted.
pub(crate) fn node(store: &Store, tenant: &Tenant, space: SpaceId, fact: &Fact) -> FactNode {
    let key = SpaceKey { tenant, id: space };
    let names: BTreeSet<_> = names_of(fact).all().map(|name| store.entity_key(key, name)).collect();
    FactNode { tenant: tenant.clone(), space, fact: fact.id, names: names.into_iter().collect() }
}
