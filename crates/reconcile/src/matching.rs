//! Which held fact a proposal is about.

use crate::ledger::{Ledger, Row};
use crate::proposal::Proposal;
use crate::slot_key::{same_value, scope_key};
use domain::keys::{item_key, subject_key};
use domain::{Action, Fact, FactKind, Status};

/// What models write as the value of something that only ended.
pub(crate) const PLACEHOLDERS: [&str; 10] =
    ["", "none", "nothing", "null", "nil", "n a", "na", "removed", "deleted", "retracted"];

/// The state that the proposal's value would replace.
pub(crate) fn holder<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    if p.stored_kind() == FactKind::Event {
        return None;
    }
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    let mut here = ledger
        .active(&subject)
        .filter(|r| r.scope == scope && r.fact.kind == FactKind::State)
        .map(|r| &r.fact);
    if !p.list {
        // An event of the same subject counts as a state if a state aims at it.
        return here.next().or_else(|| target(ledger, p).filter(|f| scope_key(&f.scope) == scope));
    }
    let item = item_key(&p.value);
    // The identity of the item takes precedence over the model's target: no item may be in the list twice.
    here.find(|f| item_key(&f.value) == item)
        .or_else(|| aimed_item(ledger, p).filter(|_| p.action == Action::Flag || names_item(p)))
}

/// Another item of the list that the model wants to replace, although the statement does not name it.
pub(crate) fn other_item<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    aimed_item(ledger, p).filter(|_| p.list && holder(ledger, p).is_none())
}

fn aimed_item<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    let changes = matches!(p.action, Action::Supersede | Action::Refine | Action::Flag);
    target(ledger, p)
        .filter(|f| changes && f.kind == FactKind::State && scope_key(&f.scope) == scope_key(&p.scope))
}

fn names_item(p: &Proposal) -> bool {
    p.wording.target.as_ref().is_some_and(|named| named.by_value)
}

/// The current fact that says the same already.
pub(crate) fn known<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    let same = |f: &&Fact| same_value(p.slot.as_ref(), &f.value, &p.value);
    if let Some(fact) = holder(ledger, p) {
        return Some(fact).filter(same);
    }
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    ledger.active(&subject).filter(|r| r.scope == scope).map(|r| &r.fact).find(same)
}

/// Whether another scope holds a current state of the subject, or of the same item of it.
pub(crate) fn held_elsewhere(ledger: &Ledger, p: &Proposal) -> bool {
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    p.stored_kind() == FactKind::State
        && ledger.active(&subject).any(|r| {
            r.scope != scope
                && r.fact.kind == FactKind::State
                && (!p.list || item_key(&r.fact.value) == item_key(&p.value))
        })
}

/// The current fact that a removal means.
pub(crate) fn removable<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    let vague = PLACEHOLDERS.contains(&subject_key(&p.value).as_str());
    let said = || {
        only(ledger, p, Ambiguity::FirstHere, |r| {
            same_value(p.slot.as_ref(), &r.fact.value, &p.value)
                || (p.list && item_key(&r.fact.value) == item_key(&p.value))
        })
    };
    let aimed = || target(ledger, p).filter(|f| !ledger.is_touched(f.id));
    let found =
        if p.list { said().or_else(|| aimed().filter(|_| names_item(p))) } else { aimed().or_else(said) };
    found.or_else(|| only(ledger, p, Ambiguity::NoneHere, |_| vague))
}

/// The item of a list that a removal aims at without naming it.
pub(crate) fn unnamed_item<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    target(ledger, p).filter(|f| p.list && !ledger.is_touched(f.id))
}

/// The current fact that the proposal repeats word for word, or names by its bare identity in a list. A value that
/// says more than the held item is a change of it, whatever else the statement says has gone.
pub(crate) fn repeated<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    let bare = p.list && item_key(&p.value) == subject_key(&p.value);
    only(ledger, p, Ambiguity::FirstHere, |r| {
        same_value(p.slot.as_ref(), &r.fact.value, &p.value)
            || (bare && item_key(&r.fact.value) == item_key(&p.value))
    })
}

/// What to do with several candidates in the proposal's own scope.
enum Ambiguity {
    FirstHere,
    NoneHere,
}

/// A candidate of the proposal's scope, or else the only one of any other scope; none that this statement has written.
fn only<'a>(
    ledger: &'a Ledger,
    p: &Proposal,
    ambiguity: Ambiguity,
    candidate: impl Fn(&Row) -> bool,
) -> Option<&'a Fact> {
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    let (here, elsewhere): (Vec<&Row>, Vec<&Row>) = ledger
        .active(&subject)
        .filter(|r| !ledger.is_touched(r.fact.id) && candidate(r))
        .partition(|r| r.scope == scope);
    match (here.as_slice(), elsewhere.as_slice(), ambiguity) {
        ([row], _, _) | ([row, ..], _, Ambiguity::FirstHere) | ([], [row], _) => Some(&row.fact),
        _ => None,
    }
}

/// The model's own choice, if it is current and has the proposal's subject.
pub(crate) fn target<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    ledger
        .get(p.target?)
        .filter(|f| f.status == Status::Active && subject_key(&f.subject) == subject_key(&p.subject))
}
