//! Chooses which facts of a space go to a model: by words, by meaning, and by what must never be left out.
//!
//! Everything here works on memory alone and does no input or output. A [`SpaceIndex`] holds the active facts of
//! one space and is kept up to date one fact at a time.

mod best;
mod context;
mod fuse;
#[cfg(test)]
mod samples;
mod space_index;
mod vector_index;
mod word_index;
mod words;

pub use best::Hit;
pub use context::{ContextRule, CriticalOverflow, is_critical};
pub use fuse::{Ranking, fuse};
pub use space_index::{SpaceIndex, indexed_text};
pub use vector_index::{VectorError, VectorIndex};
pub use word_index::WordIndex;
