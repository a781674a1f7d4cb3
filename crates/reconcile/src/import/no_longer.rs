//! What a record said when it was brought last, and says no longer.

use super::came_to::{Before, Telling, waits};
use super::holders::Holder;
use super::periods::has_periods;
use crate::needs::HeldFacts;
use crate::plan::Plan;
use crate::proposal::Proposal;
use crate::slot_key::scope_key;
use domain::keys::{subject_key, value_key};
use domain::{Fact, Status, Timestamp};

/// What of it still stands after the plan.
pub(super) fn no_longer_said<'a>(
    plan: &Plan,
    held: &'a HeldFacts,
    proposals: &[Proposal],
    text: &str,
    telling: &Telling<'_>,
    record: &Holder,
) -> Vec<&'a Fact> {
    held.facts
        .iter()
        .filter(|fact| fact.status == Status::Active && record.holds(fact))
        // From the same words a model may read something else each time.
        .filter(|fact| !(telling.by_model && *fact.text == *text))
        .filter(|fact| {
            proposals.iter().any(|p| is_other_value(fact, p))
                || telling.before.came_to.contains(&fact.id)
                    && (telling.before.is_unique || proposals.iter().any(|p| is_moved(fact, p)))
        })
        .filter(|fact| is_left(plan, fact))
        .collect()
}

/// What it said and still waits for a decision.
pub(super) fn still_waiting<'a>(
    plan: &Plan,
    held: &'a HeldFacts,
    proposals: &[Proposal],
    text: &str,
    telling: &Telling<'_>,
    record: &Holder,
    is_end: bool,
) -> Vec<&'a Fact> {
    let subjects: Vec<String> = proposals.iter().map(|p| subject_key(&p.subject)).collect();
    held.facts
        .iter()
        .filter(|fact| {
            fact.status == Status::FlaggedConflict && (waits(fact) || !is_end) && record.holds(fact)
        })
        .filter(|fact| !(telling.by_model && *fact.text == *text))
        .filter(|fact| {
            subjects.contains(&subject_key(&fact.subject))
                || telling.before.is_unique && telling.before.came_to.contains(&fact.id)
        })
        .filter(|fact| is_left(plan, fact))
        .collect()
}

/// When the record came to say what it says now: where it said something else since the same time, or had ended, and does
/// not say when that changed, it was at the latest now.
pub(super) fn said_since(
    held: &HeldFacts,
    proposals: &[Proposal],
    at: Timestamp,
    telling: &Telling<'_>,
    record: &Holder,
) -> Timestamp {
    let [p] = proposals else { return at };
    if !telling.is_last || !has_periods(p) {
        return at;
    }
    let Before { came_to, was_over, is_unique } = telling.before;
    let own = || held.facts.iter().filter(|fact| record.holds(fact));
    let says = |fact: &Fact| is_same_slot(fact, p) && value_key(&fact.value) == value_key(&p.value);
    if let Some(fact) = own().find(|fact| says(fact) && fact.status == Status::Active) {
        return at.max(began(fact));
    }
    let until = own().filter_map(|fact| {
        let is_former = came_to.contains(&fact.id)
            && (is_unique || subject_key(&fact.subject) == subject_key(&p.subject));
        match fact.status {
            Status::Active if is_former || is_other_value(fact, p) => Some(began(fact)),
            Status::Superseded | Status::Historical if was_over && (is_former || is_same_slot(fact, p)) => {
                Some(fact.changed)
            }
            Status::Superseded if is_former && !says(fact) => Some(began(fact)),
            _ => None,
        }
    });
    match until.max() {
        Some(until) if until < at => at,
        None if !was_over => at,
        until => telling.changed.filter(|changed| Some(*changed) > until).unwrap_or(telling.now),
    }
}

fn began(fact: &Fact) -> Timestamp {
    fact.earlier.last().map_or(fact.created, |earlier| earlier.until)
}

fn is_left(plan: &Plan, fact: &Fact) -> bool {
    plan.written(fact.id).is_none() && plan.outcomes.iter().all(|outcome| outcome.id != Some(fact.id))
}

fn is_same_slot(fact: &Fact, p: &Proposal) -> bool {
    subject_key(&fact.subject) == subject_key(&p.subject) && scope_key(&fact.scope) == scope_key(&p.scope)
}

/// The slot has one value at a time, and the record says another one now.
fn is_other_value(fact: &Fact, p: &Proposal) -> bool {
    has_periods(p) && is_same_slot(fact, p) && value_key(&fact.value) != value_key(&p.value)
}

/// It is in another scope now.
fn is_moved(fact: &Fact, p: &Proposal) -> bool {
    has_periods(p) && subject_key(&fact.subject) == subject_key(&p.subject) && !is_same_slot(fact, p)
}
