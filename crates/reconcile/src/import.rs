//! Records of another memory. Each is told at the time at which it was true there, so what is held may be younger.

use crate::ledger::Ledger;
use crate::needs::{HeldFacts, Needs, needs};
use crate::plan::{Outcome, Plan, Write};
use crate::proposal::Proposal;
use crate::remember::plan;
use crate::slot_key::scope_key;
use crate::slot_schema::SlotSchema;
use crate::statement::Statement;
use domain::keys::{subject_key, subject_keys, value_key};
use domain::{Action, Fact, FactId, FactKind, Metadata, SourcePolicy, Status, TimeRef, Timestamp};
use std::collections::BTreeSet;

/// The keys of a fact's metadata that name the memory it was brought from, and its record there.
pub const IMPORTED_FROM: &str = "imported_from";
pub const IMPORTED_ID: &str = "imported_id";
/// It did not say since when it holds.
pub const IMPORTED_UNDATED: &str = "imported_undated";

const TAKEN: &str =
    "another value is current for this subject and scope; without --as-is the rules settle which one holds";

/// What `plan_told` needs. Any of the proposals may turn out to be history.
pub fn needs_told(proposals: &[Proposal]) -> Needs {
    let mut needs = needs(proposals);
    let pairs = proposals.iter().map(|p| (subject_key(&p.subject), value_key(&p.value)));
    needs.retired.extend(pairs);
    needs
}

/// As `plan`, for a statement that may be older than what is held: an old value does not replace a younger one, and held
/// until that began; what ended then ends nothing that began later; and a value of which nobody knows how old it is waits
/// for a decision, where it would replace another than its own memory's.
pub fn plan_told(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let at = statement.now;
    if proposals.iter().all(|p| p.action == Action::Retract) {
        let facts = held.facts.iter().filter(|fact| fact.created <= at).cloned().collect();
        let then = HeldFacts { facts, retired: held.retired.clone() };
        return plan(&then, proposals, statement, policy, slots, next_id);
    }
    let younger: Vec<Option<Timestamp>> = proposals.iter().map(|p| younger(held, p, at)).collect();
    let dated: Vec<Proposal> = proposals
        .iter()
        .zip(&younger)
        .map(|(p, younger)| match younger {
            Some(_) => Proposal { time_ref: TimeRef::Past, ..p.clone() },
            None if is_unplaced(held, p, statement) => Proposal { action: Action::Flag, ..p.clone() },
            None => p.clone(),
        })
        .collect();
    let mut plan = plan(held, &dated, statement, policy, slots, next_id);
    for (p, until) in dated.iter().zip(younger) {
        let Some(until) = until else { continue };
        let (subject, scope, value) = (subject_key(&p.subject), scope_key(&p.scope), value_key(&p.value));
        for write in &mut plan.writes {
            if let Write::Insert(fact) = write
                && fact.status == Status::Historical
                && (subject_key(&fact.subject), scope_key(&fact.scope), value_key(&fact.value))
                    == (subject.clone(), scope.clone(), value.clone())
            {
                fact.status = Status::Superseded;
                fact.changed = until;
            }
        }
    }
    plan
}

/// When the value began that is current in the proposal's slot, and younger than what is proposed.
fn younger(held: &HeldFacts, p: &Proposal, at: Timestamp) -> Option<Timestamp> {
    others(held, p).map(|fact| fact.created).filter(|began| *began > at).min()
}

/// Whether it has no time, and would replace what is not of the same memory, or has one.
fn is_unplaced(held: &HeldFacts, p: &Proposal, statement: &Statement) -> bool {
    let part = |metadata: &Metadata, key| metadata.get(key).cloned();
    let is_undated = |metadata: &Metadata| metadata.contains_key(IMPORTED_UNDATED);
    let from = part(statement.metadata, IMPORTED_FROM);
    let is_like_it = |fact: &Fact| is_undated(&fact.metadata) && part(&fact.metadata, IMPORTED_FROM) == from;
    is_undated(statement.metadata) && others(held, p).any(|fact| !is_like_it(fact))
}

/// The other values that are current in the slot for which this one is proposed.
fn others<'a>(held: &'a HeldFacts, p: &Proposal) -> impl Iterator<Item = &'a Fact> {
    let (subject, scope, value) = (subject_key(&p.subject), scope_key(&p.scope), value_key(&p.value));
    let holds =
        p.stored_kind() == FactKind::State && p.time_ref != TimeRef::Past && p.action != Action::Retract;
    held.facts.iter().filter(move |fact| {
        holds
            && fact.status == Status::Active
            && fact.kind == FactKind::State
            && !fact.list_item
            && subject_key(&fact.subject) == subject
            && scope_key(&fact.scope) == scope
            && value_key(&fact.value) != value
    })
}

/// What `plan_as_is` needs. `came_to` is what the same record came to when it was brought last.
pub fn needs_as_is(fact: &Fact, came_to: &[FactId]) -> Needs {
    Needs {
        subjects: BTreeSet::from(subject_keys(&fact.subject)),
        ids: fact.supersedes.into_iter().chain(came_to.iter().copied()).collect(),
        retired: BTreeSet::new(),
    }
}

/// Puts the fact down with the status that it comes with; no rule judges it. Where its slot is taken, the earlier state
/// of the same record gives way, and any other fact stays. A record that has ended since it was brought last ends what it
/// came to then.
pub fn plan_as_is(
    held: &HeldFacts,
    fact: &Fact,
    came_to: &[FactId],
    now: Timestamp,
    next_id: FactId,
) -> Plan {
    let mut ledger = Ledger::open(held, next_id);
    let outcome = |action, fact: &Fact, reason: &str, id| Outcome {
        action,
        subject: fact.subject.clone(),
        value: fact.value.clone(),
        reason: reason.to_owned(),
        id,
    };
    // When the record changed, where it says so and that is after what it was before.
    let since = |before: &Fact| {
        let says = fact.changed > fact.created && fact.changed > before.created;
        if says { fact.changed } else { now }
    };
    if matches!(fact.status, Status::Superseded | Status::Historical) {
        let own = came_to.iter().filter_map(|id| ledger.get(*id));
        let own = own.filter(|f| f.status == Status::Active && is_same_record(f, fact) && may_be_of(f, fact));
        let own: Vec<Fact> = own.cloned().collect();
        own.iter().for_each(|before| ledger.supersede(before.id, since(before)));
        if !own.is_empty() {
            let ended =
                |f: &Fact| outcome(Action::Retract, f, "it has ended where it comes from", Some(f.id));
            return Plan { outcomes: own.iter().map(ended).collect(), writes: ledger.into_writes() };
        }
    }
    if let Some(known) = standing(&ledger, fact) {
        let known = outcome(Action::Dedup, fact, "known already", Some(known));
        return Plan { outcomes: vec![known], writes: Vec::new() };
    }
    let occupant = match fact.status {
        Status::Active => ledger.occupants(fact).first().and_then(|id| ledger.get(*id)).cloned(),
        Status::Superseded | Status::Historical | Status::FlaggedConflict => None,
    };
    let (action, fact) = match occupant {
        Some(known) if value_key(&known.value) == value_key(&fact.value) => {
            let known = outcome(Action::Dedup, fact, "known already", Some(known.id));
            return Plan { outcomes: vec![known], writes: Vec::new() };
        }
        Some(before) if is_same_record(&before, fact) => {
            let at = since(&before);
            ledger.supersede(before.id, at);
            let after = Fact { supersedes: Some(before.id), created: at, changed: at, ..fact.clone() };
            (Action::Supersede, after)
        }
        Some(_) => {
            return Plan { outcomes: vec![outcome(Action::Skip, fact, TAKEN, None)], writes: Vec::new() };
        }
        None => (put_down(fact.status), fact.clone()),
    };
    let id = ledger.insert(fact.clone());
    Plan { outcomes: vec![outcome(action, &fact, "", Some(id))], writes: ledger.into_writes() }
}

/// Two memories may give the same id to different things, which their subjects tell apart. Words have none: what the
/// model made of them has.
fn may_be_of(held: &Fact, fact: &Fact) -> bool {
    let part = |key| fact.metadata.get(key).and_then(|part| part.as_str()).unwrap_or_default();
    let of_words = format!("{} {}", part(IMPORTED_FROM), part(IMPORTED_ID));
    fact.subject == of_words || subject_key(&held.subject) == subject_key(&fact.subject)
}

/// The very same fact, where it stands already beside others, such as an event or a change that waits.
fn standing(ledger: &Ledger, fact: &Fact) -> Option<FactId> {
    let subject = subject_key(&fact.subject);
    let action = |fact: &Fact| fact.pending.as_ref().map(|pending| pending.action);
    let is_it = |held: &Fact| {
        (held.status, held.kind, held.created, action(held))
            == (fact.status, fact.kind, fact.created, action(fact))
            && scope_key(&held.scope) == scope_key(&fact.scope)
            && value_key(&held.value) == value_key(&fact.value)
    };
    ledger
        .active(&subject)
        .chain(ledger.flagged(&subject))
        .map(|row| &row.fact)
        .find(|held| is_it(held))
        .map(|held| held.id)
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
