//! Whose word counts when two sources disagree within a space.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PolicyMode {
    /// The newer statement wins.
    #[default]
    Recency,
    /// The source of higher rank wins; a lower or equal one is flagged.
    Authority,
    /// A change by another source is always flagged.
    Review,
}

impl PolicyMode {
    pub const ALL: [Self; 3] = [Self::Recency, Self::Authority, Self::Review];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Recency => "RECENCY",
            Self::Authority => "AUTHORITY",
            Self::Review => "REVIEW",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.word().eq_ignore_ascii_case(word.trim()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourcePolicy {
    pub mode: PolicyMode,
    /// Rank of each source, by its name in lower case. A source that is not listed ranks 0.
    pub authority: BTreeMap<String, i64>,
}

impl SourcePolicy {
    pub fn rank(&self, source: Option<&str>) -> i64 {
        source.and_then(|s| self.authority.get(&s.to_lowercase())).copied().unwrap_or(0)
    }
}
