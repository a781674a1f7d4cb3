//! What a change that waits would replace or remove if it were approved now.

use crate::slot_key::slot_key;
use domain::{Action, Fact, Pending, Status};
use sha2::{Digest, Sha256};

/// The current ones of the facts that approving the flagged one would replace, refine or remove. Its target comes first.
pub fn standing<'a>(
    flag: &Fact,
    pending: &Pending,
    facts: impl IntoIterator<Item = &'a Fact>,
) -> Vec<&'a Fact> {
    let active: Vec<&Fact> = facts.into_iter().filter(|fact| fact.status == Status::Active).collect();
    let target = active.iter().copied().find(|fact| Some(fact.id) == pending.target);
    let leaves_others = match pending.action {
        Action::Retract => true,
        Action::Refine => target.is_some(),
        _ => false,
    };
    let place = slot_key(&Fact { status: Status::Active, ..flag.clone() }).filter(|_| !leaves_others);
    let has_place = |fact: &&Fact| place.is_some() && slot_key(fact) == place;
    let is_other = |fact: &&Fact| Some(fact.id) != pending.target;
    let mut others: Vec<&Fact> = active.into_iter().filter(is_other).filter(has_place).collect();
    others.sort_by_key(|fact| fact.id);
    target.into_iter().chain(others).collect()
}

/// Whether what was proposed is no longer what approving would do. Times cannot tell: a call is dated by its start, so a
/// slow one proposes a change to a fact that is younger than the proposal.
pub fn is_stale(pending: &Pending, standing: &[&Fact]) -> bool {
    let first = standing.first();
    let as_proposed = match pending.target {
        Some(id) => {
            first.is_some_and(|held| held.id == id && pending.target_value.as_ref() == Some(&held.value))
        }
        None => first.is_none(),
    };
    pending.gated && !as_proposed
}

/// Stands for facts and their values. Whoever decides sends back that of the facts that they were shown.
pub fn fingerprint(facts: &[&Fact]) -> String {
    let mut digest = Sha256::new();
    for fact in facts {
        digest.update(fact.id.0.to_be_bytes());
        digest.update(Sha256::digest(&fact.value));
    }
    hex::encode(digest.finalize())
}
