//! The `forget` tool: a person wants something gone, whatever the confidence or the tense.

use crate::apply::{ASSERTED_BY, apply};
use crate::ledger::Ledger;
use crate::matching::{removable, target};
use crate::needs::HeldFacts;
use crate::plan::{Outcome, Plan};
use crate::proposal::Proposal;
use crate::refusal::Refusal;
use crate::rules::{GATED, dispute, flag};
use crate::settled::withdraw;
use crate::statement::{Statement, Trust};
use crate::verdict::Verdict;
use domain::{Action, FactId, SourcePolicy, Status, Timestamp};

/// Retracts what each proposal names, whatever action the model wrote. The outcome is RETRACT where it is done, FLAG
/// where it awaits approval, DEDUP where it already did, and SKIP where nothing current matches.
pub fn plan_removal(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    policy: &SourcePolicy,
    next_id: FactId,
) -> Plan {
    let mut ledger = Ledger::open(held, next_id, statement.now);
    let mut outcomes = Vec::new();
    for proposal in proposals {
        let verdict = decide_removal(&ledger, proposal, statement, policy);
        outcomes.push(apply(&mut ledger, proposal, statement, verdict));
    }
    ledger.settle_waiting(statement.now);
    Plan { outcomes, writes: ledger.into_writes(), ..Plan::default() }
}

fn decide_removal(ledger: &Ledger, p: &Proposal, statement: &Statement, policy: &SourcePolicy) -> Verdict {
    if let Some(why) = &p.unusable {
        return Verdict::Skip(why.clone());
    }
    // A request to forget means the fact that was found, even if it is an item of a list.
    let Some(fact) = removable(ledger, p).or_else(|| target(ledger, p)) else {
        return Verdict::Skip("nothing current matches".to_owned());
    };
    let gated = (p.is_gated() && statement.trust != Trust::Trusted).then(|| GATED.to_owned());
    match gated.or_else(|| dispute(fact, statement.source, policy)) {
        Some(reason) => flag(ledger, p, Action::Retract, Some(fact), reason),
        None => Verdict::Retract(fact.id),
    }
}

/// Takes back a change that waits. Only who proposed it may; anybody else's word is a decision.
pub fn plan_withdrawal(id: FactId, held: &HeldFacts, by: &str, now: Timestamp) -> Result<Plan, Refusal> {
    let mut ledger = Ledger::open(held, FactId(0), now);
    let flag = ledger.get(id).ok_or(Refusal::Unknown(id))?;
    if flag.status != Status::FlaggedConflict {
        return Err(Refusal::NotPending { id, status: flag.status });
    }
    if flag.metadata.get(ASSERTED_BY).and_then(|who| who.as_str()) != Some(by) {
        return Err(Refusal::NotTheProposer { id });
    }
    let action = flag.pending.as_ref().map_or(Action::Flag, |pending| pending.action);
    let (subject, value) = (flag.subject.clone(), flag.value.clone());
    ledger.change(id, now, |flag| withdraw(flag, by, now));
    let outcome = Outcome { action, subject, value, reason: String::new(), id: Some(id) };
    Ok(Plan { outcomes: vec![outcome], writes: ledger.into_writes(), ..Plan::default() })
}
