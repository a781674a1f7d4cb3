//! The key that at most one current fact may have.

use crate::slot_schema::Slot;
use domain::keys::{item_key, subject_key, value_key};
use domain::{Fact, FactKind, Status};

/// `None` for a fact that takes no slot: an event, or one that is not current. Two current facts with the same key
/// would contradict each other.
pub fn slot_key(fact: &Fact) -> Option<String> {
    if fact.status != Status::Active || fact.kind == FactKind::Event {
        return None;
    }
    let place = format!("{}\u{1f}{}", subject_key(&fact.subject), scope_key(&fact.scope));
    Some(if fact.list_item { format!("{place}\u{1f}{}", item_key(&fact.value)) } else { place })
}

pub(crate) fn scope_key(scope: &str) -> String {
    subject_key(scope)
}

/// Whether two values are the same, by the rules of their slot.
pub(crate) fn same_value(slot: Option<&Slot>, a: &str, b: &str) -> bool {
    if slot.is_some_and(|s| s.verbatim) { a.trim() == b.trim() } else { value_key(a) == value_key(b) }
}
