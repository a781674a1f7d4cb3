//! The evaluation over the real program: what it scores, what it shows, and that it leaves the memory alone.

use crate::laboratory::Laboratory;
use samples::model::{Model, said};
use serde_json::{Value, json};
use std::process::Output;

/// Three sequences, one for each verdict, and one that declares the slots of its trade.
fn sequences() -> String {
    let fact = |subject: &str, value: &str| json!([{ "subject": subject, "value": value }]);
    let sequence = |id: &str, say: Value, labels: Value| {
        let mut line = json!({ "id": id, "trade": "coding", "kind": "switch", "say": say });
        line.as_object_mut().unwrap().extend(labels.as_object().unwrap().clone());
        line.to_string()
    };
    let database = json!({ "current": [{ "about": "database", "value": "Postgres" }], "not_current": ["MySQL"],
        "ask": { "question": "Which database?", "answer": ["Postgres"] } });
    let switch = json!([
        said("It is MySQL.", &fact("database", "MySQL")),
        said("Now Postgres.", &fact("database", "Postgres")),
    ]);
    let unseen = json!(["Now Postgres."]);
    let left = json!([said("It is MySQL.", &fact("database", "MySQL")), "Now Postgres."]);
    let gated = json!([
        said("It runs on Heroku.", &fact("hosting", "Heroku")),
        said("It moved to Fly.", &fact("hosting", "Fly")),
    ]);
    let waiting =
        json!({ "slots": "preset", "current": ["Heroku"], "flagged": ["Fly"], "not_current": ["Fly"] });
    [
        sequence("switched", switch, database.clone()),
        sequence("missed", unseen, database.clone()),
        sequence("stale", left, database),
        sequence("gated", gated, waiting),
    ]
    .join("\n")
}

fn eval(laboratory: &Laboratory, arguments: &[&str]) -> Output {
    std::fs::write(laboratory.folder().join("own.jsonl"), sequences()).unwrap();
    let mut all = vec!["eval", "--set", "own.jsonl"];
    all.extend(arguments);
    laboratory.run(&all)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_sequence_is_judged_in_a_memory_of_its_own() {
    let laboratory = Laboratory::new(&Model::start()).with("SVC_KEY", "a passphrase of the laboratory");
    let output = eval(&laboratory, &["--json"]);
    assert!(output.status.success(), "{}", text(output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdicts: Vec<(&str, &str)> = report["sequences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (s["id"].as_str().unwrap(), s["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(
        verdicts,
        [("switched", "correct"), ("missed", "safe"), ("stale", "silently wrong"), ("gated", "correct")]
    );
    assert_eq!(report["all"]["n"], 4);
    assert_eq!(report["trades"]["coding"]["silently_wrong"]["count"], 1);
    assert_eq!(laboratory.files(), ["own.jsonl"]);
}

#[test]
fn failures_show_the_words_the_label_and_the_result() {
    let laboratory = Laboratory::new(&Model::start());
    let output = eval(&laboratory, &["--failures"]);
    let shown = text(output.stdout);
    for words in [
        "stale  switch  silently wrong",
        "'database = MySQL' is current",
        "database = MySQL  [ACTIVE, state]",
        "said     Now Postgres.",
        "missed  switch  safe",
        "'Postgres' is not current",
    ] {
        assert!(shown.contains(words), "{words} is not in:\n{shown}");
    }
    assert!(!shown.contains("switched  switch"), "a correct one is shown:\n{shown}");
    assert!(text(output.stderr).contains("4/4: 2 correct, 1 safe, 1 silently wrong"));
}

#[test]
fn a_sample_is_repeatable_and_never_empty() {
    let laboratory = Laboratory::new(&Model::start());
    let ids = |arguments: &[&str]| -> Vec<String> {
        let report: Value = serde_json::from_slice(&eval(&laboratory, arguments).stdout).unwrap();
        report["sequences"].as_array().unwrap().iter().map(|s| s["id"].to_string()).collect()
    };
    let sample = ids(&["--json", "--sample", "2"]);
    assert_eq!(sample.len(), 2);
    assert_eq!(sample, ids(&["--json", "--sample", "2"]));
    let refused = eval(&laboratory, &["--trade", "sales"]);
    assert!(!refused.status.success());
    assert!(text(refused.stderr).contains("no sequence is left to run"));
}

#[test]
fn a_silent_model_gets_no_result() {
    let laboratory = Laboratory::new(&Model::start()).with("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    let output = eval(&laboratory, &[]);
    assert!(!output.status.success());
    assert!(output.stdout.is_empty());
    assert!(text(output.stderr).contains("the model does not answer"));
}
