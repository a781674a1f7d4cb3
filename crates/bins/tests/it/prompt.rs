//! `svc` by itself is a prompt, and a client finds what was said there.

use crate::support::Deployment;
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};

/// What the prompt answers to these lines, on a fresh machine with no variable set.
fn session(folder: &std::path::Path, lines: &[&str]) -> String {
    session_of(folder, (lines.join("\n") + "\n").as_bytes())
}

fn session_of(folder: &std::path::Path, typed: &[u8]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
    command.env_clear().current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(typed).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_prompt_works_without_any_setting() {
    let deployment = Deployment::bare();
    let said = session(
        deployment.folder(),
        &[
            "Our database is MySQL.",
            "We moved from MySQL to Postgres.",
            "Which database do we use?",
            "history database",
        ],
    );
    assert!(said.contains(deployment.folder().join("svc.db").to_str().unwrap()), "{said}");
    assert!(said.contains("svc> Our database is MySQL.\nStored: [ADD] "), "{said}");
    assert!(said.contains("Stored: [SUPERSEDE] "), "{said}");
    assert!(said.contains("MySQL  [SUPERSEDED]") && said.contains("Postgres  [ACTIVE]"), "{said}");
    let answer = said.split("svc> Which database do we use?\n").nth(1).unwrap().split("svc>").next().unwrap();
    assert!(answer.contains("Postgres") && !answer.contains("MySQL"), "{answer}");

    // A client on the same folder has the same memory.
    let client = deployment.start();
    assert!(client.call("history", &json!({ "subject": "database" })).contains("Postgres  [ACTIVE]"));
    assert!(client.call("recall", &json!({ "question": "Which database do we use?" })).contains("Postgres"));
    assert!(client.close().success());

    let said = session(deployment.folder(), &["forget our database", "list", "quit", "never read"]);
    assert!(
        said.contains("Retracted (retained in history for audit): ") && !said.contains("never read"),
        "{said}"
    );
}

#[test]
fn a_line_that_is_not_utf8_is_refused() {
    let deployment = Deployment::bare();
    let said = session_of(deployment.folder(), b"caf\xff is bad\nOur database is MySQL.\n");
    assert!(said.contains("not UTF-8") && said.contains("Stored: [ADD] database = MySQL"), "{said}");
}

#[test]
fn a_misused_command_gets_help() {
    let deployment = Deployment::bare();
    let lines =
        ["List", "help remember", "delete shoe size", ":q", "confirm abc", "\u{1b}[A", "\u{1b}[1;5D text"];
    let said = session(deployment.folder(), &[&lines[..], &["list"]].concat());
    let answers: Vec<&str> = said.split("svc> ").skip(1).collect();
    for (line, (answer, help)) in lines.iter().zip(answers.iter().zip([
        "(no memories yet)",
        "remember <text>",
        "delete {\"subject\":\"shoe size\"}",
        "'quit' ends",
        "confirm <number>",
        "keys that are no text",
        "keys that are no text",
    ])) {
        assert!(answer.starts_with(line) && answer.contains(help), "{line}: {answer}");
    }
    assert!(answers[lines.len()].contains("(no memories yet)"), "{said}");
}

#[test]
fn a_pending_change_is_settled_by_its_number() {
    let deployment = Deployment::bare();
    let said = session(
        deployment.folder(),
        &[
            "Our database is MySQL.",
            "Next year our database will be Postgres.",
            "pending_changes",
            "list",
            "reject #2",
            "pending_changes",
            "history pets",
        ],
    );
    let answers: Vec<&str> = said.split("svc> ").collect();
    let answer = |at: usize| answers[at].split_once('\n').unwrap().1.trim_end();
    assert!(answer(2).starts_with("Stored: [FLAG] "), "{said}");
    assert!(answer(3).starts_with("#2 REPLACE database: 'MySQL' → 'Postgres'"), "{said}");
    assert!(answer(4).contains("(#2, flagged — needs confirmation)"), "{said}");
    let effect = "#2, if confirmed: 'Postgres' takes the place of 'MySQL'. 'confirm 2' or 'reject 2'?";
    assert!(answer(2).ends_with(effect) && answer(4).contains(effect), "{said}");
    assert!(answer(5).starts_with("Rejected #2: "), "{said}");
    assert_eq!(answer(6), "No changes are waiting for approval.");
    assert!(answer(7).starts_with("No history for 'pets'.\n'list' shows the names"), "{said}");
}
