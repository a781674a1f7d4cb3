//! What the rules decide on one proposal, before any of it is done.

use domain::{Action, FactId};

pub(crate) enum Verdict {
    Skip(String),
    /// Nothing new. Has the fact that says it already, unless only retired facts do.
    Known(Option<FactId>),
    Archive,
    Add(Action),
    Supersede(FactId),
    Refine(FactId),
    Retract(FactId),
    Flag {
        action: Action,
        target: Option<FactId>,
        reason: String,
    },
}
