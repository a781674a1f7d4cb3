//! The tree over the audit log, as the database keeps it.

use super::deployment;
use crate::StoreError;
use crate::rows::deployment::ANCHOR;
use crate::rows::log_end::ReadEnd;
use crate::rows::restorations::position;
use crate::script::{Db, StoreResult};
use crate::sql::params;
use domain::EntryNumber;
use evidence::{
    Anchor, Appender, Frontier, Hash, Head, KEPT_LEVELS, LogEnd, Node, Plan, Subtrees, is_consistent,
    peaks_of,
};

/// Entries that are read at once.
const PAGE: i64 = 4096;

/// What goes on from the end of the log. One that has no tree, or another one than its head signs, is given its tree here,
/// once: the next entry writes it.
pub(crate) async fn appender<D: Db>(db: &mut D, read: ReadEnd) -> StoreResult<Appender> {
    match read {
        ReadEnd::Whole(end) => Ok(Appender::new(end)),
        ReadEnd::WithoutTree(head) => grown(db, head).await,
    }
}

async fn grown<D: Db>(db: &mut D, head: Head) -> StoreResult<Appender> {
    let anchor = deployment::signed::<D, Anchor>(db, ANCHOR).await?;
    let start = anchor.map_or_else(LogEnd::genesis, |anchor| LogEnd {
        hash: anchor.statement.at.hash,
        tree: anchor.statement.tree(),
    });
    let mut appender = Appender::new(start);
    loop {
        let after = row_number(appender.end().tree.size())?;
        let sql = "SELECT seq, hash FROM audit_entry WHERE seq > $1 ORDER BY seq LIMIT $2";
        let page: Vec<(i64, Option<Vec<u8>>)> = db.all(sql, &params![after, PAGE]).await?;
        if page.is_empty() {
            break;
        }
        for (seq, hash) in page {
            appender.pass(position(EntryNumber(seq), hash)?.hash);
        }
    }
    let is_signed = head.tree.as_ref().is_none_or(|tree| tree.root == appender.end().tree.root());
    if appender.end().at() == head.at && is_signed {
        return Ok(appender);
    }
    Err(StoreError::corrupt("the audit log", "its entries are not those of its head; run verify_audit"))
}

/// The hashes of these subtrees, as far as the database has them.
pub(crate) async fn subtrees<D: Db>(db: &mut D, nodes: &[Node]) -> StoreResult<Subtrees> {
    let mut known = Subtrees::default();
    if let Some(anchor) = deployment::signed::<D, Anchor>(db, ANCHOR).await? {
        known.add_peaks(&anchor.statement.tree());
    }
    for node in nodes {
        for level in KEPT_LEVELS.into_iter().filter(|level| *level <= node.level) {
            if known.hash(*node).is_none() {
                kept(db, *node, level, &mut known).await?;
            }
        }
        if known.hash(*node).is_none() {
            entries(db, *node, &mut known).await?;
        }
    }
    Ok(known)
}

/// The tree over the first entries, once it is known to be the beginning of the one that the head signs.
pub(crate) async fn tree_at<D: Db>(db: &mut D, size: u64, end: &Frontier) -> StoreResult<Frontier> {
    let plan = Plan::consistency(size, end.size());
    let mut nodes = peaks_of(size);
    nodes.extend(plan.nodes());
    let known = subtrees(db, &nodes).await?;
    let tree = known
        .frontier(size)
        .zip(plan.proof(&known))
        .filter(|(tree, proof)| is_consistent((size, tree.root()), (end.size(), end.root()), proof));
    let wrong =
        || StoreError::corrupt("the tree over the audit log", "it is not that of its head; run verify_audit");
    tree.map(|(tree, _)| tree).ok_or_else(wrong)
}

async fn kept<D: Db>(db: &mut D, node: Node, level: u8, known: &mut Subtrees) -> StoreResult<()> {
    let places = node.places_at(level);
    let sql = "SELECT place, hash FROM audit_subtree WHERE level = $1 AND place >= $2 AND place < $3";
    let values = params![i64::from(level), row_number(places.start)?, row_number(places.end)?];
    for (place, hash) in db.all::<(i64, Vec<u8>)>(sql, &values).await? {
        if let (Ok(place), Ok(hash)) = (u64::try_from(place), hash.try_into()) {
            known.add(Node { level, place }, Hash(hash));
        }
    }
    Ok(())
}

pub(super) async fn entries<D: Db>(db: &mut D, node: Node, known: &mut Subtrees) -> StoreResult<()> {
    let places = node.places_at(0);
    let sql = "SELECT seq, hash FROM audit_entry WHERE seq > $1 AND seq <= $2";
    let values = params![row_number(places.start)?, row_number(places.end)?];
    for (seq, hash) in db.all(sql, &values).await? {
        let at = position(EntryNumber(seq), hash)?;
        known.add_leaf(at.size.saturating_sub(1), at.hash);
    }
    Ok(())
}

fn row_number(number: u64) -> StoreResult<i64> {
    i64::try_from(number).map_err(|e| StoreError::corrupt("the audit log", e))
}
