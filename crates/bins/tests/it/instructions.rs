//! What a call costs in instructions, which do not depend on how busy the machine is: valgrind counts them. The committed
//! counts are in `instructions.txt`; a call that takes a fifth more than that fails here.

use crate::support::{InProcess, Model};
use domain::Identity;
use reconcile::SlotSchema;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells the test below what to do under valgrind: a tool, and how often.
const WORK: &str = "SVC_INSTRUCTIONS";
/// Set to write the counts as they are now.
const UPDATE: &str = "UPDATE_INSTRUCTIONS";
const TOOLS: [&str; 2] = ["get_memory", "remember"];
/// Two runs differ in so many calls, and in nothing else.
const CALLS: u64 = 20;

fn arguments(tool: &str, nth: u64) -> Value {
    match tool {
        "get_memory" => json!({ "memory_id": nth % 5 + 1 }),
        _ => {
            let fact = json!({ "subject": format!("thing {nth}"), "value": "kept" });
            json!({ "text": format!("thing {nth} is kept"), "facts": [fact] })
        }
    }
}

/// What valgrind counts. Without the variable there is nothing to do.
#[tokio::test]
async fn counted_calls() {
    let Ok(work) = std::env::var(WORK) else { return };
    let (tool, calls) = work.split_once(' ').unwrap();
    let started = InProcess::start(&Model::start(), SlotSchema::none(), &[]).await;
    for nth in 0..5 {
        started.call(&Identity::Local, "remember", &arguments("remember", nth)).await;
    }
    for nth in 0..calls.parse().unwrap() {
        started.call(&Identity::Local, tool, &arguments(tool, nth + 5)).await;
    }
}

fn counted(tool: &str, calls: u64) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("counts");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", &format!("--callgrind-out-file={}", file.display())])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "instructions::counted_calls", "--test-threads=1"])
        .env(WORK, format!("{tool} {calls}"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let counts = std::fs::read_to_string(file).unwrap();
    let total =
        counts.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    total.unwrap_or_else(|| panic!("no count in:\n{counts}")).trim().parse().unwrap()
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/instructions.txt")
}

fn committed() -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(file()).unwrap();
    let line =
        |line: &str| line.split_once(' ').map(|(tool, count)| (tool.to_owned(), count.parse().unwrap()));
    text.lines().filter_map(line).collect()
}

#[test]
fn no_call_takes_a_fifth_more_instructions_than_it_did() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "valgrind is missing, which counts the instructions");
        eprintln!("NOT RUN: valgrind is missing, which counts the instructions of a call");
        return;
    }
    let count = |tool: &str| {
        let [once, twice] = [CALLS, 2 * CALLS].map(|calls| counted(tool, calls));
        twice.saturating_sub(once) / CALLS
    };
    let counts: Vec<(&str, u64)> = TOOLS.into_iter().map(|tool| (tool, count(tool))).collect();
    if std::env::var_os(UPDATE).is_some() {
        let text: String = counts.iter().map(|(tool, count)| format!("{tool} {count}\n")).collect();
        std::fs::write(file(), text).unwrap();
    }
    let committed = committed();
    for (tool, count) in counts {
        let before = committed[tool];
        println!("{tool}: {count} instructions, {before} when they were last written down");
        assert!(
            count <= before + before / 5,
            "{tool} takes {count} instructions, {before} before; if that is meant to be so, run this test with {UPDATE}=1"
        );
    }
}
