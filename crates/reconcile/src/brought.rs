//! The rules for facts that a caller brings, where they differ from those for a model's: what the caller says outright is
//! believed. Gate, policies, lists and confidence are the same for both: `objection_to_any`.

use crate::ledger::Ledger;
use crate::matching::{PLACEHOLDERS, holder};
use crate::proposal::Proposal;
use crate::refusal::Refusal;
use crate::rules::{
    Context, OLDER, dispute, earlier, flag, new_action, objection_to_any, or, overtaken, same_place,
};
use crate::slot_key::{same_value, scope_key};
use crate::slot_schema::SlotSchema;
use crate::verdict::Verdict;
use domain::keys::{item_key, subject_key, value_key};
use domain::{Action, Fact, FactKind, Status, TimeRef, Times, Timestamp, When};

/// Facts that one refusal names.
const NAMED: usize = 8;

/// The proposal with the scope of what it aims at, unless it gives one; a correction of an event is that event, on its
/// day, unless it says otherwise. Only a current fact can be aimed at.
pub(crate) fn settle(
    ledger: &Ledger,
    p: &Proposal,
    at: usize,
    slots: &SlotSchema,
) -> Result<Proposal, Refusal> {
    let Some(id) = p.target else { return Ok(p.clone()) };
    let refused = |what: &str| Refusal::NoTarget { at, id, what: what.to_owned() };
    let aimed = ledger.get(id).ok_or_else(|| refused("no memory of this space"))?;
    if aimed.status != Status::Active {
        return Err(refused(&format!("{}, not current", aimed.status)));
    }
    let same_subject = subject_key(&aimed.subject) == subject_key(&p.subject);
    let scope = if p.is_scoped { &p.scope } else { &aimed.scope };
    let is_event = same_subject && aimed.kind == FactKind::Event && !p.has_kind;
    let is_dated = p.times.from.is_some() || p.times.until.is_some();
    Ok(Proposal {
        scope: scope.clone(),
        kind: if is_event { FactKind::Event } else { p.kind },
        times: if is_event && !is_dated { Times { ended: None, ..aimed.times } } else { p.times },
        list: p.list || (same_subject && aimed.list_item),
        aims_at_gated: slots.fold(&aimed.subject).is_some_and(|slot| slot.confirm),
        ..p.clone()
    })
}

/// Whether an entry says what tells it apart from others of its subject. Values of a declared slot are one.
pub(crate) fn stands_alone(p: &Proposal, now: Timestamp) -> bool {
    let is_apart = p.target.is_some()
        || (p.is_explicit && p.action == Action::Coexist)
        || p.times.from.is_some()
        || p.times.until.is_some();
    is_over(p, now) || (p.slot.is_none() && is_apart)
}

/// A second value of the same statement stands beside the first.
pub(crate) fn beside(ledger: &Ledger, p: Proposal) -> Proposal {
    let is_taken = p.slot.is_none() && holder(ledger, &p).is_some_and(|own| ledger.is_touched(own.id));
    Proposal { list: p.list || is_taken, ..p }
}

pub(crate) fn decide(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    if let Some(why) = &p.unusable {
        return Verdict::Skip(why.clone());
    }
    match p.action {
        Action::Skip => Verdict::Skip(or(&p.reason, "not a durable fact")),
        Action::Retract => retract(ledger, p, context),
        _ if p.value.is_empty() => Verdict::Skip("no value".to_owned()),
        _ if is_over(p, context.statement.now) => past(ledger, p, context),
        _ => hold(ledger, p, context),
    }
}

/// That an event happened stays true.
fn is_over(p: &Proposal, now: Timestamp) -> bool {
    let has_run_out = p.times.until.is_some_and(|until| until.first() <= now);
    p.action == Action::Archive
        || (p.stored_kind() == FactKind::State && (p.time_ref == TimeRef::Past || has_run_out))
}

/// What is over ends the held fact that it aims at, or that says the same, is no younger and did not begin after it.
/// Otherwise it is history: each value once for each time at which it held.
fn past(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    let aimed = p.target.and_then(|id| ledger.get(id)).filter(|fact| !ledger.is_touched(fact.id));
    let is_dated = p.times.until.is_some();
    let is_older = |fact: &Fact| context.statement.is_older_than(fact);
    let is_earlier_time = |fact: &Fact| match (p.times.until, fact.times.from) {
        (Some(until), Some(from)) => until.first() <= from.first(),
        _ => false,
    };
    let same = || said_already(ledger, p, None, context.statement.said).filter(|fact| !is_earlier_time(fact));
    let ends = aimed.or_else(|| same().filter(|fact| is_dated && !is_older(fact)));
    if let Some(fact) = ends {
        if let Some(reason) = objection(p, Some(fact), Action::Retract, context) {
            return flag(ledger, p, Action::Retract, Some(fact), reason);
        }
        let is_same = is_dated
            && subject_key(&fact.subject) == subject_key(&p.subject)
            && same_value(p.slot.as_ref(), &fact.value, &p.value);
        return if is_same { Verdict::RunOut(fact.id) } else { Verdict::Archive { ends: Some(fact.id) } };
    }
    let says_the_same = |fact: &&Fact| {
        Status::RETIRED.contains(&fact.status)
            && value_key(&fact.value) == value_key(&p.value)
            && (p.times.from, p.times.until, context.statement.said)
                == (fact.times.from, fact.times.until, fact.times.said)
    };
    match ledger.of_subject(subject_key(&p.subject)).find(says_the_same) {
        Some(_) => Verdict::Known(None),
        None => Verdict::Archive { ends: None },
    }
}

/// The held fact that a proposal is about.
enum Meant<'a> {
    Nothing,
    One(&'a Fact),
    /// Several, of which it does not say which.
    Several(Vec<&'a Fact>),
}

impl<'a> Meant<'a> {
    fn of(facts: Vec<&'a Fact>) -> Self {
        match facts.as_slice() {
            [] => Self::Nothing,
            [fact] => Self::One(fact),
            _ => Self::Several(facts),
        }
    }
}

/// Its number and value, as a refusal names it.
fn named(facts: &[&Fact]) -> String {
    let shown: Vec<String> =
        facts.iter().take(NAMED).map(|fact| format!("#{} {}", fact.id, fact.value)).collect();
    let more = facts.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "several are current, {}{rest}: name one by its value, or by its number as target_id",
        shown.join("; ")
    )
}

fn hold(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    if let Some(own) = holder(ledger, p).filter(|own| ledger.is_touched(own.id)) {
        let is_same = same_value(p.slot.as_ref(), &own.value, &p.value);
        let reason = || "the statement gives another value of it".to_owned();
        return match is_same {
            true => Verdict::Known(Some(own.id)),
            false => flag(ledger, p, Action::Supersede, Some(own), reason()),
        };
    }
    let meant = match changed(ledger, p) {
        Meant::Nothing => None,
        Meant::One(fact) => Some(fact),
        Meant::Several(facts) => return Verdict::Skip(named(&facts)),
    };
    let same = said_already(ledger, p, meant, context.statement.said);
    if let Some(fact) = same.filter(|fact| !adds_dates(p, fact)) {
        return Verdict::Known(Some(fact.id));
    }
    let meant = same.or(meant);
    let is_older = || p.target.is_none() && meant.is_some_and(|fact| context.statement.is_older_than(fact));
    if p.stored_kind() == FactKind::State && is_older() {
        return earlier(ledger, p, context);
    }
    if meant.is_none()
        && let Some(over) = overtaken(ledger, p, context.statement)
    {
        return over;
    }
    let stays = |fact: &Fact| {
        let refines = same.is_some() || p.action == Action::Refine;
        refines
            && p.stored_kind() == fact.kind
            && subject_key(&fact.subject) == subject_key(&p.subject)
            && same_place(p, fact)
    };
    let action = match meant {
        Some(fact) if stays(fact) => Action::Refine,
        Some(_) => Action::Supersede,
        None if p.action == Action::Coexist && p.list && has_items(ledger, p) => Action::Coexist,
        None => new_action(ledger, p),
    };
    // Under another subject than that of its target it takes a place that may be taken.
    let also = holder(ledger, p)
        .filter(|own| meant.is_some_and(|fact| fact.id != own.id) && !ledger.is_touched(own.id));
    let objection =
        objection(p, meant, action, context).or_else(|| objection(p, Some(also?), action, context));
    match (objection.or_else(|| beside_anothers(ledger, p, meant, context)), meant) {
        (Some(reason), _) => flag(ledger, p, action, meant, reason),
        (None, Some(fact)) if action == Action::Refine => Verdict::Refine(fact.id),
        (None, Some(fact)) => Verdict::Supersede { old: fact.id, also: also.map(|own| own.id) },
        (None, None) => Verdict::Add(action),
    }
}

/// What the source policy says of a value that would stand beside the one that another source gave, as an item, an event or
/// in another scope: it answers the same question, and the next correction would not end it.
fn beside_anothers(ledger: &Ledger, p: &Proposal, meant: Option<&Fact>, context: &Context) -> Option<String> {
    if meant.is_some() {
        return None;
    }
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    let stands_beside = p.list || p.stored_kind() == FactKind::Event;
    let held =
        ledger.untouched(&subject).filter(|row| stands_beside || row.scope != scope).map(|row| &row.fact);
    held.filter(|fact| fact.kind == FactKind::State && !fact.list_item)
        .find_map(|fact| dispute(fact, context.statement.source, context.policy))
}

/// The current fact that the value replaces: its target, unless another entry has ended that. Entries of one statement never
/// retire each other.
fn changed<'a>(ledger: &'a Ledger, p: &Proposal) -> Meant<'a> {
    if let Some(aimed) = p.target.and_then(|id| ledger.get(id)).filter(|fact| !ledger.is_touched(fact.id)) {
        return Meant::One(aimed);
    }
    let own = holder(ledger, p).filter(|own| !ledger.is_touched(own.id));
    let replaces = matches!(p.action, Action::Supersede | Action::Refine);
    match own {
        Some(own) => Meant::One(own),
        // An event stands beside others of its subject, and an item beside others of its list.
        None if p.list || !replaces => Meant::Nothing,
        None => Meant::of(here(ledger, p)),
    }
}

/// The current fact that says the same already; an event of another day does not.
fn said_already<'a>(
    ledger: &'a Ledger,
    p: &Proposal,
    meant: Option<&'a Fact>,
    said: Option<When>,
) -> Option<&'a Fact> {
    let is_same = |fact: &&Fact| {
        same_value(p.slot.as_ref(), &fact.value, &p.value)
            && subject_key(&fact.subject) == subject_key(&p.subject)
            && p.stored_kind() == fact.kind
            && (p.stored_kind() == FactKind::State || !is_of_another_day(p, fact, said))
    };
    match meant {
        Some(fact) => Some(fact).filter(is_same),
        None => here(ledger, p).into_iter().find(is_same),
    }
}

/// The day of an event is the one that was given, or else the one on which it was told.
fn is_of_another_day(p: &Proposal, fact: &Fact, said: Option<When>) -> bool {
    match (p.times.from.or(said), fact.times.from.or(fact.times.said)) {
        (Some(day), Some(held)) => day.last() < held.first() || held.last() < day.first(),
        _ => false,
    }
}

fn adds_dates(p: &Proposal, fact: &Fact) -> bool {
    let adds = |told: Option<When>, held: Option<When>| told.is_some() && told != held;
    adds(p.times.from, fact.times.from) || adds(p.times.until, fact.times.until)
}

/// The current facts of the subject and scope that the statement has not written.
fn here<'a>(ledger: &'a Ledger, p: &Proposal) -> Vec<&'a Fact> {
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    ledger.untouched(&subject).filter(|row| row.scope == scope).map(|row| &row.fact).collect()
}

fn has_items(ledger: &Ledger, p: &Proposal) -> bool {
    here(ledger, p).iter().any(|fact| fact.kind == FactKind::State)
}

fn retract(ledger: &Ledger, p: &Proposal, context: &Context) -> Verdict {
    let fact = match ended(ledger, p) {
        Meant::Nothing => return Verdict::Skip(not_current(ledger, p)),
        Meant::Several(facts) => return Verdict::Skip(named(&facts)),
        Meant::One(fact) => fact,
    };
    if p.target.is_none() && context.statement.is_older_than(fact) {
        return Verdict::Skip(OLDER.to_owned());
    }
    let end = p.times.until.or(p.times.from).filter(|end| end.first() > context.statement.now);
    match objection(p, Some(fact), Action::Retract, context) {
        Some(reason) => flag(ledger, p, Action::Retract, Some(fact), reason),
        None if end.is_some() => Verdict::WillEnd { id: fact.id, end },
        None => Verdict::Retract(fact.id),
    }
}

/// Names the items that are current, where the one that was to go is not.
fn not_current(ledger: &Ledger, p: &Proposal) -> String {
    let nothing = "nothing to remove: that is not current".to_owned();
    match here(ledger, p).as_slice() {
        [] => nothing,
        [item] => format!("{nothing}; #{} {} is", item.id, item.value),
        items => named(items),
    }
}

/// The current fact that a removal ends: the only one of its subject, or of several the one whose value it gives. An item
/// of a list is ended by its value alone.
fn ended<'a>(ledger: &'a Ledger, p: &Proposal) -> Meant<'a> {
    if let Some(id) = p.target {
        return Meant::of(ledger.get(id).filter(|_| !ledger.is_touched(id)).into_iter().collect());
    }
    let subject = subject_key(&p.subject);
    let facts: Vec<&Fact> = match here(ledger, p) {
        facts if facts.is_empty() && !p.is_scoped => {
            ledger.untouched(&subject).map(|row| &row.fact).collect()
        }
        facts => facts,
    };
    let says_which = !PLACEHOLDERS.contains(&subject_key(&p.value).as_str());
    let is_it = |fact: &&Fact| {
        same_value(p.slot.as_ref(), &fact.value, &p.value)
            || (fact.list_item && item_key(&fact.value) == item_key(&p.value))
    };
    match facts.as_slice() {
        [fact] if !(fact.list_item && says_which) => Meant::One(fact),
        _ if says_which => {
            let named: Vec<&Fact> = facts.iter().copied().filter(is_it).collect();
            if named.is_empty() && facts.len() > 1 { Meant::Several(facts) } else { Meant::of(named) }
        }
        _ => Meant::of(facts),
    }
}

/// Why a person should look at it before it is done.
fn objection(p: &Proposal, changed: Option<&Fact>, action: Action, context: &Context) -> Option<String> {
    if changed.is_some() && p.stored_kind() == FactKind::State {
        let ends = action == Action::Retract;
        let begins = p.times.from.filter(|from| !ends && from.first() > context.statement.now);
        if let Some(from) = begins {
            return Some(format!("it holds only from {from} on"));
        }
        let is_dated = ends && p.times.until.or(p.times.from).is_some();
        if p.time_ref == TimeRef::Future && !is_dated {
            return Some("it speaks of the future".to_owned());
        }
    }
    let doubt = p.wording.doubt.filter(|_| changed.is_some() && !p.is_explicit);
    doubt.map(|doubt| doubt.reason().to_owned()).or_else(|| objection_to_any(p, changed, action, context))
}
