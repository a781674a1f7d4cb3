//! Records of another memory. What is told is judged by the rules of any statement; what is put down as it is, by none.

use crate::apply::draft;
use crate::ledger::Ledger;
use crate::needs::HeldFacts;
use crate::plan::{Outcome, Plan};
use crate::proposal::Proposal;
use crate::remember::plan;
use crate::slot_key::scope_key;
use crate::slot_schema::SlotSchema;
use crate::statement::Statement;
use domain::keys::{subject_key, value_key};
use domain::{
    Action, Earlier, Fact, FactId, FactKind, Metadata, Pending, SourcePolicy, Status, Times, Timestamp, When,
};
use serde::{Deserialize, Serialize};

/// The keys of a fact's metadata that name the memory it was brought from, and its record there.
pub const IMPORTED_FROM: &str = "imported_from";
pub const IMPORTED_ID: &str = "imported_id";
/// The key that says that the record did not say since when it holds.
pub const IMPORTED_UNDATED: &str = "imported_undated";

const TAKEN: &str =
    "another value is current for this subject and scope; without --as-is the rules settle which one holds";
const UNDATED: &str = "its record does not say since when it holds";

/// As `plan`, for a record at its own time. One that has no time replaces only what its own memory said, which has none
/// either: about anything else a person decides.
pub fn plan_told(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let is_undated = |metadata: &Metadata| metadata.contains_key(IMPORTED_UNDATED);
    let from = |metadata: &Metadata| metadata.get(IMPORTED_FROM).cloned();
    let is_alone = |kind: FactKind, list: bool| kind == FactKind::State && !list;
    let is_at_risk = |p: &Proposal, fact: &Fact| {
        fact.status == Status::Active
            && is_alone(fact.kind, fact.list_item)
            && is_alone(p.stored_kind(), p.list)
            && subject_key(&fact.subject) == subject_key(&p.subject)
            && scope_key(&fact.scope) == scope_key(&p.scope)
            && value_key(&fact.value) != value_key(&p.value)
            && !(is_undated(&fact.metadata) && from(&fact.metadata) == from(statement.metadata))
    };
    let mut proposals = proposals.to_vec();
    for p in proposals.iter_mut().filter(|_| is_undated(statement.metadata)) {
        p.misgiving = held.facts.iter().any(|fact| is_at_risk(p, fact)).then_some(UNDATED);
    }
    // What another memory says aims at no fact of this one that could be gone.
    plan(held, &proposals, statement, policy, slots, next_id).unwrap_or_default()
}

/// What a record that is put down as it is says besides the fact itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AsIs {
    pub status: Status,
    pub created: Timestamp,
    pub changed: Timestamp,
    pub said: Option<When>,
    pub ended: Option<Timestamp>,
    pub supersedes: Option<FactId>,
    pub pending: Option<Pending>,
    pub earlier: Vec<Earlier>,
}

/// Puts the fact down with the status that it comes with. Where its place is taken, the earlier state of the same record
/// gives way, and any other fact stays.
pub fn plan_as_is(
    held: &HeldFacts,
    p: &Proposal,
    statement: &Statement,
    as_is: &AsIs,
    next_id: FactId,
) -> Plan {
    let AsIs { status, created, changed, said, ended, .. } = *as_is;
    let outcome = |action, reason: &str, id| Outcome {
        action,
        subject: p.subject.clone(),
        value: p.value.clone(),
        reason: reason.to_owned(),
        id,
    };
    let nothing = |outcome| Plan { outcomes: vec![outcome], ..Plan::default() };
    if let Some(why) = &p.unusable {
        return nothing(outcome(Action::Skip, why, None));
    }
    let mut ledger = Ledger::open(held, next_id, statement.now);
    let mut fact = Fact {
        supersedes: as_is.supersedes,
        pending: as_is.pending.clone(),
        earlier: as_is.earlier.clone(),
        times: Times { said, ended, ..p.times },
        created,
        changed: changed.max(created),
        ..draft(p, &p.subject, statement, status)
    };
    let subject = subject_key(&fact.subject);
    let is_same = |held: &Fact| value_key(&held.value) == value_key(&fact.value);
    let standing = ledger.active(&subject).chain(ledger.flagged(&subject)).map(|row| &row.fact);
    let here: Vec<&Fact> = standing.filter(|held| scope_key(&held.scope) == scope_key(&fact.scope)).collect();
    let says_it = |held: &&Fact| {
        let what =
            |fact: &Fact| (fact.status, fact.kind, fact.created, fact.pending.as_ref().map(|p| p.action));
        is_same(held) && what(held) == what(&fact)
    };
    let is_own = |held: &&&Fact| held.status == Status::Active && is_same_record(held, &fact);
    let own: Option<Fact> = here.iter().find(is_own).map(|held| (*held).clone());
    let taken = ledger.occupants(&fact).first().and_then(|id| ledger.get(*id)).cloned();
    let taken = taken.filter(|_| status == Status::Active);
    if let Some(known) = here.into_iter().find(says_it).or(taken.as_ref().filter(|held| is_same(held))) {
        return nothing(outcome(Action::Dedup, "known already", Some(known.id)));
    }
    let (action, id) = match (own, taken) {
        (own, Some(taken)) if own.as_ref().is_some_and(|own| own.id == taken.id) => {
            let since = if fact.changed > taken.began() { fact.changed } else { statement.now };
            ledger.supersede(taken.id, since, statement.now);
            (fact.created, fact.changed, fact.supersedes) = (since, since, Some(taken.id));
            (Action::Supersede, ledger.insert(fact))
        }
        (_, Some(_)) => return nothing(outcome(Action::Skip, TAKEN, None)),
        // It holds no longer.
        (Some(own), None)
            if status != Status::Active && status != Status::FlaggedConflict && is_same(&own) =>
        {
            ledger.change(own.id, fact.changed, |held| *held = Fact { id: own.id, ..fact });
            (Action::Archive, own.id)
        }
        (_, None) => {
            let action = match status {
                Status::Active => Action::Add,
                Status::Superseded | Status::Historical => Action::Archive,
                Status::FlaggedConflict => Action::Flag,
            };
            (action, ledger.insert(fact))
        }
    };
    Plan { outcomes: vec![outcome(action, "", Some(id))], writes: ledger.into_writes(), ..Plan::default() }
}

fn is_same_record(a: &Fact, b: &Fact) -> bool {
    let record = |fact: &Fact| [IMPORTED_FROM, IMPORTED_ID].map(|key| fact.metadata.get(key).cloned());
    record(a).iter().all(Option::is_some) && record(a) == record(b)
}
