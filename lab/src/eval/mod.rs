//! How well a model keeps a memory: labelled conversations and stories, told to the real service, and what it holds and
//! finds afterwards compared with what a careful reader would.

pub mod agent;
pub mod background;
pub mod bench;
mod bm25;
mod cost;
mod exported_fact;
pub mod folder;
pub mod forms;
pub mod guarded;
pub mod lived_in;
pub mod long;
pub mod related;
pub mod report;
pub mod run;
pub mod score;
pub mod sequence;
pub mod sets;
pub mod tally;
mod words;
