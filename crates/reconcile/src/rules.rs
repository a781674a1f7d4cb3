//! The rules, in their order: what a proposal does to what is held.

use crate::ledger::Ledger;
use crate::matching::{held_elsewhere, holder, known, removable, repeated};
use crate::plan::{Statement, Trust};
use crate::proposal::Proposal;
use crate::slot::{item_key, same_value, scope_key};
use crate::stale::is_stale;
use domain::keys::subject_key;
use domain::{Action, Fact, FactId, Kind, Pending, PolicyMode, SourcePolicy, TimeRef, limits};

/// What is to be done, before any of it is done.
pub(crate) enum Verdict {
    Skip(String),
    /// Nothing new; the fact that says it, unless that one is retired.
    Known(Option<FactId>),
    Archive,
    Add(Action),
    Supersede(FactId),
    Refine(FactId),
    Retract(FactId),
    Flag {
        action: Action,
        target: Option<FactId>,
        reason: String,
    },
}

/// What the rules look at beside the proposal and the facts.
pub(crate) struct Context<'a> {
    pub statement: &'a Statement<'a>,
    pub policy: &'a SourcePolicy,
    /// The statement's words say that this proposal's value has gone.
    pub said_removed: bool,
}

pub(crate) fn decide(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    if let Some(why) = &p.unusable {
        return Verdict::Skip(why.clone());
    }
    let wanted = match (p.time_ref, p.action) {
        (TimeRef::Past | TimeRef::Future, Action::Skip) => Action::Skip,
        (TimeRef::Past, _) => Action::Archive,
        _ if context.said_removed && repeated(ledger, p).is_some() => Action::Retract,
        // What is yet to come is no history.
        (TimeRef::Future, Action::Archive) => Action::Flag,
        (_, action) => action,
    };
    if p.value.is_empty() && !matches!(wanted, Action::Retract | Action::Skip) {
        return Verdict::Skip("no value".to_owned());
    }
    match wanted {
        Action::Skip => Verdict::Skip(or(&p.reason, "not a durable fact")),
        Action::Archive => archive(ledger, p),
        Action::Retract => retract(ledger, p, context),
        _ => hold(ledger, p, context),
    }
}

fn archive(ledger: &Ledger, p: &Proposal) -> Verdict {
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    let current = ledger
        .active(&subject)
        .find(|r| r.scope == scope && same_value(p.slot.as_ref(), &r.fact.value, &p.value))
        .map(|r| r.fact.id);
    match current {
        None if !ledger.is_retired(&subject, &p.value) => Verdict::Archive,
        known => Verdict::Known(known),
    }
}

fn retract(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    let Some(fact) = removable(ledger, p) else {
        return Verdict::Skip("nothing to remove: that is not a current value".to_owned());
    };
    match objection(p, Some(fact), Action::Retract, context) {
        Some(reason) => flag(ledger, p, Action::Retract, Some(fact), reason),
        None => Verdict::Retract(fact.id),
    }
}

/// The proposal's value is to be current.
fn hold(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    // That a value will stand is news even where it stands now.
    if p.time_ref != TimeRef::Future
        && let Some(fact) = known(ledger, p)
    {
        return Verdict::Known(Some(fact.id));
    }
    let holder = holder(ledger, p);
    let action = match holder {
        Some(fact) if p.action == Action::Refine && same_place(p, fact) => Action::Refine,
        Some(_) => Action::Supersede,
        None if held_elsewhere(ledger, p) => Action::Coexist,
        None => Action::Add,
    };
    if let Some(reason) = objection(p, holder, action, context) {
        return flag(ledger, p, action, holder, reason);
    }
    match holder {
        Some(fact) if action == Action::Refine => Verdict::Refine(fact.id),
        Some(fact) => Verdict::Supersede(fact.id),
        None => Verdict::Add(action),
    }
}

/// A refinement stays in its row, so that it must stay the same item too.
fn same_place(p: &Proposal, fact: &Fact) -> bool {
    !p.is_list() || item_key(&fact.value) == item_key(&p.value)
}

/// Why a person should look at it before it is done. `changed` is the fact that it would change.
fn objection(p: &Proposal, changed: Option<&Fact>, action: Action, context: &Context) -> Option<String> {
    if changed.is_some() && p.kind == Kind::Event {
        return Some("an event does not change what is held".to_owned());
    }
    if p.time_ref == TimeRef::Future {
        return Some("it speaks of the future".to_owned());
    }
    if p.action == Action::Flag && action != Action::Retract {
        return Some(or(&p.reason, "it is unclear what it changes"));
    }
    // A value in another scope counts as a change, or else naming a scope would pass the gate.
    let needs_approval = changed.is_some() || action == Action::Coexist;
    if needs_approval && p.is_gated() && context.statement.trust == Trust::Ordinary {
        return Some(GATED.to_owned());
    }
    // A first value is worth keeping however unsure; what the model itself calls a change is not.
    let called_change = matches!(p.action, Action::Supersede | Action::Coexist | Action::Refine);
    let is_change = action != Action::Add || (called_change && p.stored_kind() == Kind::State);
    if is_change && p.confidence < limits::SURE {
        return Some(format!("confidence {} is below {}", p.confidence, limits::SURE));
    }
    changed.and_then(|fact| dispute(fact, context))
}

pub(crate) const GATED: &str = "the slot changes only by approval";

/// The space's policy on sources that contradict each other. A source may always correct itself.
fn dispute(fact: &Fact, context: &Context) -> Option<String> {
    let (said_by, held_from) = (context.statement.source, fact.source.as_deref());
    let policy = context.policy;
    let outranks = policy.rank(said_by) > policy.rank(held_from);
    let allowed = match policy.mode {
        PolicyMode::Recency => true,
        PolicyMode::Authority => outranks || same_source(said_by, held_from),
        PolicyMode::Review => same_source(said_by, held_from),
    };
    (!allowed).then(|| {
        let name = |source: Option<&str>| source.map_or("nobody named".to_owned(), |s| format!("'{s}'"));
        format!("{} contradicts {} under the {} policy", name(said_by), name(held_from), policy.mode.word())
    })
}

fn same_source(a: Option<&str>, b: Option<&str>) -> bool {
    a.map(str::to_lowercase) == b.map(str::to_lowercase)
}

/// An equal flag that already waits makes this one a repeat, unless it can no longer be confirmed.
pub(crate) fn flag(
    ledger: &Ledger,
    p: &Proposal,
    action: Action,
    target: Option<&Fact>,
    reason: String,
) -> Verdict {
    let (subject, scope, target) = (subject_key(&p.subject), scope_key(&p.scope), target.map(|f| f.id));
    let queued = ledger.flagged(&subject).find(|r| {
        // A removal is known by what it removes; its proposal may name another scope, or no value at all.
        let same_words = action == Action::Retract
            || (r.scope == scope && same_value(p.slot.as_ref(), &r.fact.value, &p.value));
        let same_change =
            |w: &Pending| w.action == action && w.target == target && !is_stale(ledger, &r.fact, w);
        same_words && r.fact.pending.as_ref().is_some_and(same_change)
    });
    match queued {
        Some(row) => Verdict::Known(Some(row.fact.id)),
        None => Verdict::Flag { action, target, reason },
    }
}

fn or(reason: &str, default: &str) -> String {
    if reason.is_empty() { default.to_owned() } else { reason.to_owned() }
}
