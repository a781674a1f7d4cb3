//! Which held fact a proposal is about.

use crate::ledger::{Ledger, Row};
use crate::proposal::Proposal;
use crate::slot::{item_key, same_value, scope_key};
use domain::keys::subject_key;
use domain::{Action, Fact, Kind, Status};

/// What models write for a value when they only mean that it has gone.
const PLACEHOLDERS: [&str; 10] =
    ["", "none", "nothing", "null", "nil", "n a", "na", "removed", "deleted", "retracted"];

/// The state that the proposal's value would take the place of.
pub(crate) fn holder<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    if p.stored_kind() == Kind::Event {
        return None;
    }
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    let mut here =
        ledger.active(&subject).filter(|r| r.scope == scope && r.fact.kind == Kind::State).map(|r| &r.fact);
    if !p.is_list() {
        return here.next();
    }
    let item = item_key(&p.value);
    // The identity of the item goes before the model's target: an item must not come to stand in the list twice.
    here.find(|f| item_key(&f.value) == item).or_else(|| {
        let names_one = matches!(p.action, Action::Supersede | Action::Refine | Action::Flag);
        target(ledger, p).filter(|f| names_one && f.kind == Kind::State && scope_key(&f.scope) == scope)
    })
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
    p.stored_kind() == Kind::State
        && ledger.active(&subject).any(|r| {
            r.scope != scope
                && r.fact.kind == Kind::State
                && (!p.is_list() || item_key(&r.fact.value) == item_key(&p.value))
        })
}

/// The current fact that a removal means.
pub(crate) fn removable<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    let named = |r: &Row| {
        same_value(p.slot.as_ref(), &r.fact.value, &p.value)
            || (p.is_list() && item_key(&r.fact.value) == item_key(&p.value))
    };
    target(ledger, p).or_else(|| only(ledger, p, Ambiguity::FirstHere, named)).or_else(|| {
        let vague = PLACEHOLDERS.contains(&subject_key(&p.value).as_str());
        only(ledger, p, Ambiguity::NoneHere, |_| vague)
    })
}

/// The current fact that the proposal repeats word for word, or names by its bare identity in a list. A value that
/// says more than the held item is a change of it, whatever else the statement says has gone.
pub(crate) fn repeated<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    let bare = p.is_list() && item_key(&p.value) == subject_key(&p.value);
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

/// A candidate of the proposal's scope, or else the only one of any other scope.
fn only<'a>(
    ledger: &'a Ledger,
    p: &Proposal,
    ambiguity: Ambiguity,
    candidate: impl Fn(&Row) -> bool,
) -> Option<&'a Fact> {
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    let (here, elsewhere): (Vec<&Row>, Vec<&Row>) =
        ledger.active(&subject).filter(|r| candidate(r)).partition(|r| r.scope == scope);
    match (here.as_slice(), elsewhere.as_slice(), ambiguity) {
        ([row], _, _) | ([row, ..], _, Ambiguity::FirstHere) | ([], [row], _) => Some(&row.fact),
        _ => None,
    }
}

/// The model's own choice, as far as it may be believed.
fn target<'a>(ledger: &'a Ledger, p: &Proposal) -> Option<&'a Fact> {
    ledger
        .get(p.target?)
        .filter(|f| f.status == Status::Active && subject_key(&f.subject) == subject_key(&p.subject))
}
