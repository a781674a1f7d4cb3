//! What a statement does: the outcomes to reply with, and the rows to write.

use crate::apply::apply;
use crate::ledger::Ledger;
use crate::markers::Removals;
use crate::needs::Held;
use crate::proposal::Proposal;
use crate::rules::{Context, decide};
use domain::{Action, Fact, FactId, Metadata, SourcePolicy, Timestamp};

/// Whether the source may change a confirm-gated slot without approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    Trusted,
    Ordinary,
}

/// What was said, by whom and when.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    pub text: &'a str,
    pub source: Option<&'a str>,
    pub trust: Trust,
    pub metadata: &'a Metadata,
    pub now: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    Insert(Fact),
    Update(Fact),
}

/// What became of one proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub action: Action,
    pub subject: String,
    pub value: String,
    pub reason: String,
    /// The fact that was written, or that said the same already. None when nothing was written, or when only
    /// retired facts say it.
    pub id: Option<FactId>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// One for each proposal, in their order.
    pub outcomes: Vec<Outcome>,
    /// To be written in this order, in one transaction.
    pub writes: Vec<Write>,
}

impl Plan {
    /// How many ids it took, from the first that was offered.
    pub fn ids_taken(&self) -> usize {
        self.writes.iter().filter(|w| matches!(w, Write::Insert(_))).count()
    }
}

/// Applies the proposals of one statement in their order, each on what the former ones left.
pub fn plan(
    held: &Held,
    proposals: &[Proposal],
    statement: &Statement,
    policy: &SourcePolicy,
    next_id: FactId,
) -> Plan {
    let mut ledger = Ledger::open(held, next_id);
    let removals = Removals::read(statement.text, proposals.iter().map(|p| p.value.as_str()));
    let outcomes = proposals
        .iter()
        .enumerate()
        .map(|(i, proposal)| {
            let context = Context { statement, policy, said_removed: removals.concern(i) };
            let verdict = decide(&ledger, proposal, &context);
            apply(&mut ledger, proposal, statement, verdict)
        })
        .collect();
    Plan { outcomes, writes: ledger.into_writes() }
}
