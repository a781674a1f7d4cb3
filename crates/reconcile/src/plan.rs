//! What is to be done: the outcomes to reply with, and the rows to write.

use domain::{Action, Fact, FactId};

#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    Insert(Fact),
    Update(Fact),
}

/// What became of a proposal.
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
    /// In the order of the proposals: one for each, or one for several that were joined, and a second one where an item
    /// is added and a removal is flagged.
    pub outcomes: Vec<Outcome>,
    /// The flagged facts among them, those that waited before too.
    pub waiting: Vec<Fact>,
    /// To be written in this order, in one transaction.
    pub writes: Vec<Write>,
}

impl Plan {
    /// The fact as the plan writes it, if it does.
    pub fn written(&self, id: FactId) -> Option<&Fact> {
        self.writes.iter().rev().find_map(|write| match write {
            Write::Insert(fact) | Write::Update(fact) => Some(fact).filter(|fact| fact.id == id),
        })
    }

    /// How many new ids it uses, from `next_id` on.
    pub fn ids_taken(&self) -> usize {
        self.writes.iter().filter(|w| matches!(w, Write::Insert(_))).count()
    }
}
