//! Records of another memory. Each is told at the time at which it was true there, so what is held may be younger.

use crate::ledger::Ledger;
use crate::needs::{HeldFacts, Needs, needs};
use crate::plan::{Outcome, Plan};
use crate::proposal::Proposal;
use crate::remember::plan;
use crate::slot_key::scope_key;
use crate::slot_schema::SlotSchema;
use crate::statement::Statement;
use domain::keys::{subject_key, subject_keys, value_key};
use domain::{Action, Fact, FactId, FactKind, SourcePolicy, Status, TimeRef, Timestamp};
use std::collections::BTreeSet;

/// The keys of a fact's metadata that name the memory it was brought from, and its record there.
pub const IMPORTED_FROM: &str = "imported_from";
pub const IMPORTED_ID: &str = "imported_id";

const TAKEN: &str =
    "another value is current for this subject and scope; without --as-is the rules settle which one holds";

/// What `plan_told` needs. Any of the proposals may turn out to be history.
pub fn needs_told(proposals: &[Proposal]) -> Needs {
    let mut needs = needs(proposals);
    let pairs = proposals.iter().map(|p| (subject_key(&p.subject), value_key(&p.value)));
    needs.retired.extend(pairs);
    needs
}

/// As `plan`, for a statement that may be older than what is held: an old value does not replace a younger one, and goes
/// to history.
pub fn plan_told(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let dated: Vec<Proposal> = proposals.iter().map(|p| dated(held, p, statement.now)).collect();
    plan(held, &dated, statement, policy, slots, next_id)
}

fn dated(held: &HeldFacts, p: &Proposal, at: Timestamp) -> Proposal {
    let (subject, scope, value) = (subject_key(&p.subject), scope_key(&p.scope), value_key(&p.value));
    let is_younger = |fact: &Fact| {
        fact.status == Status::Active
            && fact.kind == FactKind::State
            && !fact.list_item
            && fact.created > at
            && subject_key(&fact.subject) == subject
            && scope_key(&fact.scope) == scope
            && value_key(&fact.value) != value
    };
    let holds = p.stored_kind() == FactKind::State && p.action != Action::Retract;
    if holds && held.facts.iter().any(is_younger) {
        return Proposal { time_ref: TimeRef::Past, ..p.clone() };
    }
    p.clone()
}

/// What `plan_as_is` needs.
pub fn needs_as_is(fact: &Fact) -> Needs {
    Needs {
        subjects: BTreeSet::from(subject_keys(&fact.subject)),
        ids: fact.supersedes.into_iter().collect(),
        retired: BTreeSet::new(),
    }
}

/// Puts the fact down with the status that it comes with; no rule judges it. Where its slot is taken, the earlier state
/// of the same record gives way, and any other fact stays.
pub fn plan_as_is(held: &HeldFacts, fact: &Fact, now: Timestamp, next_id: FactId) -> Plan {
    let mut ledger = Ledger::open(held, next_id);
    let occupant = match fact.status {
        Status::Active => ledger.occupants(fact).first().and_then(|id| ledger.get(*id)).cloned(),
        Status::Superseded | Status::Historical | Status::FlaggedConflict => None,
    };
    let outcome = |action, reason: &str, id| Outcome {
        action,
        subject: fact.subject.clone(),
        value: fact.value.clone(),
        reason: reason.to_owned(),
        id,
    };
    let (action, fact) = match occupant {
        Some(known) if value_key(&known.value) == value_key(&fact.value) => {
            let known = outcome(Action::Dedup, "known already", Some(known.id));
            return Plan { outcomes: vec![known], writes: Vec::new() };
        }
        Some(earlier) if is_same_record(&earlier, fact) => {
            ledger.supersede(earlier.id, now);
            (Action::Supersede, Fact { supersedes: Some(earlier.id), ..fact.clone() })
        }
        Some(_) => {
            return Plan { outcomes: vec![outcome(Action::Skip, TAKEN, None)], writes: Vec::new() };
        }
        None => (put_down(fact.status), fact.clone()),
    };
    let id = ledger.insert(fact);
    Plan { outcomes: vec![outcome(action, "", Some(id))], writes: ledger.into_writes() }
}

fn put_down(status: Status) -> Action {
    match status {
        Status::Active => Action::Add,
        Status::Superseded | Status::Historical => Action::Archive,
        Status::FlaggedConflict => Action::Flag,
    }
}

fn is_same_record(a: &Fact, b: &Fact) -> bool {
    let record = |fact: &Fact| {
        let part = |key| fact.metadata.get(key).and_then(|part| part.as_str()).map(str::to_owned);
        Some((part(IMPORTED_FROM)?, part(IMPORTED_ID)?))
    };
    record(a).is_some() && record(a) == record(b)
}
