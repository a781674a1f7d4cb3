//! What the words deny. A denial never stores what it denies, nor repeats it: it is a fact of its own, under a subject
//! that says so, and ends the value where that is held.

use crate::proposal::Proposal;
use domain::{Action, FactKind, TimeRef, Wording};

/// Behind the subject of what is denied.
const IS_NOT: &str = " is not";

/// The denial as a fact, and the removal of what it denies.
pub(crate) fn split(p: Proposal) -> Vec<Proposal> {
    let gives = !matches!(p.action, Action::Retract | Action::Skip) && !p.value.is_empty();
    if !p.wording.denied || !gives || p.unusable.is_some() {
        return vec![p];
    }
    let doubt = p.wording.doubt;
    let denial = Proposal {
        subject: format!("{}{IS_NOT}", p.subject),
        slot: None,
        list: true,
        kind: FactKind::State,
        time_ref: TimeRef::Current,
        action: Action::Add,
        target: None,
        wording: Wording { doubt, ..Wording::default() },
        ..p.clone()
    };
    let removal = Proposal {
        action: Action::Retract,
        time_ref: TimeRef::Current,
        target: None,
        wording: Wording { doubt, denied: true, ..Wording::default() },
        ..p
    };
    vec![denial, removal]
}
