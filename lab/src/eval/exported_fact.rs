//! A fact of the memory as an evaluation looks at it.

use super::words::words;
use domain::{Fact, FactId, FactKind, Status};

#[derive(Debug, Clone)]
pub struct ExportedFact {
    pub id: FactId,
    pub subject: String,
    pub value: String,
    pub scope: String,
    pub status: Status,
    pub kind: FactKind,
    /// The values that it had before it was refined.
    pub refined_from: Vec<String>,
    pub supersedes: Option<FactId>,
    /// Of a flagged fact: the one that it waits to change or end.
    pub disputes: Option<FactId>,
    /// The statement that it was taken from.
    pub text: String,
}

impl From<Fact> for ExportedFact {
    fn from(fact: Fact) -> Self {
        Self {
            id: fact.id,
            subject: fact.subject,
            value: fact.value,
            scope: fact.scope,
            status: fact.status,
            kind: fact.kind,
            refined_from: fact.earlier.into_iter().map(|earlier| earlier.value).collect(),
            supersedes: fact.supersedes,
            disputes: fact.pending.and_then(|pending| pending.target),
            text: fact.text.to_string(),
        }
    }
}

impl ExportedFact {
    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }

    pub fn is_flagged(&self) -> bool {
        self.status == Status::FlaggedConflict
    }

    /// The fact that a flagged one waits to change or end.
    pub fn disputes(&self) -> Option<FactId> {
        self.disputes.filter(|_| self.is_flagged())
    }

    /// Whether the value is the words of the statement, in a row; days in brackets may follow them.
    pub fn is_as_told(&self) -> bool {
        let value = self.value.rsplit_once(" [").map_or(self.value.as_str(), |(value, _)| value);
        let (told, value) = (words(&self.text), words(value));
        !value.is_empty() && told.windows(value.len()).any(|window| window == value)
    }
}
