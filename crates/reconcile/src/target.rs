//! Which held fact a proposal may change, and whether it is a state.

use crate::ledger::Ledger;
use crate::matching::{holder, known, removable, target};
use crate::proposal::Proposal;
use crate::slot_key::{same_value, scope_key};
use crate::slot_schema::SlotSchema;
use domain::keys::subject_key;
use domain::{Action, Fact, FactId, FactKind, Status, TimeRef};
use std::collections::BTreeSet;

const UNNAMED: &str = "the statement does not name what it would remove";

/// Which held facts the entries of a statement are about, worked out before any entry is applied. No entry may take
/// away what another one says.
pub(crate) struct Claims {
    /// Facts that have the subject of some entry.
    own: BTreeSet<FactId>,
    /// Facts that some entry says again.
    pub restated: BTreeSet<FactId>,
}

impl Claims {
    pub fn of(ledger: &Ledger, proposals: &[Proposal]) -> Self {
        let usable = || proposals.iter().filter(|p| p.unusable.is_none());
        let own = usable().filter_map(|p| holder(ledger, p).or_else(|| removable(ledger, p)));
        let says_again = |p: &&Proposal| {
            !p.wording.removal
                && p.time_ref != TimeRef::Past
                && !matches!(p.action, Action::Retract | Action::Archive | Action::Skip)
        };
        let restated = usable().filter(says_again).filter_map(|p| known(ledger, p));
        Self { own: own.map(|f| f.id).collect(), restated: restated.map(|f| f.id).collect() }
    }
}

/// The proposal as the rules see it: it keeps its target only if it may change that fact.
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
    // A value of a declared slot stays in its slot, whatever the model says that it replaces.
    let free =
        p.slot.is_none() && scope_key(&p.scope) == scope_key(&aimed.scope) && !claims.own.contains(&aimed.id);
    let slot = slots.fold(&aimed.subject).cloned();
    let list = aimed.list_item || slot.as_ref().is_some_and(|s| s.multi);
    if free && may_change(ledger, p, aimed) && is_named(p, aimed, list) {
        settled.moved_from = holder(ledger, p).map(|own| own.id);
        settled.subject.clone_from(&aimed.subject);
        settled.slot = slot;
        settled.list = list;
    } else if free && p.action == Action::Retract && same_value(slot.as_ref(), &aimed.value, &p.value) {
        settled.subject.clone_from(&aimed.subject);
        settled.slot = slot;
        settled.list = list;
        settled.misgiving = Some(UNNAMED);
    } else {
        settled.target = None;
    }
    settled
}

/// Whether the proposal is a change, and not a change of its own subject's fact.
fn may_change(ledger: &Ledger, p: &Proposal, aimed: &Fact) -> bool {
    let states = p.kind == FactKind::State && aimed.kind == FactKind::State;
    match p.action {
        Action::Supersede | Action::Refine => {
            // A value that was stored under its own subject moves to the target when it is said again and names the
            // target.
            let by_subject = p.wording.target.as_ref().is_some_and(|named| named.by_subject);
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

/// All items of a list have one subject, so an item is named only by its value.
fn is_named(p: &Proposal, aimed: &Fact, list: bool) -> bool {
    p.wording.target.as_ref().is_some_and(|named| {
        subject_key(&named.subject) == subject_key(&aimed.subject)
            && (named.by_value || (named.by_subject && !list))
    })
}
