//! The rules, in their order: what a proposal does to what is held.

use crate::ledger::Ledger;
use crate::matching::{held_elsewhere, holder, known, other_item, removable, repeated, unnamed_item};
use crate::proposal::Proposal;
use crate::slot_key::{same_value, scope_key};
use crate::standing::is_stale;
use crate::statement::{Statement, Trust};
use crate::verdict::Verdict;
use domain::keys::{item_key, subject_key};
use domain::{
    Action, Fact, FactId, FactKind, Pending, PolicyMode, SourcePolicy, Status, TimeRef, Timestamp, limits,
};
use std::collections::BTreeSet;

/// What the rules look at apart from the proposal and the facts.
pub(crate) struct Context<'a> {
    pub statement: &'a Statement<'a>,
    pub policy: &'a SourcePolicy,
    /// Held facts that some entry of the statement says again.
    pub restated: &'a BTreeSet<FactId>,
}

/// One verdict, or two where an item is added and a removal is flagged.
pub(crate) fn decide(ledger: &Ledger, p: &Proposal, context: &Context) -> Vec<Verdict> {
    if let Some(why) = &p.unusable {
        return vec![Verdict::Skip(why.clone())];
    }
    let gone = if p.wording.removal && p.wording.doubt.is_none() { repeated(ledger, p) } else { None };
    let removes = p.action == Action::Retract || (gone.is_some() && !is_kept(p));
    if p.value.is_empty() && !removes && p.action != Action::Skip {
        return vec![Verdict::Skip("no value".to_owned())];
    }
    match (p.time_ref, p.action) {
        (_, Action::Skip) => vec![Verdict::Skip(or(&p.reason, "not a durable fact"))],
        // A denial of what is not held ends nothing.
        (_, Action::Retract) if p.wording.denied && removable(ledger, p).is_none() => Vec::new(),
        (_, Action::Retract) => vec![retract(ledger, p, context)],
        _ if is_kept(p) => vec![archive(ledger, p)],
        (_, action) => match gone {
            Some(fact) => vec![remove(ledger, p, fact, contradicted(action), context)],
            None => hold(ledger, p, context),
        },
    }
}

/// Whether it goes to history: because it is past, or because the model puts it there. The future never does.
fn is_kept(p: &Proposal) -> bool {
    p.time_ref == TimeRef::Past || (p.action == Action::Archive && p.time_ref != TimeRef::Future)
}

/// The words alone do not overrule a model that knows the fact and says that it still holds.
fn contradicted(action: Action) -> Option<&'static str> {
    match action {
        Action::Dedup | Action::Refine | Action::Coexist | Action::Flag => Some(CONTRADICTED),
        Action::Add | Action::Supersede | Action::Archive | Action::Retract | Action::Skip => None,
    }
}

const CONTRADICTED: &str = "the words say that it has gone, and the model that it holds";

/// Each value once, even if it is the current one.
fn archive(ledger: &Ledger, p: &Proposal) -> Verdict {
    if ledger.is_retired(&subject_key(&p.subject), &p.value) {
        Verdict::Known(None)
    } else {
        Verdict::Archive { ends: None }
    }
}

/// A statement that is older than what it contradicts: its value held until the next one began.
pub(crate) fn earlier(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    if ledger.is_retired(&subject_key(&p.subject), &p.value) {
        return Verdict::Known(None);
    }
    let at = context.statement.at();
    let next = values_in_turn(ledger, p).map(Fact::began).filter(|began| *began > at).min();
    next.map_or(Verdict::Archive { ends: None }, |until| Verdict::Earlier { until })
}

/// For a value that would take an empty place: what held there ended after the statement was made, and so did this.
pub(crate) fn overtaken(ledger: &Ledger, p: &Proposal, statement: &Statement) -> Option<Verdict> {
    let said = statement.said.filter(|_| p.stored_kind() == FactKind::State)?;
    let begins_after = |ended: Timestamp| p.times.from.is_some_and(|from| from.first() >= ended);
    let until = |fact: &Fact| fact.ended().filter(|ended| *ended > said.last() && !begins_after(*ended));
    let past = || values_in_turn(ledger, p).filter(|fact| fact.status == Status::Superseded);
    let held_then = past().find(|fact| {
        same_value(p.slot.as_ref(), &fact.value, &p.value)
            && fact.began() <= said.last()
            && until(fact).is_some()
    });
    if let Some(ended) = held_then.and_then(until) {
        let day = ended.strftime("%Y-%m-%d");
        let why = format!("it ended on {day}, after this was said; leave said_at out if it holds today");
        return Some(Verdict::Skip(why));
    }
    past().any(|fact| until(fact).is_some()).then(|| {
        let began = past().map(Fact::began).filter(|began| *began > statement.at());
        let until = past().filter_map(until).chain(began).min();
        until.map_or(Verdict::Archive { ends: None }, |until| Verdict::Earlier { until })
    })
}

/// The values that the proposal's slot has, or had, one after the other.
pub(crate) fn values_in_turn<'a>(ledger: &'a Ledger, p: &Proposal) -> impl Iterator<Item = &'a Fact> {
    let (scope, item) = (scope_key(&p.scope), p.list.then(|| item_key(&p.value)));
    ledger.of_subject(subject_key(&p.subject)).filter(move |fact| {
        matches!(fact.status, Status::Active | Status::Superseded)
            && fact.kind == FactKind::State
            && scope_key(&fact.scope) == scope
            && item.as_ref().is_none_or(|item| *item == item_key(&fact.value))
    })
}

fn retract(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    if let Some(fact) = removable(ledger, p) {
        let also_holds =
            context.restated.contains(&fact.id).then_some("the statement also says that it holds");
        if context.statement.is_older_than(fact) {
            return Verdict::Skip(OLDER.to_owned());
        }
        return remove(ledger, p, fact, also_holds, context);
    }
    match unnamed_item(ledger, p) {
        Some(item) => remove(ledger, p, item, Some("the statement does not name that item"), context),
        // The end of something that is not held goes to history too.
        None if p.time_ref == TimeRef::Past && !p.value.is_empty() => archive(ledger, p),
        None => Verdict::Skip("nothing to remove: that is not a current value".to_owned()),
    }
}

pub(crate) const OLDER: &str = "it is older than what is held";

fn remove(ledger: &Ledger, p: &Proposal, fact: &Fact, misgiving: Option<&str>, context: &Context) -> Verdict {
    let objection = objection(p, Some(fact), Action::Retract, context).or(misgiving.map(str::to_owned));
    match objection {
        Some(reason) => flag(ledger, p, Action::Retract, Some(fact), reason),
        None => Verdict::Retract(fact.id),
    }
}

/// For a proposal whose value is to become current.
fn hold(ledger: &Ledger, p: &Proposal, context: &Context) -> Vec<Verdict> {
    // That a value will hold is news even if it holds now.
    if p.time_ref != TimeRef::Future
        && let Some(fact) = known(ledger, p)
    {
        return vec![Verdict::Known(Some(fact.id))];
    }
    if let Some(other) = other_item(ledger, p).filter(|f| !context.restated.contains(&f.id)) {
        return beside(ledger, p, other, context);
    }
    let holder = holder(ledger, p);
    if holder.is_some_and(|fact| context.statement.is_older_than(fact)) {
        return vec![earlier(ledger, p, context)];
    }
    if holder.is_none()
        && let Some(over) = overtaken(ledger, p, context.statement)
    {
        return vec![over];
    }
    let action = match holder {
        Some(fact) if p.action == Action::Refine && same_place(p, fact) => Action::Refine,
        Some(_) => Action::Supersede,
        None => new_action(ledger, p),
    };
    if let Some(reason) = objection(p, holder, action, context) {
        return vec![flag(ledger, p, action, holder, reason)];
    }
    vec![match holder {
        Some(fact) if action == Action::Refine => Verdict::Refine(fact.id),
        Some(fact) => Verdict::Supersede { old: fact.id, also: p.moved_from },
        None => Verdict::Add(action),
    }]
}

/// For a new item of a list that is said to replace another one, which the statement does not name: the new one is
/// added, and a person decides on the other.
fn beside(ledger: &Ledger, p: &Proposal, other: &Fact, context: &Context) -> Vec<Verdict> {
    let action = new_action(ledger, p);
    let gated = p.is_gated() && context.statement.trust != Trust::Trusted;
    let reason = if gated { Some(GATED.to_owned()) } else { objection(p, None, action, context) };
    match reason {
        Some(reason) => vec![flag(ledger, p, Action::Supersede, Some(other), reason)],
        None => {
            let unnamed = "the statement does not name the item that it would replace".to_owned();
            vec![Verdict::Add(action), flag(ledger, p, Action::Retract, Some(other), unnamed)]
        }
    }
}

pub(crate) fn new_action(ledger: &Ledger, p: &Proposal) -> Action {
    if held_elsewhere(ledger, p) { Action::Coexist } else { Action::Add }
}

/// A refinement stays in its row, so it must be the same item.
pub(crate) fn same_place(p: &Proposal, fact: &Fact) -> bool {
    !p.list || item_key(&fact.value) == item_key(&p.value)
}

/// Why a person should look at it before it is done. `changed` is the fact that it would change.
fn objection(p: &Proposal, changed: Option<&Fact>, action: Action, context: &Context) -> Option<String> {
    if changed.is_some() && p.kind == FactKind::Event {
        return Some("an event does not change what is held".to_owned());
    }
    if p.time_ref == TimeRef::Future {
        return Some("it speaks of the future".to_owned());
    }
    if let Some(doubt) = p.wording.doubt {
        return Some(doubt.reason().to_owned());
    }
    if changed.is_some_and(|fact| p.wording.unnamed.contains(&fact.id)) {
        return Some("the statement does not name what it would change".to_owned());
    }
    objection_to_any(p, changed, action, context)
}

/// The same, as far as it does not matter who made a fact of the words.
pub(crate) fn objection_to_any(
    p: &Proposal,
    changed: Option<&Fact>,
    action: Action,
    context: &Context,
) -> Option<String> {
    if let Some(misgiving) = p.misgiving {
        return Some(misgiving.to_owned());
    }
    if p.action == Action::Flag && action != Action::Retract {
        return Some(or(&p.reason, "it is unclear what it changes"));
    }
    if p.action == Action::Dedup && changed.is_some() && action != Action::Retract {
        return Some("it is called known, but another value is held".to_owned());
    }
    // A value in another scope counts as a change, or else naming a scope would pass the gate.
    let trust = context.statement.trust;
    let needs_approval = changed.is_some() || action == Action::Coexist || trust == Trust::AfterRemoval;
    if needs_approval && p.is_gated() && trust != Trust::Trusted {
        return Some(GATED.to_owned());
    }
    // A first value is kept however unsure it is; what the model itself calls a change is not.
    let called_change = matches!(p.action, Action::Supersede | Action::Coexist | Action::Refine);
    let is_change = action != Action::Add || (called_change && p.stored_kind() == FactKind::State);
    if is_change && p.confidence < limits::SURE {
        return Some(format!("confidence {} is below {}", p.confidence, limits::SURE));
    }
    changed.and_then(|fact| dispute(fact, context.statement.source, context.policy))
}

pub(crate) const GATED: &str = "the slot changes only by approval";

/// The space's policy on sources that contradict each other. A source may always correct itself.
pub(crate) fn dispute(fact: &Fact, said_by: Option<&str>, policy: &SourcePolicy) -> Option<String> {
    let held_from = fact.source.as_deref();
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

/// If an equal flag already waits, this one is a repeat, unless that one can no longer be confirmed.
pub(crate) fn flag(
    ledger: &Ledger,
    p: &Proposal,
    action: Action,
    target: Option<&Fact>,
    reason: String,
) -> Verdict {
    let (subject, scope, target) = (subject_key(&p.subject), scope_key(&p.scope), target.map(|f| f.id));
    let queued = ledger.flagged(&subject).find(|r| {
        // A removal is identified by what it removes; its proposal may name another scope, or no value.
        let same_times = (r.fact.times.from, r.fact.times.until) == (p.times.from, p.times.until);
        let same_words = action == Action::Retract
            || (r.scope == scope && same_times && same_value(p.slot.as_ref(), &r.fact.value, &p.value));
        let is_stale = |w: &Pending| w.gated && is_stale(w, &ledger.standing(&r.fact, w));
        let same_change = |w: &Pending| w.action == action && w.target == target && !is_stale(w);
        same_words && r.fact.pending.as_ref().is_some_and(same_change)
    });
    match queued {
        Some(row) => Verdict::Known(Some(row.fact.id)),
        None => Verdict::Flag { action, target, reason },
    }
}

pub(crate) fn or(reason: &str, default: &str) -> String {
    if reason.is_empty() { default.to_owned() } else { reason.to_owned() }
}
