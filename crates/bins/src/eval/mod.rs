//! How well a model keeps a memory: labelled sequences of statements, told to the real service, and what it holds
//! afterwards compared with what a careful reader would hold.

pub mod report;
pub mod run;
pub mod score;
pub mod sequence;
pub mod sets;
pub mod tally;
mod words;
