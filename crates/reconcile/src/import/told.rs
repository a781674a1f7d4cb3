//! A record that is told like a statement, at the time at which it was true.

use super::came_to::{Before, Telling};
use super::ended::{plan_end, removal};
use super::holders::{Holder, IMPORTED_FROM, Left, is_undated, with, without};
use super::no_longer::{no_longer_said, said_since, still_waiting};
use super::periods::has_periods;
use super::taken_back::{IMPORTED_END, TAKEN_BACK, note_of, taken_back};
use super::withdrawn::{withdraw, withdrawn};
use crate::needs::{HeldFacts, Needs, needs};
use crate::plan::{Plan, Write};
use crate::proposal::Proposal;
use crate::remember::plan;
use crate::slot_key::scope_key;
use crate::slot_schema::SlotSchema;
use crate::statement::Statement;
use domain::keys::{subject_key, value_key};
use domain::{Action, Fact, FactId, FactKind, Metadata, SourcePolicy, Status, TimeRef, Timestamp};

/// What `plan_told` needs. Any of the proposals may turn out to be history.
pub fn needs_told(proposals: &[Proposal], statement: &Statement, before: Before<'_>) -> Needs {
    let mut needs = needs(proposals, statement, &[]);
    for p in proposals {
        let pair = (subject_key(&p.subject), value_key(&p.value));
        let past = if p.action == Action::Retract { pair.clone() } else { note_of(&p.subject, &p.value) };
        needs.retired.insert(pair);
        needs.past.insert(past);
        if has_periods(p) {
            needs.superseded.insert(subject_key(&p.subject));
        }
    }
    needs.ids.extend(before.came_to);
    needs
}

/// As `plan_record`; each new fact is dated by its record, but for one that holds only since the record was changed.
pub fn plan_told(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    telling: &Telling<'_>,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let mut plan = plan_record(held, proposals, statement, telling, policy, slots, next_id);
    for write in &mut plan.writes {
        if let Write::Insert(fact) = write {
            let at = fact.created;
            fact.times.said = telling.said.filter(|said| (said.first()..=said.last()).contains(&at));
        }
    }
    plan
}

/// As `plan`, for a statement that may be older than what is held: an old value does not replace a younger one, and held
/// until that began; what ended then ends nothing that began later; what was taken back here since stays taken back; and a
/// value of which nobody knows how old it is waits for a decision, where it would replace another than its own memory's.
/// What the same record came to before, and no longer says, ends.
fn plan_record(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    telling: &Telling<'_>,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let record = Holder::of(statement.metadata);
    let since = record.as_ref().map(|record| said_since(held, proposals, statement.now, telling, record));
    // That it was now at the latest is no claim of the record's.
    let claimed = since.filter(|since| telling.changed == Some(*since)).unwrap_or(statement.now);
    let statement = &Statement { now: since.unwrap_or(statement.now), ..*statement };
    let is_end = proposals.iter().all(|p| p.action == Action::Retract);
    let mut plan = if is_end {
        plan_end(held, proposals, statement, policy, slots, next_id)
    } else {
        plan_said(held, proposals, statement, (claimed, telling.until), policy, slots, next_id)
    };
    let Some(record) = record else { return plan };
    if telling.is_last && !is_end {
        note_holders(&mut plan, held, &record, telling.now);
    }
    if is_end || !is_unread(&plan) {
        let (text, mut basis) = (statement.text, held.clone());
        basis.take(&plan);
        let gone = no_longer_said(&plan, held, proposals, text, telling, &record);
        let gone = gone.into_iter().filter(|fact| !is_asked_about(&plan, &basis, fact));
        let gone: Vec<Proposal> = gone.map(|fact| removal(fact, slots)).collect();
        if !gone.is_empty() {
            let next = plan.next_id(next_id);
            plan.append(plan_end(&basis, &gone, statement, policy, slots, next));
        }
    }
    if telling.is_last {
        for fact in still_waiting(&plan, held, proposals, statement.text, telling, &record, is_end) {
            plan.append(withdraw(fact, &record, telling.now));
        }
    }
    plan
}

/// Whether it is not known what the record comes to now.
fn is_unread(plan: &Plan) -> bool {
    plan.outcomes.iter().any(|outcome| outcome.action == Action::Skip && outcome.reason != TAKEN_BACK)
}

/// Whether the plan came to a change of the same subject and scope that waits for a decision, now or since before.
fn is_asked_about(plan: &Plan, then: &HeldFacts, fact: &Fact) -> bool {
    then.facts.iter().any(|waiting| {
        waiting.status == Status::FlaggedConflict
            && plan.outcomes.iter().any(|outcome| outcome.id == Some(waiting.id))
            && subject_key(&waiting.subject) == subject_key(&fact.subject)
            && scope_key(&waiting.scope) == scope_key(&fact.scope)
    })
}

/// `claimed` is since when the record says that it holds, and `until` when it ended. Where changes wait for approval, what
/// is over already is history.
fn plan_said(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    (claimed, until): (Timestamp, Option<Timestamp>),
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let at = statement.now;
    let younger = |p: &Proposal| {
        let ended = until.filter(|_| p.is_gated() && has_periods(p));
        younger(held, p, at).into_iter().chain(ended).min()
    };
    let younger: Vec<Option<Timestamp>> = proposals.iter().map(younger).collect();
    let dated =
        proposals.iter().zip(&younger).map(|(p, younger)| dated(held, p, *younger, statement, claimed));
    let dated: Vec<Proposal> = dated.collect();
    let mut plan = plan(held, &dated, statement, policy, slots, next_id).unwrap_or_default();
    put_in_their_time(&mut plan, held, proposals, &younger, at);
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
fn dated(
    held: &HeldFacts,
    p: &Proposal,
    younger: Option<Timestamp>,
    statement: &Statement,
    claimed: Timestamp,
) -> Proposal {
    let says_that_it_holds =
        p.time_ref != TimeRef::Past && !matches!(p.action, Action::Retract | Action::Archive | Action::Skip);
    let taken_back = taken_back(held, &p.subject, &p.scope, &p.value).filter(|_| says_that_it_holds);
    match (taken_back, younger) {
        (Some(_), _) if is_undated(statement.metadata) => {
            let reason = "it was taken back here, and does not say since when it holds".to_owned();
            Proposal { action: Action::Flag, reason, ..p.clone() }
        }
        (Some(at), _) if at > claimed => Proposal { unusable: Some(TAKEN_BACK.to_owned()), ..p.clone() },
        (_, Some(_)) => Proposal { time_ref: TimeRef::Past, ..p.clone() },
        _ if is_unplaced(held, p, statement) => Proposal { action: Action::Flag, ..p.clone() },
        _ => p.clone(),
    }
}

/// A record that says what another one said holds it too. The end of the other one, where it waits, ends nothing then.
fn note_holders(plan: &mut Plan, held: &HeldFacts, record: &Holder, now: Timestamp) {
    let known: Vec<FactId> =
        plan.outcomes.iter().filter(|o| o.action == Action::Dedup).filter_map(|o| o.id).collect();
    let standing =
        held.facts.iter().filter(|fact| Status::STANDING.contains(&fact.status) && known.contains(&fact.id));
    let standing: Vec<&Fact> = standing.filter(|fact| plan.written(fact.id).is_none()).collect();
    for fact in standing {
        let noted = with(fact, record).unwrap_or_else(|| fact.clone());
        let ends: Vec<&Fact> = held.facts.iter().filter(|end| is_end_of(end, fact, record)).collect();
        let after = ends.iter().fold(noted, |fact, end| left(fact, end));
        if after != *fact {
            plan.writes.push(Write::Update(after));
        }
        plan.writes.extend(ends.into_iter().map(|end| Write::Update(withdrawn(end, now))));
    }
}

/// Whether it is the end of another record that held the fact, and waits for a decision.
fn is_end_of(end: &Fact, fact: &Fact, record: &Holder) -> bool {
    end.status == Status::FlaggedConflict
        && end.metadata.contains_key(IMPORTED_END)
        && end.pending.as_ref().is_some_and(|pending| pending.target == Some(fact.id))
        && Holder::of(&end.metadata).is_some_and(|ended| ended != *record)
}

/// The fact without the record that has ended.
fn left(fact: Fact, end: &Fact) -> Fact {
    match Holder::of(&end.metadata).map(|ended| without(&fact, &ended)) {
        Some(Left::Record(after)) => *after,
        _ => fact,
    }
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
