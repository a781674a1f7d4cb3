//! The end of a record: it takes back what no other record, and nobody here, holds.

use super::came_to::{Before, is_over, own, since, waits};
use super::holders::{HELD_ON, Holder, Left, MANY, without};
use super::taken_back::IMPORTED_END;
use super::withdrawn::withdraw;
use crate::ledger::Ledger;
use crate::matching::removable;
use crate::needs::HeldFacts;
use crate::plan::{Outcome, Plan, Write};
use crate::proposal::Proposal;
use crate::remember::plan;
use crate::slot_key::scope_key;
use crate::slot_schema::SlotSchema;
use crate::statement::{Statement, Trust};
use domain::keys::{subject_key, value_key};
use domain::{
    Action, Fact, FactId, FactKind, Proposer, SourcePolicy, Status, TimeRef, Times, Timestamp, Wording,
    limits,
};

const SAID_HERE: &str = "its record has ended, and somebody said the same here";

/// What the proposals take back, at the time of the statement. What began later they leave alone, unless their own record
/// said it: that ends when it began.
pub(super) fn plan_end(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let record = Holder::of(statement.metadata);
    let is_own = |fact: &Fact| record.as_ref().is_some_and(|record| record.holds(fact));
    let is_there = |fact: &&Fact| fact.created <= statement.now || is_own(fact);
    let facts = held.facts.iter().filter(is_there).cloned().collect();
    let then = HeldFacts { facts, retired: held.retired.clone() };
    let ledger = Ledger::open(&then, next_id, statement.now);
    let began = proposals.iter().filter_map(|p| removable(&ledger, p)).map(|fact| fact.created);
    let statement = &Statement { now: began.fold(statement.now, Timestamp::max), ..*statement };
    let (mut all, mut ends) = (Plan::default(), Vec::new());
    for p in proposals {
        let found = removable(&ledger, p);
        // A doubtful one waits for a decision, whoever holds it.
        let Some(record) = record.as_ref().filter(|_| p.confidence >= limits::SURE) else {
            ends.push(p.clone());
            continue;
        };
        match found.map(|fact| (fact, without(fact, record))) {
            Some((_, Left::Nobody)) => ends.push(p.clone()),
            Some((_, Left::Somebody)) => ends.push(Proposal { misgiving: Some(SAID_HERE), ..p.clone() }),
            Some((_, Left::Unknown)) => ends.push(Proposal { misgiving: Some(MANY), ..p.clone() }),
            Some((fact, Left::Record(after))) => {
                all.outcomes.push(outcome(Action::Dedup, fact, HELD_ON));
                if *after != *fact {
                    all.writes.push(Write::Update(*after));
                }
            }
            None => match ended_later(&then, p, record, statement.now) {
                Some(fact) => {
                    all.outcomes.push(outcome(Action::Retract, fact, ""));
                    let changed = statement.now.max(fact.created);
                    all.writes.push(Write::Update(Fact { changed, ..fact.clone() }));
                }
                None => ends.push(p.clone()),
            },
        }
    }
    if !ends.is_empty() {
        let mut ended = plan(&then, &ends, statement, policy, slots, next_id).unwrap_or_default();
        for write in &mut ended.writes {
            if let Write::Insert(fact) = write {
                fact.metadata.insert(IMPORTED_END.to_owned(), true.into());
            }
        }
        all.append(ended);
    }
    all
}

fn outcome(action: Action, fact: &Fact, reason: &str) -> Outcome {
    let (subject, value) = (fact.subject.clone(), fact.value.clone());
    Outcome { action, subject, value, reason: reason.to_owned(), id: Some(fact.id) }
}

/// What the record came to, where it is history already and was thought to have held beyond its end.
fn ended_later<'a>(then: &'a HeldFacts, p: &Proposal, record: &Holder, end: Timestamp) -> Option<&'a Fact> {
    let (subject, scope, value) = (subject_key(&p.subject), scope_key(&p.scope), value_key(&p.value));
    then.facts.iter().find(|fact| {
        fact.status == Status::Superseded
            && fact.changed > end
            && record.holds(fact)
            && subject_key(&fact.subject) == subject
            && scope_key(&fact.scope) == scope
            && value_key(&fact.value) == value
    })
}

/// A record that has ended since it was brought last takes back, by the rules, what it came to then. `None` where it has
/// not, or where nothing of it is current.
pub(super) fn plan_ended(
    held: &HeldFacts,
    fact: &Fact,
    before: Before<'_>,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    now: Timestamp,
    next_id: FactId,
) -> Option<Plan> {
    let own = own(held, fact, before);
    if own.is_empty() || !is_over(fact) {
        return None;
    }
    let (mut all, mut basis) = (Plan::default(), held.clone());
    for before in own {
        if let Some(record) = Holder::of(&fact.metadata).filter(|_| waits(before)) {
            all.append(withdraw(before, &record, now));
            continue;
        }
        let statement = Statement {
            text: &fact.text,
            source: before.source.as_deref(),
            trust: Trust::Ordinary,
            metadata: &fact.metadata,
            proposer: Proposer::Model,
            said: None,
            now: since(fact, before, now),
        };
        let next = all.next_id(next_id);
        let ended = plan_end(&basis, &[removal(before, slots)], &statement, policy, slots, next);
        basis.take(&ended);
        all.append(ended);
    }
    Some(all)
}

/// The removal of a fact that its record no longer says.
pub(super) fn removal(fact: &Fact, slots: &SlotSchema) -> Proposal {
    Proposal {
        subject: fact.subject.clone(),
        value: fact.value.clone(),
        scope: fact.scope.clone(),
        is_scoped: true,
        kind: FactKind::State,
        has_kind: true,
        time_ref: TimeRef::Current,
        action: Action::Retract,
        confidence: limits::CALLER_CONFIDENCE,
        reason: String::new(),
        target: Some(fact.id),
        is_explicit: false,
        list: fact.list_item,
        times: Times::default(),
        triple: fact.triple.clone(),
        slot: slots.fold(&fact.subject).cloned(),
        wording: Wording::default(),
        unusable: None,
        misgiving: None,
        aims_at_gated: false,
        moved_from: None,
    }
}
