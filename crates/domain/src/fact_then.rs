//! A fact as it was at an earlier time, from what its row still says of it.

use crate::fact::{Fact, REJECTED_BY, Status};
use jiff::Timestamp;

/// The keys of a fact's metadata that say who approved it, and when that was decided.
pub const APPROVED_BY: &str = "approved_by";
pub const DECIDED_AT: &str = "decided_at";
/// The key that says when it was decided on in the memory that it was brought from. Who decided there is not known here.
pub const IMPORTED_DECIDED_AT: &str = "imported_decided_at";

/// The keys that say who took a proposal back, and why one was settled without anybody's decision.
pub const WITHDRAWN_BY: &str = "withdrawn_by";
pub const SETTLED: &str = "settled";

impl Fact {
    /// The fact as it counted at that moment: active, or waiting for a decision. `None` where it did not hold yet, or no
    /// longer.
    pub fn at(&self, then: Timestamp) -> Option<Self> {
        let waits = self.status == Status::FlaggedConflict || self.decided().is_some_and(|at| at > then);
        let begins = if waits { self.said() } else { self.began() };
        if begins > then || self.ended().is_some_and(|ended| ended <= then) {
            return None;
        }
        let held = match self.status {
            Status::Active | Status::Superseded => true,
            Status::Historical => self.times.ended.is_some(),
            Status::FlaggedConflict => false,
        };
        let status = match (waits, held) {
            (true, _) => Status::FlaggedConflict,
            (false, true) => Status::Active,
            (false, false) => return None,
        };
        let replaced = self.earlier.iter().find(|earlier| earlier.until > then);
        let value =
            replaced.map_or_else(|| self.value_before_decision(then), |earlier| earlier.value.clone());
        Some(Self { status, value, ..self.clone() })
    }

    /// When a person decided on the flagged fact that this was, or it was settled without one. A refinement that was
    /// approved is not such a fact: it held before.
    fn decided(&self) -> Option<Timestamp> {
        let is_decided = [APPROVED_BY, REJECTED_BY, WITHDRAWN_BY, SETTLED]
            .iter()
            .any(|key| self.metadata.contains_key(*key));
        let key = if is_decided { DECIDED_AT } else { IMPORTED_DECIDED_AT };
        let at = self.metadata.get(key)?.as_str()?.parse().ok()?;
        (!self.earlier.iter().any(|earlier| earlier.until == at)).then_some(at)
    }

    /// A removal that was decided says so in its value; before that it showed the value that it was to remove.
    fn value_before_decision(&self, then: Timestamp) -> String {
        let waited = self.decided().is_some_and(|decided| decided > then);
        let removed = ["(retracted: ", "(rejected removal: ", "(withdrawn removal: ", "(settled removal: "]
            .iter()
            .find_map(|start| self.value.strip_prefix(start)?.strip_suffix(')'));
        removed.filter(|_| waited).unwrap_or(&self.value).to_owned()
    }
}
