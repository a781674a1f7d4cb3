//! What every tool replies, in every case, as its caller reads it. Each test plays the calls of one tool and compares
//! the transcript with the file of that name in `snapshots`. To accept a change:
//! INSTA_UPDATE=always cargo test -p svc-service --test replies, and read the difference.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod approval;
mod deployment;
mod erasure;
mod evidence;
mod gate;
mod memory;
mod model;
mod principals;
mod remember;
mod stage;

use std::path::Path;

#[test]
fn every_tool_has_a_transcript() {
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replies/snapshots");
    for tool in service::catalogue() {
        let file = snapshots.join(format!("{}.snap", tool.name));
        assert!(file.exists(), "no test plays {}", tool.name);
    }
}
