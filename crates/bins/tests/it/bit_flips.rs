//! A bit that flips in a file changes no answer without a word about it, and leaves everything else readable.

use crate::support::{Deployment, Model, Seed, amount, says};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::sync::LazyLock;

/// A closed deployment with a little of everything, which every flip copies.
static SAMPLE: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    for n in 0..8 {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    process.remember(&says("subject 1", "another value"));
    process.call("record_decision", &json!({ "action_summary": "go on", "question": "what now?" }));
    process.call("attest", &json!({ "subject": "subject 1" }));
    process.call("delete", &json!({ "subject": "subject 2" }));
    assert!(process.close().success());
    deployment
});

fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("list_memories", json!({})),
        ("check_before_act", json!({ "subject": "subject 3" })),
        ("get_memory", json!({ "memory_id": 5 })),
        ("history", json!({ "subject": "subject 1" })),
        ("explain_decision", json!({ "decision_id": 1 })),
        ("verify_receipt", json!({ "receipt_id": 1 })),
    ]
}

/// What the program answers to every call; `None` where it does not start. One that is given garbage may end early.
fn answers(deployment: &Deployment) -> Option<Vec<String>> {
    let mut child = deployment
        .stdio()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let first = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let mut lines = vec![first, json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })];
    lines.extend((1..).zip(calls()).map(|(id, (tool, arguments))| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } })
    }));
    for line in lines {
        // A program that has refused to start does not read.
        let _ = writeln!(input, "{line}");
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    if !output.status.success() {
        return None;
    }
    let replies = String::from_utf8(output.stdout).unwrap();
    let mut texts = vec![String::new(); calls().len()];
    for reply in replies.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let place = reply["id"].as_u64().and_then(|id| usize::try_from(id).ok()?.checked_sub(1));
        if let Some(text) = place.and_then(|place| texts.get_mut(place)) {
            *text = reply["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        }
    }
    Some(texts)
}

/// Whether the answer says that something is wrong.
fn is_warned(text: &str) -> bool {
    ["⚠", "couldn't complete", "BLOCKED"].iter().any(|sign| text.contains(sign))
}

#[test]
fn a_flipped_bit_changes_no_answer_in_silence() {
    let sound = answers(&SAMPLE).unwrap();
    assert!(sound.iter().all(|text| !text.is_empty() && !is_warned(text)), "{sound:?}");
    let names = ["svc.db", "svc.db.head", "svc.db.key", "svc.db.sign.key", "svc.db.users.key"];
    let files: Vec<(&str, Vec<u8>)> =
        names.iter().map(|name| (*name, std::fs::read(SAMPLE.folder().join(name)).unwrap())).collect();
    let bytes: usize = files.iter().map(|(_, held)| held.len()).sum();
    let (mut seed, mut refused, mut warned) = (Seed::new(25), 0, 0);
    for flip in 0..amount(30, 1_000) {
        let (mut at, bit) = (seed.below(bytes), seed.below(8));
        let copy = SAMPLE.copy();
        for (name, held) in &files {
            if at < held.len() {
                let mut changed = held.clone();
                changed[at] ^= 1 << bit;
                std::fs::write(copy.folder().join(name), changed).unwrap();
                break;
            }
            at -= held.len();
        }
        let Some(texts) = answers(&copy) else {
            refused += 1;
            continue;
        };
        let differs = sound.iter().zip(&texts).filter(|(sound, text)| sound != text);
        for (sound, text) in differs {
            warned += 1;
            assert!(is_warned(text), "flip {flip} at {at}, bit {bit}:\n{sound}\n--- became\n{text}");
        }
    }
    println!("{refused} refused to start, {warned} answers with a warning");
}
