//! The two times of a fact: when it was said, and when it holds. When it was stored is a third, which only its row tells.

use crate::when::When;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// When the statement was made; `None` where that was when it was stored.
    #[serde(default, rename = "said_at", skip_serializing_if = "Option::is_none")]
    pub said: Option<When>,
    /// When it began to hold, or happened, where that was told.
    #[serde(default, rename = "valid_from", skip_serializing_if = "Option::is_none")]
    pub from: Option<When>,
    /// When it ceases to hold, where that was told.
    #[serde(default, rename = "valid_until", skip_serializing_if = "Option::is_none")]
    pub until: Option<When>,
    /// When something else took its place, it was taken back, or it ran out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}

impl Times {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Those of the two dates that were told: `since 2021-03`, `until 2023`. `since` is the word before the first.
    pub fn validity(&self, since: &str) -> Option<String> {
        match (self.from, self.until) {
            (Some(from), Some(until)) => Some(format!("{since} {from}, until {until}")),
            (Some(from), None) => Some(format!("{since} {from}")),
            (None, Some(until)) => Some(format!("until {until}")),
            (None, None) => None,
        }
    }
}
