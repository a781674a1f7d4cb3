//! `confirm_change` and `reject_change`: a person decides on a flagged fact.

use crate::apply::{ASSERTED_BY, DECIDED_BY, FLAG_REASON, refine, retracted};
use crate::ledger::Ledger;
use crate::needs::HeldFacts;
use crate::plan::{Outcome, Plan};
use crate::refusal::Refusal;
use crate::settled::{TARGET_GONE, close, settled_by};
use crate::slot_key::slot_key;
use crate::standing::{fingerprint, is_stale};
use domain::keys::subject_key;
use domain::{
    APPROVED_BY, Action, DECIDED_AT, Fact, FactId, FactKind, Metadata, Pending, REJECTED_BY, SETTLED, Status,
    Timestamp,
};

/// No decision inserts a row: the flagged row itself becomes what was decided.
const NO_NEW_ID: FactId = FactId(0);

/// Who may approve a change that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approver {
    Anyone,
    /// Four eyes: nobody approves a change that they proposed themselves.
    NotTheProposer,
}

#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// The authenticated caller.
    pub by: &'a str,
    /// The person whom the caller names as the one who decided.
    pub note: Option<&'a str>,
    pub now: Timestamp,
    /// The fingerprint of what the person was shown as current; `None` where nobody was shown anything.
    pub shown: Option<&'a str>,
}

/// `held` answers `needs_of` the flagged fact. The outcome's action is the one that was applied.
pub fn plan_confirm(
    id: FactId,
    held: &HeldFacts,
    decision: &Decision,
    approver: Approver,
) -> Result<Plan, Refusal> {
    let mut ledger = Ledger::open(held, NO_NEW_ID, decision.now);
    let (flag, pending) = awaiting(&ledger, id)?;
    let proposer = flag.metadata.get(ASSERTED_BY).and_then(|by| by.as_str());
    if approver == Approver::NotTheProposer && proposer == Some(decision.by) {
        return Err(Refusal::OwnProposal { id });
    }
    let target = pending.target.and_then(|target| ledger.get(target));
    let subject = subject_key(&flag.subject);
    let current = ledger.active(&subject).map(|row| &row.fact);
    // Its target was asked for, so one that is missing was erased.
    let is_erased = pending.target.is_some() && target.is_none();
    let settled = settled_by(&flag, &pending, target, current, decision.now);
    if let Some(why) = settled.or(is_erased.then_some(TARGET_GONE)) {
        return Err(Refusal::Settled { id, why: why.to_owned() });
    }
    let standing = ledger.standing(&flag, &pending);
    if is_stale(&pending, &standing) {
        return Err(Refusal::Stale { id });
    }
    if decision.shown.is_some_and(|shown| shown != fingerprint(&standing)) {
        return Err(Refusal::NotAsShown { id });
    }
    let replaced: Vec<FactId> = standing.iter().map(|fact| fact.id).collect();
    let target = pending.target.and_then(|t| ledger.get(t)).filter(|f| f.status == Status::Active).cloned();
    let (action, value) = match (pending.action, target) {
        (Action::Retract, Some(target)) => confirm_removal(&mut ledger, id, &target, decision),
        (Action::Retract, None) => return Err(Refusal::Stale { id }),
        (Action::Refine, Some(target)) => confirm_refinement(&mut ledger, &flag, &target, decision),
        _ => confirm_value(&mut ledger, &flag, &replaced, decision),
    };
    ledger.settle_waiting(decision.now);
    Ok(finish(ledger, action, flag.subject, value, id))
}

/// The proposal stays as history, with who rejected it.
pub fn plan_reject(id: FactId, held: &HeldFacts, decision: &Decision) -> Result<Plan, Refusal> {
    let mut ledger = Ledger::open(held, NO_NEW_ID, decision.now);
    let (flag, pending) = awaiting(&ledger, id)?;
    let shown = flag.value.clone();
    ledger.change(id, decision.now, |f| {
        close(f, Status::Historical);
        stamp(&mut f.metadata, REJECTED_BY, decision);
        if pending.action == Action::Retract {
            f.value = format!("(rejected removal: {})", f.value);
        }
    });
    Ok(finish(ledger, pending.action, flag.subject, shown, id))
}

fn awaiting(ledger: &Ledger, id: FactId) -> Result<(Fact, Pending), Refusal> {
    let fact = ledger.get(id).ok_or(Refusal::Unknown(id))?;
    match (&fact.pending, fact.status) {
        (Some(pending), Status::FlaggedConflict) => Ok((fact.clone(), pending.clone())),
        (_, status) => Err(match fact.metadata.get(SETTLED).and_then(|why| why.as_str()) {
            Some(why) => Refusal::Settled { id, why: why.to_owned() },
            None => Refusal::NotPending { id, status },
        }),
    }
}

fn confirm_removal(ledger: &mut Ledger, id: FactId, target: &Fact, decision: &Decision) -> (Action, String) {
    ledger.supersede(target.id, decision.now, decision.now);
    ledger.change(id, decision.now, |f| {
        close(f, Status::Historical);
        f.value = retracted(&target.value);
        f.supersedes = Some(target.id);
        stamp(&mut f.metadata, APPROVED_BY, decision);
    });
    (Action::Retract, target.value.clone())
}

fn confirm_refinement(
    ledger: &mut Ledger,
    flag: &Fact,
    target: &Fact,
    decision: &Decision,
) -> (Action, String) {
    let mut said = flag.clone();
    said.metadata.remove(FLAG_REASON);
    stamp(&mut said.metadata, APPROVED_BY, decision);
    ledger.change(target.id, decision.now, |held| refine(held, said, decision.now));
    ledger.change(flag.id, decision.now, |f| {
        close(f, Status::Historical);
        stamp(&mut f.metadata, APPROVED_BY, decision);
    });
    (Action::Refine, flag.value.clone())
}

/// The flagged value becomes current. It replaces its target and whatever else has taken the slot since.
fn confirm_value(
    ledger: &mut Ledger,
    flag: &Fact,
    replaced: &[FactId],
    decision: &Decision,
) -> (Action, String) {
    let mut current = flag.clone();
    close(&mut current, Status::Active);
    let action = match replaced.first() {
        Some(_) => Action::Supersede,
        None if elsewhere(ledger, &current) => Action::Coexist,
        None => Action::Add,
    };
    for old in replaced {
        ledger.supersede(*old, decision.now, decision.now);
    }
    current.supersedes = replaced.first().copied();
    stamp(&mut current.metadata, APPROVED_BY, decision);
    ledger.change(flag.id, decision.now, |f| *f = current);
    (action, flag.value.clone())
}

/// Whether the same subject, or the same item of a list, is current in another scope.
fn elsewhere(ledger: &Ledger, current: &Fact) -> bool {
    let subject = subject_key(&current.subject);
    ledger.active(&subject).any(|r| {
        let here = Fact { scope: current.scope.clone(), ..r.fact.clone() };
        r.fact.kind == FactKind::State && slot_key(&here) == slot_key(current)
    })
}

fn stamp(metadata: &mut Metadata, verb: &str, decision: &Decision) {
    metadata.insert(verb.to_owned(), decision.by.into());
    metadata.insert(DECIDED_AT.to_owned(), decision.now.to_string().into());
    if let Some(note) = decision.note {
        metadata.insert(DECIDED_BY.to_owned(), note.into());
    }
}

fn finish(ledger: Ledger, action: Action, subject: String, value: String, id: FactId) -> Plan {
    let outcome = Outcome { action, subject, value, reason: String::new(), id: Some(id) };
    Plan { outcomes: vec![outcome], writes: ledger.into_writes(), ..Plan::default() }
}
