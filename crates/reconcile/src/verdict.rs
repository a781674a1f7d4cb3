//! What the rules decide on one proposal, before any of it is done.

use domain::{Action, FactId, Timestamp, When};

pub(crate) enum Verdict {
    Skip(String),
    /// Nothing new. Has the fact that says it already, unless only retired facts do.
    Known(Option<FactId>),
    Archive {
        /// The held fact that is over with it.
        ends: Option<FactId>,
    },
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
    /// The held fact is over since the end that the proposal gives.
    RunOut(FactId),
    /// The held fact has an end from now on.
    WillEnd {
        id: FactId,
        end: Option<When>,
    },
    Flag {
        action: Action,
        target: Option<FactId>,
        reason: String,
    },
}
