//! What the store does, each as a whole transaction beside the method that runs it.

mod audit;
mod calls;
mod changes;
mod counters;
pub(crate) mod credentials;
mod decisions;
pub(crate) mod deployment;
mod erasure;
mod erasure_pieces;
mod erasure_plan;
mod export;
mod facts;
mod graph;
pub(crate) mod log;
pub(crate) mod marks;
mod opening;
mod outbox;
mod policies;
mod principals;
pub(crate) mod readiness;
mod receipts;
mod restorations;
mod spaces;
pub(crate) mod statement_texts;
mod statements;
mod storage_use;
mod vectors;
