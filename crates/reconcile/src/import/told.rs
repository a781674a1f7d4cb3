//! A record that is told like a statement, at the time at which it was true.

use super::ended::{plan_end, removal};
use super::holders::{Holder, IMPORTED_FROM, is_undated, with};
use super::taken_back::{TAKEN_BACK, note_of, taken_back};
use crate::needs::{HeldFacts, Needs, needs};
use crate::plan::{Outcome, Plan, Write};
use crate::proposal::Proposal;
use crate::remember::plan;
use crate::slot_key::scope_key;
use crate::slot_schema::SlotSchema;
use crate::statement::Statement;
use domain::keys::{subject_key, value_key};
use domain::{Action, Fact, FactId, FactKind, Metadata, SourcePolicy, Status, TimeRef, Timestamp};

/// What `plan_told` needs. Any of the proposals may turn out to be history.
pub fn needs_told(proposals: &[Proposal], replaced: &[FactId]) -> Needs {
    let mut needs = needs(proposals);
    for p in proposals {
        let pair = (subject_key(&p.subject), value_key(&p.value));
        let past = if p.action == Action::Retract { pair.clone() } else { note_of(&p.subject, &p.value) };
        needs.retired.insert(pair);
        needs.past.insert(past);
        if has_periods(p) {
            needs.superseded.insert(subject_key(&p.subject));
        }
    }
    needs.ids.extend(replaced);
    needs
}

/// As `plan`, for a statement that may be older than what is held: an old value does not replace a younger one, and held
/// until that began; what ended then ends nothing that began later; what was taken back here since stays taken back; and a
/// value of which nobody knows how old it is waits for a decision, where it would replace another than its own memory's.
/// `replaced` is what the same record came to when it said something else.
pub fn plan_told(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    replaced: &[FactId],
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let at = statement.now;
    if proposals.iter().all(|p| p.action == Action::Retract) {
        return plan_end(held, proposals, statement, policy, slots, next_id);
    }
    let younger: Vec<Option<Timestamp>> = proposals.iter().map(|p| younger(held, p, at)).collect();
    let dated: Vec<Proposal> =
        proposals.iter().zip(&younger).map(|(p, younger)| dated(held, p, *younger, statement)).collect();
    let mut plan = plan(held, &dated, statement, policy, slots, next_id);
    put_in_their_time(&mut plan, held, proposals, &younger, at);
    note_holders(&mut plan, held, statement);
    let gone = no_longer_said(&plan, held, statement, replaced, slots);
    if !gone.is_empty() {
        let mut basis = held.clone();
        basis.take(&plan);
        let ended = plan_end(&basis, &gone, statement, policy, slots, plan.next_id(next_id));
        plan.append(ended);
    }
    plan
}

/// What is older than the next value held until that began, and ends what held until then.
fn put_in_their_time(
    plan: &mut Plan,
    held: &HeldFacts,
    proposals: &[Proposal],
    younger: &[Option<Timestamp>],
    at: Timestamp,
) {
    for (p, until) in proposals.iter().zip(younger) {
        let (subject, scope, value) = (subject_key(&p.subject), scope_key(&p.scope), value_key(&p.value));
        let mut has_begun = false;
        for write in &mut plan.writes {
            let Write::Insert(fact) = write else { continue };
            if (subject_key(&fact.subject), scope_key(&fact.scope), value_key(&fact.value))
                != (subject.clone(), scope.clone(), value.clone())
            {
                continue;
            }
            if let Some(until) = until.filter(|_| fact.status == Status::Historical) {
                fact.status = Status::Superseded;
                fact.changed = until;
            }
            has_begun |= matches!(fact.status, Status::Active | Status::Superseded);
        }
        let before = until_now(held, p, at).filter(|before| has_begun && plan.written(before.id).is_none());
        plan.writes.extend(before.map(|before| Write::Update(Fact { changed: at, ..before.clone() })));
    }
}

/// The proposal as it is told at its time.
fn dated(held: &HeldFacts, p: &Proposal, younger: Option<Timestamp>, statement: &Statement) -> Proposal {
    let says_that_it_holds =
        p.time_ref != TimeRef::Past && !matches!(p.action, Action::Retract | Action::Archive | Action::Skip);
    let taken_back = taken_back(held, &p.subject, &p.scope, &p.value).filter(|_| says_that_it_holds);
    match (taken_back, younger) {
        (Some(_), _) if is_undated(statement.metadata) => {
            let reason = "it was taken back here, and does not say since when it holds".to_owned();
            Proposal { action: Action::Flag, reason, ..p.clone() }
        }
        (Some(at), _) if at > statement.now => {
            Proposal { unusable: Some(TAKEN_BACK.to_owned()), ..p.clone() }
        }
        (_, Some(_)) => Proposal { time_ref: TimeRef::Past, ..p.clone() },
        _ if is_unplaced(held, p, statement) => Proposal { action: Action::Flag, ..p.clone() },
        _ => p.clone(),
    }
}

/// A record that says what another one said holds it too.
fn note_holders(plan: &mut Plan, held: &HeldFacts, statement: &Statement) {
    let Some(record) = Holder::of(statement.metadata) else { return };
    let known: Vec<FactId> =
        plan.outcomes.iter().filter(|o| o.action == Action::Dedup).filter_map(|o| o.id).collect();
    let standing = held.facts.iter().filter(|fact| fact.status == Status::Active && known.contains(&fact.id));
    let noted =
        standing.filter(|fact| plan.written(fact.id).is_none()).filter_map(|fact| with(fact, &record));
    let noted: Vec<Write> = noted.map(Write::Update).collect();
    plan.writes.extend(noted);
}

/// The removal of what the record came to when its words were others, unless it is unclear what they come to now.
fn no_longer_said(
    plan: &Plan,
    held: &HeldFacts,
    statement: &Statement,
    replaced: &[FactId],
    slots: &SlotSchema,
) -> Vec<Proposal> {
    let Some(record) = Holder::of(statement.metadata) else { return Vec::new() };
    let is_unclear = |o: &Outcome| o.action == Action::Flag || o.action == Action::Skip;
    if plan.outcomes.iter().any(is_unclear) {
        return Vec::new();
    }
    let gone = held.facts.iter().filter(|fact| {
        replaced.contains(&fact.id)
            && fact.status == Status::Active
            && fact.text != *statement.text
            && record.holds(fact)
            && plan.written(fact.id).is_none()
            && plan.outcomes.iter().all(|o| o.id != Some(fact.id))
    });
    gone.map(|fact| removal(fact, slots)).collect()
}

/// When the next value began that the proposal's slot had after that.
fn younger(held: &HeldFacts, p: &Proposal, at: Timestamp) -> Option<Timestamp> {
    others(held, p).map(|fact| fact.created).filter(|began| *began > at).min()
}

/// The value of another record that was thought to have held on until later than this one began.
fn until_now<'a>(held: &'a HeldFacts, p: &Proposal, at: Timestamp) -> Option<&'a Fact> {
    others(held, p).find(|fact| {
        fact.status == Status::Superseded
            && fact.created < at
            && fact.changed > at
            && Holder::of(&fact.metadata).is_some()
    })
}

/// Whether it has no time, and would replace what is not of the same memory, or has one.
fn is_unplaced(held: &HeldFacts, p: &Proposal, statement: &Statement) -> bool {
    let part = |metadata: &Metadata, key| metadata.get(key).cloned();
    let from = part(statement.metadata, IMPORTED_FROM);
    let is_like_it = |fact: &Fact| is_undated(&fact.metadata) && part(&fact.metadata, IMPORTED_FROM) == from;
    is_undated(statement.metadata)
        && others(held, p).any(|fact| fact.status == Status::Active && !is_like_it(fact))
}

/// Whether the slot has one value at a time, and the proposal says since when this is it.
fn has_periods(p: &Proposal) -> bool {
    p.stored_kind() == FactKind::State
        && !p.is_list()
        && p.time_ref != TimeRef::Past
        && p.action != Action::Retract
}

/// The other values that the slot has, or had, for which this one is proposed.
fn others<'a>(held: &'a HeldFacts, p: &Proposal) -> impl Iterator<Item = &'a Fact> {
    let (subject, scope, value) = (subject_key(&p.subject), scope_key(&p.scope), value_key(&p.value));
    let has_periods = has_periods(p);
    held.facts.iter().filter(move |fact| {
        has_periods
            && matches!(fact.status, Status::Active | Status::Superseded)
            && fact.kind == FactKind::State
            && !fact.list_item
            && subject_key(&fact.subject) == subject
            && scope_key(&fact.scope) == scope
            && value_key(&fact.value) != value
    })
}
