//! What a record came to when it was brought last.

use super::holders::Holder;
use crate::needs::HeldFacts;
use domain::keys::subject_key;
use domain::{Fact, FactId, Status, Timestamp};

/// What of it is current.
pub(super) fn own<'a>(held: &'a HeldFacts, fact: &Fact, came_to: &[FactId]) -> Vec<&'a Fact> {
    let record = Holder::of(&fact.metadata);
    let holds = |held: &Fact| record.as_ref().is_some_and(|record| record.holds(held));
    let of = |held: &&Fact| came_to.contains(&held.id) && held.status == Status::Active;
    held.facts.iter().filter(of).filter(|held| holds(held) && may_be_of(held, fact)).collect()
}

/// Two memories may give the same id to different things, which their subjects tell apart. Words have none: what the
/// model made of them has.
fn may_be_of(held: &Fact, fact: &Fact) -> bool {
    let of_words = Holder::of(&fact.metadata).map(|record| record.to_string());
    of_words.as_ref() == Some(&fact.subject) || subject_key(&held.subject) == subject_key(&fact.subject)
}

/// When the record changed, where it says so and that is after what it was before.
pub(super) fn since(fact: &Fact, before: &Fact, now: Timestamp) -> Timestamp {
    let says = fact.changed > fact.created && fact.changed > before.created;
    if says { fact.changed } else { now }
}

pub(super) fn is_over(fact: &Fact) -> bool {
    matches!(fact.status, Status::Superseded | Status::Historical)
}
