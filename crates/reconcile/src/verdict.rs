//! What the rules decide on one proposal, before any of it is done.

use domain::{Action, FactId, Timestamp};

pub(crate) enum Verdict {
    Skip(String),
    /// Nothing new. Has the fact that says it already, unless only retired facts do.
    Known(Option<FactId>),
    Archive,
    /// To history, as a value that held until the next one began.
    Earlier {
        until: Timestamp,
    },
    Add(Action),
    Supersede {
        old: FactId,
        /// Another fact whose place the new value takes as well.
        also: Option<FactId>,
    },
    Refine(FactId),
    Retract(FactId),
    Flag {
        action: Action,
        target: Option<FactId>,
        reason: String,
    },
}
