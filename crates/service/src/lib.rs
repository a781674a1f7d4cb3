//! The memory service: 32 tools behind one gate. Speaks domain types and JSON arguments; knows no transport.

mod answering;
mod api_key;
mod args;
mod embedding;
mod facts;
mod gate;
mod metrics;
mod outcome;
mod render;
mod service;
mod spaces;
mod tool;
mod tools;

pub use outcome::{Proposal, Reply};
pub use service::{Edition, Licence, Options, Service, ToolsShown};
pub use tool::{Effect, ToolInfo, World};
pub use tools::catalogue;
