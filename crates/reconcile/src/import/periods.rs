//! Values that hold one after the other.

use crate::proposal::Proposal;
use domain::{Action, FactKind, TimeRef};

/// Whether the slot has one value at a time, and the proposal says since when this is it.
pub(super) fn has_periods(p: &Proposal) -> bool {
    p.stored_kind() == FactKind::State
        && !p.list
        && p.time_ref != TimeRef::Past
        && p.action != Action::Retract
}
