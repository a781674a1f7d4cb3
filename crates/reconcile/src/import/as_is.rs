//! A record that is put down as it is: no rule judges it.

use super::came_to::{Before, is_over, own, since, waits};
use super::ended::plan_ended;
use super::holders::{HELD_ON, Holder, Left, MANY, is_undated, with, without};
use super::taken_back::{TAKEN_BACK, note_of, taken_back};
use super::withdrawn::withdraw;
use crate::ledger::Ledger;
use crate::needs::{HeldFacts, Needs};
use crate::plan::{Outcome, Plan, Write};
use crate::slot_key::scope_key;
use crate::slot_schema::SlotSchema;
use domain::keys::{subject_key, subject_keys, value_key};
use domain::{Action, Fact, FactId, FactKind, SourcePolicy, Status, Timestamp};
use std::collections::BTreeSet;

const TAKEN: &str =
    "another value is current for this subject and scope; without --as-is the rules settle which one holds";

/// Whether the rules judge what a record ends, though not what it puts down.
#[derive(Debug, Clone, Copy)]
pub enum Ends<'a> {
    Unjudged,
    ByRules(&'a SourcePolicy, &'a SlotSchema),
}

/// What `plan_as_is` needs.
pub fn needs_as_is(fact: &Fact, before: Before<'_>) -> Needs {
    let was_brought = !before.came_to.is_empty();
    Needs {
        subjects: BTreeSet::from(subject_keys(&fact.subject)),
        ids: fact.supersedes.into_iter().chain(before.came_to.iter().copied()).collect(),
        past: was_brought.then(|| note_of(&fact.subject, &fact.value)).into_iter().collect(),
        ..Needs::default()
    }
}

/// How a fact is put down.
#[derive(Debug, Clone, Copy)]
pub struct PuttingDown<'a> {
    pub before: Before<'a>,
    pub ends: Ends<'a>,
    /// Where nothing of the record stands, nothing is put down.
    pub is_end_alone: bool,
    /// When it is brought.
    pub now: Timestamp,
}

/// Puts the fact down with the status that it comes with; no rule judges it. Where its slot is taken, the earlier state
/// of the same record gives way, and any other fact stays. A record that has ended since it was brought last ends what it
/// came to then; one that was taken back here since it was brought, and has not changed after that, stays taken back.
pub fn plan_as_is(held: &HeldFacts, fact: &Fact, putting: &PuttingDown<'_>, next_id: FactId) -> Plan {
    let PuttingDown { before, ends, now, .. } = *putting;
    if let Ends::ByRules(policy, slots) = ends
        && let Some(ended) = plan_ended(held, fact, before, policy, slots, now, next_id)
    {
        return ended;
    }
    let own = own(held, fact, before);
    if is_over(fact) && !own.is_empty() {
        return end_all(held, &own, fact, now, next_id);
    }
    if putting.is_end_alone || is_over(fact) && is_history_already(held, fact, before) {
        let known = before.came_to.first().copied();
        let outcomes = vec![outcome(Action::Dedup, fact, "nothing of it is current", known)];
        return Plan { outcomes, ..Plan::default() };
    }
    if fact.status == Status::Active
        && !before.came_to.is_empty()
        && taken_back(held, &fact.subject, &fact.scope, &fact.value)
            .is_some_and(|at| at > fact.changed || is_undated(&fact.metadata))
    {
        let skipped = outcome(Action::Skip, fact, TAKEN_BACK, None);
        return Plan { outcomes: vec![skipped], ..Plan::default() };
    }
    let may_move = |held: &&Fact| fact.status == Status::Active && may_move(held, fact, before);
    let moved: Vec<&Fact> = own.into_iter().filter(may_move).collect();
    let at = match moved.iter().find(|held| held.status == Status::Active) {
        Some(held) => Some(since(fact, held, now)),
        None => ended_before(held, fact, before).map(|ended| since_then(fact, ended, now)),
    };
    let placed = at.map_or_else(|| fact.clone(), |at| Fact { created: at, changed: at, ..fact.clone() });
    let mut plan = put_down(Ledger::open(held, next_id, now), &placed, now);
    let mut basis = held.clone();
    basis.take(&plan);
    let next = plan.next_id(next_id);
    plan.append(end_all(&basis, &moved, fact, now, next));
    plan
}

/// Whether the record had another subject or scope when it came to this fact. Where several hold under one subject, as
/// events and items of a list do, another memory may have the same id for one.
fn may_move(held: &Fact, fact: &Fact, before: Before<'_>) -> bool {
    let is_same_subject = subject_key(&held.subject) == subject_key(&fact.subject);
    let is_in_place = is_same_subject && scope_key(&held.scope) == scope_key(&fact.scope);
    let holds_alone = held.kind == FactKind::State && !held.list_item;
    (!is_in_place || waits(held)) && (before.is_unique || is_same_subject && holds_alone)
}

/// When a record that holds now had ended.
fn ended_before(held: &HeldFacts, fact: &Fact, before: Before<'_>) -> Option<Timestamp> {
    let is_over = |held: &&Fact| before.came_to.contains(&held.id) && is_over(held);
    let ended = held.facts.iter().filter(is_over).map(|held| held.changed);
    ended.max().filter(|_| before.was_over && fact.status == Status::Active)
}

/// Since when it holds again.
fn since_then(fact: &Fact, ended: Timestamp, now: Timestamp) -> Timestamp {
    [fact.created, fact.changed].into_iter().find(|at| *at > ended).unwrap_or(now)
}

/// Whether what the record came to has been replaced since.
fn is_history_already(held: &HeldFacts, fact: &Fact, before: Before<'_>) -> bool {
    held.facts.iter().any(|known| {
        before.came_to.contains(&known.id)
            && known.status == Status::Superseded
            && subject_key(&known.subject) == subject_key(&fact.subject)
            && scope_key(&known.scope) == scope_key(&fact.scope)
            && value_key(&known.value) == value_key(&fact.value)
    })
}

fn put_down(mut ledger: Ledger, fact: &Fact, now: Timestamp) -> Plan {
    if let Some(known) = standing(&ledger, fact) {
        return known_already(known, fact);
    }
    let occupant = match fact.status {
        Status::Active => ledger.occupants(fact).first().and_then(|id| ledger.get(*id)).cloned(),
        Status::Superseded | Status::Historical | Status::FlaggedConflict => None,
    };
    let (action, fact) = match occupant {
        Some(known) if value_key(&known.value) == value_key(&fact.value) => {
            return known_already(&known, fact);
        }
        Some(before) if is_same_record(&before, fact) => {
            let at = since(fact, &before, now);
            ledger.supersede(before.id, at, at);
            let after = Fact { supersedes: Some(before.id), created: at, changed: at, ..fact.clone() };
            (Action::Supersede, after)
        }
        Some(_) => {
            return Plan { outcomes: vec![outcome(Action::Skip, fact, TAKEN, None)], ..Plan::default() };
        }
        None => (action_of(fact.status), fact.clone()),
    };
    let id = ledger.insert(fact.clone());
    Plan {
        outcomes: vec![outcome(action, &fact, "", Some(id))],
        writes: ledger.into_writes(),
        ..Plan::default()
    }
}

fn outcome(action: Action, fact: &Fact, reason: &str, id: Option<FactId>) -> Outcome {
    let (subject, value) = (fact.subject.clone(), fact.value.clone());
    Outcome { action, subject, value, reason: reason.to_owned(), id }
}

/// What stands already, which the record holds from now on too.
fn known_already(known: &Fact, fact: &Fact) -> Plan {
    let holder = Holder::of(&fact.metadata).filter(|_| known.status == Status::Active);
    let held = holder.and_then(|record| with(known, &record));
    let outcomes = vec![outcome(Action::Dedup, fact, "known already", Some(known.id))];
    Plan { outcomes, writes: held.map(Write::Update).into_iter().collect(), ..Plan::default() }
}

/// Ends what the record came to, unless another one holds it too.
fn end_all(held: &HeldFacts, own: &[&Fact], fact: &Fact, now: Timestamp, next_id: FactId) -> Plan {
    let (mut plan, mut ledger) = (Plan::default(), Ledger::open(held, next_id, now));
    for before in own {
        match Holder::of(&fact.metadata) {
            Some(record) if waits(before) => plan.append(withdraw(before, &record, now)),
            record => plan.outcomes.push(end(&mut ledger, before, record.as_ref(), since(fact, before, now))),
        }
    }
    plan.writes.append(&mut ledger.into_writes());
    plan
}

fn end(ledger: &mut Ledger, before: &Fact, record: Option<&Holder>, at: Timestamp) -> Outcome {
    match record.map(|record| without(before, record)) {
        Some(Left::Record(after)) => {
            ledger.change(before.id, before.changed, |held| *held = *after);
            outcome(Action::Dedup, before, HELD_ON, Some(before.id))
        }
        Some(Left::Somebody) => outcome(Action::Dedup, before, "it was said here", Some(before.id)),
        Some(Left::Unknown) => outcome(Action::Dedup, before, MANY, Some(before.id)),
        Some(Left::Nobody) | None => {
            ledger.supersede(before.id, at, at);
            outcome(Action::Retract, before, "it has ended where it comes from", Some(before.id))
        }
    }
}

/// The very same fact, where it stands already beside others, such as an event or a change that waits.
fn standing<'a>(ledger: &'a Ledger, fact: &Fact) -> Option<&'a Fact> {
    let subject = subject_key(&fact.subject);
    let action = |fact: &Fact| fact.pending.as_ref().map(|pending| pending.action);
    let is_it = |held: &Fact| {
        (held.status, held.kind, held.created, action(held))
            == (fact.status, fact.kind, fact.created, action(fact))
            && scope_key(&held.scope) == scope_key(&fact.scope)
            && value_key(&held.value) == value_key(&fact.value)
    };
    ledger.active(&subject).chain(ledger.flagged(&subject)).map(|row| &row.fact).find(|held| is_it(held))
}

fn action_of(status: Status) -> Action {
    match status {
        Status::Active => Action::Add,
        Status::Superseded | Status::Historical => Action::Archive,
        Status::FlaggedConflict => Action::Flag,
    }
}

fn is_same_record(a: &Fact, b: &Fact) -> bool {
    let record = Holder::of(&a.metadata);
    record.is_some() && record == Holder::of(&b.metadata)
}
