//! What a statement does: the outcomes to reply with, and the rows to write.

use crate::aim::{Claims, settle};
use crate::apply::apply;
use crate::joining::join;
use crate::ledger::Ledger;
use crate::needs::Held;
use crate::proposal::Proposal;
use crate::rules::{Context, decide};
use crate::slots::SlotSchema;
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
    /// Kept with the facts, and read by no rule.
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
    /// In the order of the proposals: one for each, or for several that were joined, and a second one where a removal
    /// waits beside what was added.
    pub outcomes: Vec<Outcome>,
    /// To be written in this order, in one transaction.
    pub writes: Vec<Write>,
}

impl Plan {
    /// The fact as it was written, if it was.
    pub fn written(&self, id: FactId) -> Option<&Fact> {
        self.writes.iter().rev().find_map(|write| match write {
            Write::Insert(fact) | Write::Update(fact) => Some(fact).filter(|fact| fact.id == id),
        })
    }

    /// How many ids it took, from the first that was offered.
    pub fn ids_taken(&self) -> usize {
        self.writes.iter().filter(|w| matches!(w, Write::Insert(_))).count()
    }
}

/// Applies the proposals of one statement in their order, each on what the former ones left. `held` answers `needs`.
pub fn plan(
    held: &Held,
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
