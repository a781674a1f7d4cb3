//! Whether a proposal still fits what is held.

use crate::ledger::Ledger;
use domain::{Fact, Pending, Status};

/// Whether what was proposed is no longer what confirming would do. Times cannot tell: a call is dated by its start,
/// so that a slow one proposes a change to a fact that is younger than the proposal.
pub(crate) fn is_stale(ledger: &Ledger, flag: &Fact, pending: &Pending) -> bool {
    let as_proposed = |target: &Fact| {
        target.status == Status::Active && pending.target_value.as_ref() == Some(&target.value)
    };
    pending.gated
        && match pending.target {
            Some(id) => !ledger.get(id).is_some_and(as_proposed),
            None => !ledger.occupants(flag).is_empty(),
        }
}
