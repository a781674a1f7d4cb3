//! Holds the entity graph against the store, fact by fact.

use crate::projection_work::{ProjectionError, node};
use domain::{FactId, Tenant};
use graph::{FactNode, Graph};
use std::collections::BTreeSet;
use store::Store;

const PAGE: usize = 1000;

/// What both sides hold. Changes that wait to be applied are differences too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Active facts that are the same on both sides.
    pub equal: u64,
    /// Active facts that the graph lacks.
    pub missing: Vec<(Tenant, FactId)>,
    /// Facts that the graph has and that are not active, or not there.
    pub surplus: Vec<(Tenant, FactId)>,
    /// Facts that the graph has with other names than they have.
    pub different: Vec<(Tenant, FactId)>,
}

impl Comparison {
    pub fn is_equal(&self) -> bool {
        self.missing.is_empty() && self.surplus.is_empty() && self.different.is_empty()
    }

    fn add(&mut self, held: Option<FactNode>, projected: Option<FactNode>) {
        match (held, projected) {
            (Some(held), Some(projected)) if held == projected => self.equal += 1,
            (Some(held), Some(_)) => self.different.push((held.tenant, held.fact)),
            (Some(held), None) => self.missing.push((held.tenant, held.fact)),
            (None, Some(projected)) => self.surplus.push((projected.tenant, projected.fact)),
            (None, None) => {}
        }
    }
}

/// Compares every active fact of every tenant; `watch` hears how many are done.
pub async fn compare(
    store: &Store,
    graph: &Graph,
    watch: &mut (dyn FnMut(u64) + Send),
) -> Result<Comparison, ProjectionError> {
    let mut comparison = Comparison::default();
    let tenants: BTreeSet<Tenant> =
        store.tenants().await?.into_iter().chain(graph.tenants().await?).collect();
    for tenant in tenants {
        let (mut held, mut projected) = (Pages::new(), Pages::new());
        loop {
            if held.is_used_up() {
                let page = store.facts_active_page(&tenant, held.after, PAGE).await?;
                held.turn(page.iter().map(|(space, fact)| node(store, &tenant, *space, fact)).collect());
            }
            if projected.is_used_up() {
                projected.turn(graph.page(&tenant, projected.after, PAGE as u32).await?);
            }
            // The lower number goes first; of equal ones both do.
            let next = match (held.next(), projected.next()) {
                (None, None) => break,
                (Some(a), None) => a,
                (None, Some(b)) => b,
                (Some(a), Some(b)) => a.min(b),
            };
            let before = comparison.equal;
            comparison.add(held.take(next), projected.take(next));
            if comparison.equal > before && comparison.equal % PAGE as u64 == 0 {
                watch(comparison.equal);
            }
        }
    }
    Ok(comparison)
}

/// The facts of one side by their numbers, read page by page.
struct Pages {
    /// In falling order: the next one is the last.
    rest: Vec<FactNode>,
    after: FactId,
    ended: bool,
}

impl Pages {
    fn new() -> Self {
        Self { rest: Vec::new(), after: FactId(0), ended: false }
    }

    fn is_used_up(&self) -> bool {
        self.rest.is_empty() && !self.ended
    }

    fn turn(&mut self, mut page: Vec<FactNode>) {
        self.ended = page.is_empty();
        self.after = page.last().map_or(self.after, |last| last.fact);
        page.reverse();
        self.rest = page;
    }

    fn next(&self) -> Option<FactId> {
        self.rest.last().map(|node| node.fact)
    }

    fn take(&mut self, fact: FactId) -> Option<FactNode> {
        if self.next() == Some(fact) { self.rest.pop() } else { None }
    }
}
