//! Several entries of one statement for the same slot: they are joined into one value and never replace each other.

use crate::proposal::{Proposal, why_unusable};
use crate::slot_key::scope_key;
use domain::keys::{item_key, subject_key, value_key};
use domain::{Action, FactKind, TimeRef, Triple, limits};

const TOO_LONG: &str = "with the other values of the statement it would be too long";
const LESS_SURE: &str = "the statement gives another value, and is surer of it";

/// The entries in their order. Those of one slot are joined at the position of the first, except those that stand for
/// themselves.
pub(crate) fn join(proposals: &[Proposal], stands_alone: impl Fn(&Proposal) -> bool) -> Vec<Proposal> {
    let slot_of = |p: &Proposal| slot_of(p).filter(|_| !stands_alone(p));
    let holds_now = |p: &Proposal| slot_of(p).is_some() && !p.wording.removal && p.misgiving.is_none();
    let mut joined: Vec<Proposal> = Vec::new();
    let mut gone: Vec<Proposal> = Vec::new();
    let rivals = |p: &Proposal| {
        proposals.iter().filter(|other| slot_of(other).is_some() && slot_of(other) == slot_of(p)).count()
    };
    let surer = |p: &Proposal| {
        p.confidence < limits::SURE
            && proposals.iter().any(|other| {
                slot_of(other) == slot_of(p) && holds_now(other) && other.confidence >= limits::SURE
            })
    };
    for proposal in proposals {
        let mut p = proposal.clone();
        if slot_of(&p).is_none() || rivals(&p) == 1 {
            joined.push(p);
        } else if p.wording.removal {
            // What the words say has gone is the former value. It is handled after the value that replaces it.
            p.time_ref = TimeRef::Past;
            p.action = Action::Retract;
            gone.push(p);
        } else if surer(&p) {
            p.misgiving = Some(LESS_SURE);
            joined.push(p);
        } else {
            match joined.iter_mut().find(|first| holds_now(first) && slot_of(first) == slot_of(&p)) {
                Some(first) => {
                    let rest = add(first, p);
                    joined.extend(rest);
                }
                None => joined.push(p),
            }
        }
    }
    joined.extend(gone);
    joined
}

/// The slot of an entry that plainly says what holds now.
fn slot_of(p: &Proposal) -> Option<(String, String, Option<String>)> {
    let says_so = p.unusable.is_none()
        && !p.value.is_empty()
        && p.stored_kind() == FactKind::State
        && p.wording.doubt.is_none()
        && matches!(p.time_ref, TimeRef::Current | TimeRef::Unknown)
        && !matches!(p.action, Action::Skip | Action::Retract | Action::Archive | Action::Flag);
    says_so.then(|| (subject_key(&p.subject), scope_key(&p.scope), p.list.then(|| item_key(&p.value))))
}

/// Returns the entry, for a person to look at, if both values together would be too long.
fn add(first: &mut Proposal, p: Proposal) -> Option<Proposal> {
    let value = both(&first.value, &p.value);
    let candidate = Proposal { value, ..first.clone() };
    if why_unusable(&candidate).is_some() {
        return Some(Proposal { misgiving: Some(TOO_LONG), ..p });
    }
    let more = value_key(&candidate.value) != value_key(&first.value);
    *first = candidate;
    if first.action == Action::Dedup || (first.action == Action::Add && p.action != Action::Dedup) {
        first.action = p.action;
    }
    if p.kind == FactKind::State {
        first.kind = FactKind::State;
    }
    first.confidence = first.confidence.min(p.confidence);
    first.target = first.target.or(p.target);
    first.wording.target = first.wording.target.take().or(p.wording.target);
    if more {
        first.triple = Triple::default();
    }
    None
}

/// The longer of two values if it contains the shorter one, or else both.
fn both(a: &str, b: &str) -> String {
    if says_too(a, b) {
        a.to_owned()
    } else if says_too(b, a) {
        b.to_owned()
    } else {
        format!("{a}, {b}")
    }
}

fn says_too(long: &str, short: &str) -> bool {
    let words = |text: &str| -> Vec<String> { subject_key(text).split(' ').map(str::to_owned).collect() };
    let (long, short) = (words(long), words(short));
    long.windows(short.len()).any(|window| window == short)
}
