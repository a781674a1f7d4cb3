//! The `remember` tool: what a statement does to the memory.

use crate::apply::apply;
use crate::brought;
use crate::ledger::Ledger;
use crate::needs::HeldFacts;
use crate::plan::Plan;
use crate::proposal::Proposal;
use crate::refusal::Refusal;
use crate::rules::{Context, decide, values_in_turn};
use crate::same_slot::join;
use crate::slot_key::scope_key;
use crate::slot_schema::SlotSchema;
use crate::statement::Statement;
use crate::target::{Claims, settle};
use domain::keys::subject_key;
use domain::{Action, FactId, FactKind, Proposer, SourcePolicy};

/// Applies the proposals of one statement in their order, each on the result of the earlier ones. `held` answers
/// `needs`. Refused where a caller aims at what is not current.
pub fn plan(
    held: &HeldFacts,
    proposals: &[Proposal],
    statement: &Statement,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Result<Plan, Refusal> {
    let mut ledger = Ledger::open(held, next_id, statement.now);
    let listed: Vec<Proposal> = proposals.iter().map(|p| as_listed(&ledger, p, statement.proposer)).collect();
    let claims = Claims::of(&ledger, &listed);
    let settled: Result<Vec<Proposal>, Refusal> = match statement.proposer {
        Proposer::Model => Ok(listed.iter().map(|p| settle(&ledger, p, &claims, slots)).collect()),
        Proposer::Caller => {
            listed.iter().enumerate().map(|(at, p)| brought::settle(&ledger, p, at, slots)).collect()
        }
    };
    let context = Context { statement, policy, restated: &claims.restated };
    let stands_alone =
        |p: &Proposal| statement.proposer == Proposer::Caller && brought::stands_alone(p, statement.now);
    let mut outcomes = Vec::new();
    for proposal in join(&settled?, stands_alone) {
        let (proposal, verdicts) = match statement.proposer {
            Proposer::Model => {
                let verdicts = decide(&ledger, &proposal, &context);
                (proposal, verdicts)
            }
            Proposer::Caller => {
                let proposal = brought::beside(&ledger, proposal);
                let verdict = brought::decide(&ledger, &proposal, &context);
                (proposal, vec![verdict])
            }
        };
        for verdict in verdicts {
            outcomes.push(apply(&mut ledger, &proposal, statement, verdict));
        }
    }
    ledger.settle_waiting(statement.now);
    let waiting = outcomes.iter().filter_map(|o| ledger.get(o.id?)).filter(|f| f.pending.is_some());
    let waiting = waiting.cloned().collect();
    Ok(Plan { outcomes, waiting, writes: ledger.into_writes() })
}

/// A subject that holds a list goes on holding one, for a caller also after its last item has gone. What a caller calls
/// COEXIST makes one, unless the other value that it stands beside is in another scope.
fn as_listed(ledger: &Ledger, p: &Proposal, proposer: Proposer) -> Proposal {
    let (subject, scope) = (subject_key(&p.subject), scope_key(&p.scope));
    let states = || ledger.active(&subject).filter(|row| row.fact.kind == FactKind::State);
    let here = || states().filter(|row| row.scope == scope);
    let coexists = || here().next().is_some() || states().next().is_none();
    let was_list = || {
        let last = values_in_turn(ledger, &Proposal { list: false, ..p.clone() }).max_by_key(|fact| fact.id);
        proposer == Proposer::Caller && last.is_some_and(|fact| fact.list_item)
    };
    let is_list = p.slot.is_none()
        && p.kind == FactKind::State
        && (here().any(|row| row.fact.list_item)
            || (here().next().is_none() && was_list())
            || (p.is_explicit && p.action == Action::Coexist && coexists()));
    Proposal { list: p.list || is_list, ..p.clone() }
}
