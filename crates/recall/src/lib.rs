//! Chooses which facts of a space go to a model: by words, by meaning, and by what must never be left out.
//!
//! Everything here works in memory and does no input or output. A [`SpaceIndex`] holds the active facts of one space
//! and is kept up to date one fact at a time.

mod category;
mod context;
mod fields;
mod hits;
mod rank;
mod relevance;
#[cfg(test)]
mod samples;
mod space_index;
mod subjects;
mod terms;
mod vector_index;
mod word_index;

pub use category::is_critical;
pub use context::{ContextRule, CriticalOverflow};
pub use fields::indexed_text;
pub use rank::Ranked;
pub use relevance::Relevance;
pub use space_index::SpaceIndex;
pub use vector_index::{VectorError, VectorIndex};
