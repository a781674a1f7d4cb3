//! The `forget` tool: a person wants something gone, so that confidence, tense and source policy do not matter.

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

/// Retracts what each proposal names, whatever action the model wrote. RETRACT is done, FLAG awaits approval, DEDUP
/// awaited it already, SKIP found nothing current.
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
    // Who asks to forget means what the model found, also where that stands in a list.
    match removable(ledger, p).or_else(|| target(ledger, p)) {
        None => Verdict::Skip("nothing current matches".to_owned()),
        Some(fact) if p.is_gated() && statement.trust == Trust::Ordinary => {
            flag(ledger, p, Action::Retract, Some(fact), GATED.to_owned())
        }
        Some(fact) => Verdict::Retract(fact.id),
    }
}
