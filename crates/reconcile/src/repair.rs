//! All that was proposed for one statement, made fit for the rules.

use crate::denial;
use crate::proposal::{Proposal, repair_one, surplus};
use crate::slot_schema::SlotSchema;
use domain::{Proposed, Proposer, limits};

pub fn repair(proposed: &[Proposed], proposer: Proposer, slots: &SlotSchema) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut dropped: usize = 0;
    for Proposed { fact, wording } in proposed {
        for proposal in denial::split(repair_one(fact, wording, proposer, slots)) {
            if proposals.contains(&proposal) {
                continue;
            }
            if proposals.len() < limits::FACTS_PER_STATEMENT {
                proposals.push(proposal);
            } else {
                dropped += 1;
            }
        }
    }
    if dropped > 0 {
        proposals.push(surplus(dropped));
    }
    proposals
}
