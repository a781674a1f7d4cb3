//! A change that waits for a decision, and that its record no longer says.

use super::holders::{Holder, Left, without};
use super::taken_back::IMPORTED_END;
use crate::plan::{Outcome, Plan, Write};
use crate::settled::close;
use domain::{Action, Fact, IMPORTED_DECIDED_AT, Status, Timestamp};

/// It waits no longer, unless another record says the same.
pub(super) fn withdraw(fact: &Fact, record: &Holder, at: Timestamp) -> Plan {
    let (action, after, reason) = match without(fact, record) {
        Left::Nobody => (Action::Archive, withdrawn(fact, at), "its record no longer says so"),
        Left::Record(after) => (Action::Dedup, *after, "another record says so still"),
        Left::Somebody | Left::Unknown => return Plan::default(),
    };
    let outcome = Outcome {
        action,
        subject: fact.subject.clone(),
        value: fact.value.clone(),
        reason: reason.to_owned(),
        id: Some(fact.id),
    };
    Plan { outcomes: vec![outcome], writes: vec![Write::Update(after)], ..Plan::default() }
}

/// As history shows a proposal that a person rejected, but that nobody did.
pub(super) fn withdrawn(fact: &Fact, at: Timestamp) -> Fact {
    let mut after = fact.clone();
    if fact.pending.as_ref().is_some_and(|pending| pending.action == Action::Retract) {
        after.value = format!("(rejected removal: {})", fact.value);
    }
    close(&mut after, Status::Historical);
    after.metadata.insert(IMPORTED_END.to_owned(), true.into());
    after.metadata.insert(IMPORTED_DECIDED_AT.to_owned(), at.to_string().into());
    after.changed = at.max(fact.created);
    after
}
