//! Which of its words a proposal may be taken at: what it aims at, and whether it is a state.

use crate::ledger::Ledger;
use crate::matching::{holder, known, removable, target};
use crate::proposal::Proposal;
use crate::slot_key::{same_value, scope_key};
use crate::slot_schema::SlotSchema;
use domain::keys::subject_key;
use domain::{Action, Fact, FactId, FactKind, Status, TimeRef};
use std::collections::BTreeSet;

const UNNAMED: &str = "the statement does not name what it would remove";

/// What the entries of one statement have to do with held facts before any of them is carried out, so that none takes
/// away what another one says.
pub(crate) struct Claims {
    /// Facts that some entry is about by its own subject.
    own: BTreeSet<FactId>,
    /// Facts that some entry says once more.
    pub restated: BTreeSet<FactId>,
}

impl Claims {
    pub fn of(ledger: &Ledger, proposals: &[Proposal]) -> Self {
        let usable = || proposals.iter().filter(|p| p.unusable.is_none());
        let own = usable().filter_map(|p| holder(ledger, p).or_else(|| removable(ledger, p)));
        let says_again = |p: &&Proposal| {
            !p.look.removal
                && p.time_ref != TimeRef::Past
                && !matches!(p.action, Action::Retract | Action::Archive | Action::Skip)
        };
        let restated = usable().filter(says_again).filter_map(|p| known(ledger, p));
        Self { own: own.map(|f| f.id).collect(), restated: restated.map(|f| f.id).collect() }
    }
}

/// The proposal as the rules take it: about the fact that it aims at, if it may aim at that, and at nothing otherwise.
pub(crate) fn settle(ledger: &Ledger, p: &Proposal, claims: &Claims, slots: &SlotSchema) -> Proposal {
    let mut settled = p.clone();
    let Some(aimed) = p.target.and_then(|id| ledger.get(id)).filter(|f| f.status == Status::Active) else {
        settled.target = None;
        return settled;
    };
    if target(ledger, p).is_some() {
        if aimed.kind == FactKind::State {
            settled.kind = FactKind::State;
        }
        return settled;
    }
    // A value of a declared slot stays in its slot, whatever a model takes it to replace.
    let free =
        p.slot.is_none() && scope_key(&p.scope) == scope_key(&aimed.scope) && !claims.own.contains(&aimed.id);
    let slot = slots.fold(&aimed.subject).cloned();
    let list = slot.as_ref().is_some_and(|s| s.multi);
    if free && may_change(ledger, p, aimed) && is_named(p, aimed, list) {
        settled.moved_from = holder(ledger, p).map(|own| own.id);
        settled.subject.clone_from(&aimed.subject);
        settled.slot = slot;
    } else if free && p.action == Action::Retract && same_value(slot.as_ref(), &aimed.value, &p.value) {
        settled.subject.clone_from(&aimed.subject);
        settled.slot = slot;
        settled.misgiving = Some(UNNAMED);
    } else {
        settled.target = None;
    }
    settled
}

/// Whether the proposal is a change at all, and none of its own subject's.
fn may_change(ledger: &Ledger, p: &Proposal, aimed: &Fact) -> bool {
    let states = p.kind == FactKind::State && aimed.kind == FactKind::State;
    match p.action {
        Action::Supersede | Action::Refine => {
            // What was added beside moves to the fact that it is about, when it is said again and names that fact.
            let by_subject = p.look.target.as_ref().is_some_and(|named| named.by_subject);
            let moves = |own: &Fact| {
                by_subject && own.kind == FactKind::State && same_value(None, &own.value, &p.value)
            };
            states && holder(ledger, p).is_none_or(moves)
        }
        Action::Retract => states && removable(ledger, p).is_none(),
        Action::Dedup => same_value(None, &aimed.value, &p.value) && holder(ledger, p).is_none(),
        Action::Add | Action::Coexist | Action::Flag | Action::Archive | Action::Skip => false,
    }
}

/// All items of a list have one subject, so that only its own words name one of them.
fn is_named(p: &Proposal, aimed: &Fact, list: bool) -> bool {
    p.look.target.as_ref().is_some_and(|named| {
        subject_key(&named.subject) == subject_key(&aimed.subject)
            && (named.by_value || (named.by_subject && !list))
    })
}
