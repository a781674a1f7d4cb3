//! What every test needs: a stand-in model, a deployment in a folder of its own, and a client.

#![allow(
    dead_code,
    unused_imports,
    reason = "the suites of the two engines have each a few tests that the other has not"
)]

mod client;
pub mod console;
mod deployment;
pub mod documents;
pub mod hostile;
pub mod http;
mod in_process;
mod operator;
mod schema;
mod seed;
mod server;
mod signed_entries;
mod sql;
mod terminal;
mod witness;

pub use client::Mcp;
pub use deployment::Deployment;
pub use in_process::{InProcess, caller, principal};
pub use operator::Contents;
pub use samples::model::{BROKEN_WORD, HANG_WORD, Model, said, says};
pub use seed::Seed;
pub use server::{Server, allow_open_files, created};
pub use sql::{Cell, Sql, blob};
pub use terminal::Terminal;
pub use witness::WitnessProcess;

use std::path::Path;
use std::time::Duration;

/// Where the memory is kept. Each suite has one, as `crate::ENGINE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// One of our programs: as it was built with the tests, or from the folder that `SVC_TORTURE_BIN` names.
pub fn program(name: &str) -> String {
    let built = match name {
        "svc" => env!("CARGO_BIN_EXE_svc"),
        "svc-mcp" => env!("CARGO_BIN_EXE_svc-mcp"),
        "svc-server" => env!("CARGO_BIN_EXE_svc-server"),
        _ => panic!("{name} is no program of ours"),
    };
    match std::env::var("SVC_TORTURE_BIN") {
        Ok(folder) => Path::new(&folder).join(name).display().to_string(),
        Err(_) => built.to_owned(),
    }
}

/// How much of a long test is done: a part in every run, all of it where `SVC_TEST_FULL` is set.
pub fn amount(part: usize, all: usize) -> usize {
    if std::env::var_os("SVC_TEST_FULL").is_some() { all } else { part }
}

/// Longer than anything here takes on a busy machine; only a test that fails waits so long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The numbers behind each `#` of a text, in order.
pub fn ids(text: &str) -> Vec<i64> {
    text.split('#')
        .skip(1)
        .filter_map(|rest| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        })
        .collect()
}

/// The first number behind a `#`.
pub fn id(text: &str) -> i64 {
    *ids(text).first().unwrap_or_else(|| panic!("no number in: {text}"))
}

/// A number from 0 to below `end`.
pub fn random(end: u64) -> u64 {
    getrandom::u64().unwrap() % end
}
