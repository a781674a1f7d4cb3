//! What every test needs: a stand-in model, a deployment in a folder of its own, and a client.

mod client;
mod deployment;
pub mod documents;
pub mod hostile;
pub mod http;
mod in_process;
mod model;
#[path = "../../../../store/tests/support/openbao.rs"]
pub mod openbao;
mod server;

pub use client::Mcp;
pub use deployment::Deployment;
pub use in_process::{InProcess, caller, principal};
pub use model::{BROKEN_WORD, HANG_WORD, Model, said, says};
pub use server::{Server, created};

use std::time::Duration;

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
