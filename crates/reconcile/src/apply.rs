//! Carries a verdict out on the ledger.

use crate::ledger::Ledger;
use crate::plan::Outcome;
use crate::proposal::Proposal;
use crate::rules::values_in_turn;
use crate::slot_key::scope_key;
use crate::statement::Statement;
use crate::verdict::Verdict;
use domain::keys::subject_key;
use domain::{
    APPROVED_BY, Action, DECIDED_AT, Earlier, Fact, FactId, Metadata, Pending, REJECTED_BY, SETTLED, Status,
    Times, Timestamp, WITHDRAWN_BY, When,
};

/// The caller who stated a fact, whatever source it names.
pub(crate) const ASSERTED_BY: &str = "asserted_by";
/// Who decided on a fact and when. Only a decision sets these, so no statement can claim an approval.
pub(crate) const DECIDED_BY: &str = "decided_by";
/// Why a flagged fact waits.
pub const FLAG_REASON: &str = "flag_reason";

pub(crate) fn apply(ledger: &mut Ledger, p: &Proposal, statement: &Statement, verdict: Verdict) -> Outcome {
    let (at, now) = (statement.at(), statement.now);
    let subject = spelling(ledger, p);
    let outcome = |action, value: &str, reason: &str, id| Outcome {
        action,
        subject: subject.clone(),
        value: value.to_owned(),
        reason: reason.to_owned(),
        id,
    };
    let draft = |status| draft(p, &subject, statement, status);
    match verdict {
        Verdict::Skip(reason) => outcome(Action::Skip, &p.value, &reason, None),
        Verdict::Known(id) => {
            let held = id.and_then(|id| ledger.get(id)).map(|f| f.value.clone());
            let value = if p.value.is_empty() { held.unwrap_or_default() } else { p.value.clone() };
            outcome(Action::Dedup, &value, "known already", id)
        }
        Verdict::Archive { ends } => {
            let mut past = draft(Status::Historical);
            past.times.ended = past.times.until.map(When::first).or_else(|| {
                // What began at some time, and is over, ended with the next value, or by now.
                let from = past.times.from?.first();
                let next = values_in_turn(ledger, p).map(Fact::began).filter(|began| *began > from).min();
                Some(next.unwrap_or(at)).filter(|ended| *ended > from)
            });
            if let Some(held) = ends {
                ledger.supersede(held, past.times.ended.unwrap_or(at), now);
            }
            let id = ledger.insert(Fact { supersedes: ends, ..past });
            outcome(Action::Archive, &p.value, &p.reason, Some(id))
        }
        Verdict::RunOut(id) => {
            let said = draft(Status::Active);
            ledger.change(id, now, |held| {
                refine(held, said, at);
                *held = held.clone().counted_at(now);
            });
            outcome(Action::Archive, &p.value, &p.reason, Some(id))
        }
        Verdict::WillEnd { id, end } => {
            ledger.change(id, now, |held| held.times.until = end);
            let held = ledger.get(id).map(|fact| fact.value.clone()).unwrap_or_default();
            outcome(Action::Refine, &held, &p.reason, Some(id))
        }
        Verdict::Earlier { until } => {
            end_before(ledger, p, at, now);
            let mut past = draft(Status::Superseded);
            past.times.ended = past.times.until.map(When::first).into_iter().chain([until]).min();
            let id = ledger.insert(past);
            outcome(Action::Archive, &p.value, &p.reason, Some(id))
        }
        Verdict::Add(action) => {
            if p.list {
                ledger.make_list(&subject_key(&p.subject), &scope_key(&p.scope));
            }
            let id = ledger.insert(draft(Status::Active));
            outcome(action, &p.value, &p.reason, Some(id))
        }
        Verdict::Supersede { old, also } => {
            let fact = draft(Status::Active);
            for gone in also.into_iter().chain([old]) {
                ledger.supersede(gone, began(&fact, now), now);
            }
            if p.list {
                ledger.make_list(&subject_key(&p.subject), &scope_key(&p.scope));
            }
            let id = ledger.insert(Fact { supersedes: Some(old), ..fact });
            outcome(Action::Supersede, &p.value, &p.reason, Some(id))
        }
        Verdict::Refine(id) => {
            let said = draft(Status::Active);
            ledger.change(id, now, |held| refine(held, said, at));
            outcome(Action::Refine, &p.value, &p.reason, Some(id))
        }
        Verdict::Retract(old) => {
            let held = ledger.get(old).map(|f| (f.subject.clone(), f.value.clone())).unwrap_or_default();
            let tombstone = draft(Status::Historical);
            let since = p.times.until.map_or(at, When::first);
            let id = retract(ledger, old, tombstone, (since, now));
            Outcome { subject: held.0, ..outcome(Action::Retract, &held.1, &p.reason, id) }
        }
        Verdict::Flag { action, target, reason } => {
            let fact = flagged(ledger, p, draft(Status::FlaggedConflict), action, target, &reason);
            let value = fact.value.clone();
            let id = ledger.insert(fact);
            outcome(Action::Flag, &value, &reason, Some(id))
        }
    }
}

/// What is older than the next value ends what held until then.
fn end_before(ledger: &mut Ledger, p: &Proposal, at: Timestamp, now: Timestamp) {
    let held_then = |fact: &&Fact| fact.began() < at && fact.ended().is_some_and(|ended| ended > at);
    let before: Vec<FactId> = values_in_turn(ledger, p).filter(held_then).map(|fact| fact.id).collect();
    for id in before {
        ledger.change(id, now, |fact| fact.times.ended = Some(at));
    }
}

/// Since when the new fact holds. It takes a place now, even if it holds only later.
fn began(fact: &Fact, now: Timestamp) -> Timestamp {
    if fact.times.is_empty() { now } else { fact.began().min(now) }
}

/// The more precise value replaces the one in the row, which stays readable in `earlier`. Dates that it does not give
/// stay.
pub(crate) fn refine(held: &mut Fact, said: Fact, at: Timestamp) {
    if held.value != said.value {
        let former = std::mem::replace(&mut held.value, said.value);
        held.earlier.push(Earlier { value: former, until: at });
    }
    held.kind = said.kind;
    held.times.from = said.times.from.or(held.times.from);
    held.times.until = said.times.until.or(held.times.until);
    held.confidence = said.confidence;
    held.source = said.source;
    held.triple = said.triple;
    held.text = said.text;
    held.metadata.extend(said.metadata);
}

pub(crate) fn retracted(value: &str) -> String {
    format!("(retracted: {value})")
}

/// Keys that only a decision may set.
pub const DECISION_KEYS: [&str; 6] =
    [APPROVED_BY, REJECTED_BY, WITHDRAWN_BY, SETTLED, DECIDED_BY, DECIDED_AT];

/// The metadata without the keys that only a decision may set.
pub(crate) fn without_decision(metadata: &Metadata) -> Metadata {
    metadata
        .iter()
        .filter(|(k, _)| !DECISION_KEYS.contains(&k.as_str()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect()
}

fn retract(
    ledger: &mut Ledger,
    old: FactId,
    tombstone: Fact,
    (at, now): (Timestamp, Timestamp),
) -> Option<FactId> {
    let held = ledger.get(old)?.clone();
    ledger.supersede(old, at, now);
    let mut metadata = without_decision(&held.metadata);
    metadata.extend(tombstone.metadata);
    Some(ledger.insert(Fact {
        subject: held.subject,
        value: retracted(&held.value),
        scope: held.scope,
        kind: held.kind,
        list_item: held.list_item,
        triple: held.triple,
        supersedes: Some(old),
        metadata,
        ..tombstone
    }))
}

fn flagged(
    ledger: &Ledger,
    p: &Proposal,
    draft: Fact,
    action: Action,
    target: Option<FactId>,
    reason: &str,
) -> Fact {
    let held = target.and_then(|id| ledger.get(id));
    let pending = Pending {
        action,
        target,
        target_value: held.map(|f| f.value.clone()),
        // A first value needs no approval, even if it is flagged.
        gated: p.is_gated() && (target.is_some() || action == Action::Coexist),
    };
    let mut fact = Fact { pending: Some(pending), ..draft };
    fact.metadata.entry(FLAG_REASON).or_insert_with(|| reason.into());
    // A removal shows the value, scope and kind of what it would remove.
    if let Some(held) = held.filter(|_| action == Action::Retract) {
        fact.value.clone_from(&held.value);
        fact.scope.clone_from(&held.scope);
        fact.kind = held.kind;
    }
    fact
}

fn spelling(ledger: &Ledger, p: &Proposal) -> String {
    let held = if p.slot.is_none() { ledger.spelling(&subject_key(&p.subject)) } else { None };
    held.unwrap_or(&p.subject).to_owned()
}

pub(crate) fn draft(p: &Proposal, subject: &str, statement: &Statement, status: Status) -> Fact {
    let mut metadata = Metadata::new();
    if let Some(category) = p.slot.as_ref().and_then(|s| s.category.as_deref()) {
        metadata.insert("category".to_owned(), category.into());
    }
    metadata.extend(without_decision(statement.metadata));
    Fact {
        // The ledger gives the id.
        id: FactId(0),
        subject: subject.to_owned(),
        value: p.value.clone(),
        scope: p.scope.clone(),
        kind: p.stored_kind(),
        status,
        confidence: p.confidence,
        source: statement.source.map(str::to_owned),
        list_item: p.list,
        supersedes: None,
        metadata,
        triple: p.triple.clone(),
        text: statement.text.clone(),
        pending: None,
        earlier: Vec::new(),
        times: Times { said: statement.said, ..p.times },
        created: statement.now,
        changed: statement.now,
    }
}
