//! What an erasure takes: the facts, and what is kept of them in decisions.

use super::{decisions, facts};
use crate::rows::decisions::ErasedValues;
use crate::rows::erasure::{ErasureIntent, ErasurePlan, ErasureTarget};
use crate::script::{Db, StoreResult};
use crate::sql::{numbers, params};
use domain::{DecisionId, Fact, FactId, ReceiptId, Space, SpaceId, SpaceKey, Tenant};
use std::collections::BTreeSet;

/// Erased facts and decisions that one transaction takes. Others come between two of them.
pub(super) const PIECE: usize = 100;

/// The spaces that an erasure reaches, in the order in which they are locked.
pub(super) fn reached(intent: &ErasureIntent, of_user: Vec<(SpaceId, Space)>) -> Vec<(SpaceId, Space)> {
    let reaches = |space: &Space| intent.reaches_whole_user() || *space == intent.space;
    of_user.into_iter().filter(|(_, space)| reaches(space)).collect()
}

/// Whether it is so little that one transaction can take all of it.
pub(super) async fn is_small<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    intent: &ErasureIntent,
    reached: &[(SpaceId, Space)],
) -> StoreResult<bool> {
    let mut weight = 0;
    for (id, _) in reached {
        weight += facts_weight(db, SpaceKey { tenant, id: *id }, &intent.target).await?;
    }
    if weight > 0 || intent.also.decisions {
        weight += decisions::count_of_user(db, tenant, &intent.space.user_id, PIECE + 1).await?;
    }
    Ok(weight <= PIECE)
}

/// How many facts have to be looked at; beyond what one transaction can take, it does not matter how many.
async fn facts_weight<D: Db>(db: &mut D, space: SpaceKey<'_>, target: &ErasureTarget) -> StoreResult<usize> {
    let enough = PIECE as i64 + 1;
    let found: Vec<(i64,)> = match target {
        ErasureTarget::Subject(subject) => {
            let [key, former] = facts::subject_indexes(db, space, subject);
            let sql =
                "SELECT id FROM fact WHERE tenant = $1 AND space = $2 AND subject_ix IN ($3, $4) LIMIT $5";
            db.all(sql, &params![space.tenant, space.id, key, former, enough]).await?
        }
        ErasureTarget::Space | ErasureTarget::Expired(_) => {
            let sql = "SELECT version FROM fact WHERE tenant = $1 AND space = $2 LIMIT $3";
            db.all(sql, &params![space.tenant, space.id, enough]).await?
        }
    };
    Ok(found.len())
}

/// The numbers of the facts that go, and what is in those of them that open. How old a damaged fact is, nobody knows.
async fn facts_doomed<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    target: &ErasureTarget,
) -> StoreResult<(Vec<FactId>, Vec<Fact>)> {
    match target {
        ErasureTarget::Subject(subject) => facts::doomed(db, space, Some(subject)).await,
        ErasureTarget::Space => facts::doomed(db, space, None).await,
        ErasureTarget::Expired(expired) => {
            let (_, mut facts) = facts::doomed(db, space, None).await?;
            facts.retain(|fact| fact.created < expired.before);
            Ok((facts.iter().map(|fact| fact.id).collect(), facts))
        }
    }
}

/// The decisions that go: those that hold a doomed fact, or are of the space and old enough.
async fn decisions_doomed<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    target: &ErasureTarget,
    facts: &[FactId],
) -> StoreResult<Vec<DecisionId>> {
    let before = match target {
        ErasureTarget::Subject(_) => {
            let sql = "SELECT DISTINCT decision FROM belief WHERE tenant = $1 AND memory = $2";
            let found: Vec<(i64,)> = db.all_each(sql, space.tenant, &numbers(facts), &[]).await?;
            return Ok(found.into_iter().map(|(id,)| DecisionId(id)).collect());
        }
        ErasureTarget::Space => i64::MAX,
        ErasureTarget::Expired(expired) => expired.before.as_microsecond(),
    };
    let sql = "SELECT id FROM decision WHERE tenant = $1 AND space = $2 AND created < $3 ORDER BY id";
    let found: Vec<(i64,)> = db.all(sql, &params![space.tenant, space.id, before]).await?;
    Ok(found.into_iter().map(|(id,)| DecisionId(id)).collect())
}

/// The attestations in all spaces of the user.
async fn attestations<D: Db>(db: &mut D, tenant: &Tenant, user_id: &str) -> StoreResult<Vec<ReceiptId>> {
    let sql = "SELECT r.id FROM space s JOIN receipt r ON r.tenant = s.tenant AND r.space = s.id
        WHERE s.tenant = $1 AND s.user_id = $2 AND r.subject_ix IS NOT NULL ORDER BY r.id";
    let found: Vec<(i64,)> = db.all(sql, &params![tenant, user_id]).await?;
    Ok(found.into_iter().map(|(id,)| ReceiptId(id)).collect())
}

pub(super) async fn plan<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    intent: &ErasureIntent,
    spaces: Vec<(SpaceId, Space)>,
) -> StoreResult<ErasurePlan> {
    let (mut going, mut erased) = (BTreeSet::new(), Vec::new());
    let mut plan = ErasurePlan { spaces, ..ErasurePlan::default() };
    for (id, _) in &plan.spaces {
        let space = SpaceKey { tenant, id: *id };
        let (ids, facts) = facts_doomed(db, space, &intent.target).await?;
        if intent.also.decisions {
            going.extend(decisions_doomed(db, space, &intent.target, &ids).await?);
        }
        plan.facts.extend(ids.into_iter().map(|fact| (*id, fact)));
        erased.extend(facts);
    }
    let ids: Vec<i64> = plan.facts.iter().map(|(_, id)| id.0).collect();
    let mut redacted = decisions::resting_on(db, tenant, &ids).await?;
    let values = ErasedValues::of(&erased);
    plan.summaries = decisions::repeating(db, tenant, &intent.space.user_id, &values, &redacted).await?;
    plan.summaries.retain(|decision| !going.contains(decision));
    redacted.extend(plan.summaries.iter().copied());
    plan.redacted = redacted.difference(&going).count() as u64;
    if !intent.keys().is_empty() {
        let kept = decisions::summarized(db, tenant, &intent.space.user_id).await?;
        let stays = |id: &DecisionId| !going.contains(id) && !plan.summaries.contains(id);
        plan.summaries_kept = kept.into_iter().filter(stays).collect();
        if !intent.also.receipts {
            plan.receipts_kept = attestations(db, tenant, &intent.space.user_id).await?;
        }
    }
    plan.decisions = going.into_iter().collect();
    Ok(plan)
}
