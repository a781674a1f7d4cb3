//! The `forget` tool: a person wants something gone, whatever the confidence, the tense or the policy on sources.

use crate::apply::apply;
use crate::ledger::Ledger;
use crate::matching::{removable, target};
use crate::needs::HeldFacts;
use crate::plan::Plan;
use crate::proposal::Proposal;
use crate::rules::{GATED, flag};
use crate::statement::{Statement, Trust};
use crate::verdict::Verdict;
use domain::{Action, FactId};

/// Retracts what each proposal names, whatever action the model wrote. The outcome is RETRACT where it is done, FLAG
/// where it awaits approval, DEDUP where it already did, and SKIP where nothing current matches.
pub fn plan_removal(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    next_id: FactId,
) -> Plan {
    let mut ledger = Ledger::open(held, next_id);
    let outcomes = proposals
        .iter()
        .map(|proposal| {
            let verdict = decide_removal(&ledger, proposal, statement);
            apply(&mut ledger, proposal, statement, verdict)
        })
        .collect();
    Plan { outcomes, writes: ledger.into_writes() }
}

fn decide_removal(ledger: &Ledger, p: &Proposal, statement: &Statement) -> Verdict {
    if let Some(why) = &p.unusable {
        return Verdict::Skip(why.clone());
    }
    // A request to forget means the fact that the model found, even if it is an item of a list.
    match removable(ledger, p).or_else(|| target(ledger, p)) {
        None => Verdict::Skip("nothing current matches".to_owned()),
        Some(fact) if p.is_gated() && statement.trust == Trust::Ordinary => {
            flag(ledger, p, Action::Retract, Some(fact), GATED.to_owned())
        }
        Some(fact) => Verdict::Retract(fact.id),
    }
}
