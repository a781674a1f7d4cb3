//! The `remember` tool: what a statement does to the memory.

use crate::apply::apply;
use crate::ledger::Ledger;
use crate::needs::HeldFacts;
use crate::plan::Plan;
use crate::proposal::Proposal;
use crate::rules::{Context, decide};
use crate::same_slot::join;
use crate::slot_schema::SlotSchema;
use crate::statement::Statement;
use crate::target::{Claims, settle};
use domain::{FactId, SourcePolicy};

/// Applies the proposals of one statement in their order, each on the result of the earlier ones. `held` answers
/// `needs`.
pub fn plan(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Plan {
    let mut ledger = Ledger::open(held, next_id);
    let claims = Claims::of(&ledger, proposals);
    let settled: Vec<Proposal> = proposals.iter().map(|p| settle(&ledger, p, &claims, slots)).collect();
    let context = Context { statement, policy, restated: &claims.restated };
    let mut outcomes = Vec::new();
    for proposal in join(&settled) {
        for verdict in decide(&ledger, &proposal, &context) {
            outcomes.push(apply(&mut ledger, &proposal, statement, verdict));
        }
    }
    Plan { outcomes, writes: ledger.into_writes() }
}
