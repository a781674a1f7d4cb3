//! What tests of several crates share: PostgreSQL, Neo4j and OpenBao as real servers, and a language model that says
//! what it is told to. No program uses this crate.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]
#![allow(missing_debug_implementations, reason = "nobody prints a server")]

pub mod model;
pub mod neo4j;
pub mod openbao;
pub mod postgres;
mod tools;

pub use tools::folder as tools_folder;
