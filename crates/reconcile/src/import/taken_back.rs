//! What a person here took back, which no record of another memory makes current again.

use crate::apply::retracted;
use crate::needs::HeldFacts;
use crate::slot_key::scope_key;
use domain::keys::{subject_key, value_key};
use domain::{Status, Timestamp};

/// The key of a removal's metadata that says that a record ended, and no person took anything back.
pub(super) const IMPORTED_END: &str = "imported_end";
/// Why a record is not taken.
pub(super) const TAKEN_BACK: &str = "it was taken back here since; say it again if it holds";

/// The keys by which the note is found that a value was taken back.
pub(super) fn note_of(subject: &str, value: &str) -> (String, String) {
    (subject_key(subject), value_key(&retracted(value)))
}

/// When a person here took the value back, where nobody has said it again since.
pub(super) fn taken_back(held: &HeldFacts, subject: &str, scope: &str, value: &str) -> Option<Timestamp> {
    let (subject, scope) = (subject_key(subject), scope_key(scope));
    let (value, removed) = (value_key(value), value_key(&retracted(value)));
    let here = || {
        held.facts
            .iter()
            .filter(|fact| subject_key(&fact.subject) == subject && scope_key(&fact.scope) == scope)
    };
    if here().any(|fact| fact.status == Status::Active && value_key(&fact.value) == value) {
        return None;
    }
    here()
        .filter(|fact| fact.status == Status::Historical && value_key(&fact.value) == removed)
        .filter(|fact| !fact.metadata.contains_key(IMPORTED_END))
        .map(|fact| fact.changed)
        .max()
}
