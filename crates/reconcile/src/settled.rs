//! Changes that wait and that nobody need decide on any more, because the world has moved on.

use crate::slot_key::{same_value, scope_key};
use domain::keys::subject_key;
use domain::{Action, DECIDED_AT, Fact, Pending, SETTLED, Status, Timestamp, WITHDRAWN_BY};

const CURRENT: &str = "its value has become current";
pub(crate) const TARGET_GONE: &str = "what it would change is no longer current";

const OVER: &str = "its own time is over";

/// Why the flagged fact is settled, if it is. `target` is the fact that it would change, where that is known, and
/// `current` are the current facts of its subject.
pub(crate) fn settled_by<'a>(
    flag: &Fact,
    pending: &Pending,
    target: Option<&Fact>,
    current: impl IntoIterator<Item = &'a Fact>,
    now: Timestamp,
) -> Option<&'static str> {
    if flag.status != Status::FlaggedConflict {
        return None;
    }
    if pending.action != Action::Retract && flag.runs_out().is_some_and(|end| end <= now) {
        return Some(OVER);
    }
    let says_the_same = |held: &Fact| {
        subject_key(&held.subject) == subject_key(&flag.subject)
            && scope_key(&held.scope) == scope_key(&flag.scope)
            && same_value(None, &held.value, &flag.value)
            && held.kind == flag.kind
            && held.id != flag.id
    };
    // That a value will hold waits although it holds now, so a flag that began so is not settled by it.
    let is_new = pending.target_value.as_ref().is_none_or(|old| !same_value(None, old, &flag.value));
    if pending.action != Action::Retract && is_new && current.into_iter().any(says_the_same) {
        return Some(CURRENT);
    }
    target.is_some_and(|target| target.status != Status::Active).then_some(TARGET_GONE)
}

/// The fact waits no longer.
pub(crate) fn close(fact: &mut Fact, status: Status) {
    fact.status = status;
    fact.pending = None;
}

/// The proposal stays as history, with a note why nobody decided on it.
pub(crate) fn settle(flag: &mut Fact, why: &str, now: Timestamp) {
    retire(flag, "settled", now);
    flag.metadata.insert(SETTLED.to_owned(), why.into());
}

/// The proposal stays as history, with who took it back.
pub(crate) fn withdraw(flag: &mut Fact, by: &str, now: Timestamp) {
    retire(flag, "withdrawn", now);
    flag.metadata.insert(WITHDRAWN_BY.to_owned(), by.into());
}

fn retire(flag: &mut Fact, how: &str, now: Timestamp) {
    let removes = flag.pending.as_ref().is_some_and(|pending| pending.action == Action::Retract);
    close(flag, Status::Historical);
    if removes {
        flag.value = format!("({how} removal: {})", flag.value);
    }
    flag.metadata.insert(DECIDED_AT.to_owned(), now.to_string().into());
}
