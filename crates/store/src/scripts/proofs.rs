//! Proofs that entries are in the audit log.

use super::tree::{entries, subtrees};
use crate::script::{Db, Query, Reach, StoreResult};
use domain::Account;
use evidence::{Hash, KEPT_LEVELS, Node, Plan};
use std::collections::BTreeSet;

/// The smallest subtrees whose hashes the database keeps. Below them the entries themselves are read, all at once.
const TILE: u8 = {
    let [_, _, smallest] = KEPT_LEVELS;
    smallest
};

/// For each of these entries, the hashes that lead from it to the root of the log of this size. `None` where they are not
/// all there.
pub(super) struct Inclusion {
    pub account: Account,
    pub entries: Vec<u64>,
    pub size: u64,
}

impl Query for Inclusion {
    type Output = Vec<Option<Vec<Hash>>>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    fn account(&self) -> Account {
        self.account.clone()
    }

    fn is_large(&self) -> bool {
        true
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let plan = |seq: &u64| Plan::inclusion(seq.saturating_sub(1), self.size);
        let plans: Vec<Plan> = self.entries.iter().map(plan).collect();
        let nodes: BTreeSet<Node> = plans.iter().flat_map(Plan::nodes).collect();
        let (small, large): (Vec<Node>, Vec<Node>) = nodes.into_iter().partition(|node| node.level < TILE);
        let mut known = subtrees(db, &large).await?;
        let tiles: BTreeSet<u64> = small.iter().map(|node| node.place >> (TILE - node.level)).collect();
        for place in tiles {
            entries(db, Node { level: TILE, place }, &mut known).await?;
        }
        Ok(plans.iter().map(|plan| plan.proof(&known)).collect())
    }
}
