//! What a record came to when it was brought last.

use super::holders::Holder;
use crate::needs::HeldFacts;
use crate::plan::Plan;
use domain::keys::subject_key;
use domain::{Action, Fact, FactId, Status, Timestamp, When};

/// A record that may have been brought before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before<'a> {
    /// What it came to when it was brought last.
    pub came_to: &'a [FactId],
    /// It had ended then.
    pub was_over: bool,
    /// No other record has its id. Two memories may give the same id to different things, which their subjects tell apart.
    pub is_unique: bool,
}

/// How a record is told.
#[derive(Debug, Clone, Copy)]
pub struct Telling<'a> {
    pub before: Before<'a>,
    /// A model read the facts out of its words.
    pub by_model: bool,
    /// It says no more after this.
    pub is_last: bool,
    /// When this ended, where the record is over.
    pub until: Option<Timestamp>,
    /// When the record was changed last, as far as it says.
    pub changed: Option<Timestamp>,
    /// When it was said, where the record says so.
    pub said: Option<When>,
    /// When it is brought.
    pub now: Timestamp,
}

/// What the record has come to once the plan is carried out, with what still stands of before.
pub fn came_to(plan: &Plan, held: &HeldFacts, before: Before<'_>) -> Vec<FactId> {
    let mut facts: Vec<FactId> = plan.outcomes.iter().filter_map(|outcome| outcome.id).collect();
    let stands = |id: &FactId| {
        let then = held.facts.iter().find(|fact| fact.id == *id);
        plan.written(*id).or(then).is_some_and(|fact| Status::STANDING.contains(&fact.status))
    };
    for id in before.came_to.iter().filter(|id| stands(id)) {
        if !facts.contains(id) {
            facts.push(*id);
        }
    }
    facts
}

/// What of it stands, and its end takes back.
pub(super) fn own<'a>(held: &'a HeldFacts, fact: &Fact, before: Before<'_>) -> Vec<&'a Fact> {
    let record = Holder::of(&fact.metadata);
    let holds = |held: &Fact| record.as_ref().is_some_and(|record| record.holds(held));
    let of =
        |held: &&Fact| before.came_to.contains(&held.id) && (held.status == Status::Active || waits(held));
    held.facts
        .iter()
        .filter(of)
        .filter(|held| holds(held) && (before.is_unique || may_be_of(held, fact)))
        .collect()
}

/// Words have no subject: what the model made of them has.
fn may_be_of(held: &Fact, fact: &Fact) -> bool {
    let of_words = Holder::of(&fact.metadata).map(|record| record.to_string());
    of_words.as_ref() == Some(&fact.subject) || subject_key(&held.subject) == subject_key(&fact.subject)
}

/// Whether it is a value that waits for a decision, and no removal.
pub(super) fn waits(fact: &Fact) -> bool {
    fact.status == Status::FlaggedConflict
        && fact.pending.as_ref().is_none_or(|pending| pending.action != Action::Retract)
}

/// When the record changed, where it says so and that is after what it was before.
pub(super) fn since(fact: &Fact, before: &Fact, now: Timestamp) -> Timestamp {
    let says = fact.changed > fact.created && fact.changed > before.created;
    if says { fact.changed } else { now }
}

pub(super) fn is_over(fact: &Fact) -> bool {
    matches!(fact.status, Status::Superseded | Status::Historical)
}
