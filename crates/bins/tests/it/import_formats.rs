//! For each memory that `svc import` reads, a sample in its own published form, with changes and deletions in it.

use crate::support::{Deployment, Model};
use serde_json::{Value, json};
use std::path::Path;

struct Brought {
    deployment: Deployment,
    /// Line, fate and reason of each record.
    accounts: Vec<(i64, String, String)>,
}

/// Brings the samples as they are. Every record is accounted for, and brought twice they change nothing.
fn bring(from: &str, samples: &[&str]) -> Brought {
    let deployment = Deployment::new(&Model::start());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/import_samples");
    let files: Vec<String> = samples.iter().map(|name| folder.join(name).display().to_string()).collect();
    let report = deployment.folder().join("report.jsonl");
    let mut arguments = vec!["import", "--from", from, "--as-is", "--report", report.to_str().unwrap()];
    arguments.extend(files.iter().map(String::as_str));
    deployment.run(&crate::support::program("svc"), &arguments);
    let accounts = read(&report);
    let facts = exported(&deployment);
    std::fs::remove_file(&report).unwrap();
    deployment.run(&crate::support::program("svc"), &arguments);
    let again = read(&report);
    assert!(again.iter().all(|(_, fate, _)| fate != "taken"), "{again:?}");
    assert_eq!((again.len(), exported(&deployment)), (accounts.len(), facts));
    Brought { deployment, accounts }
}

fn read(report: &Path) -> Vec<(i64, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let account = |line: &str| {
        let account: Value = serde_json::from_str(line).unwrap();
        (account["line"].as_i64().unwrap(), text(&account["fate"]), text(&account["why"]))
    };
    std::fs::read_to_string(report).unwrap().lines().map(account).collect()
}

fn exported(deployment: &Deployment) -> Vec<Value> {
    deployment.svc(&["export", "--all"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

impl Brought {
    fn lines(&self, fate: &str) -> Vec<i64> {
        self.accounts.iter().filter(|(_, found, _)| found == fate).map(|(line, ..)| *line).collect()
    }

    fn fact(&self, value: &str) -> Value {
        let facts = exported(&self.deployment);
        facts
            .iter()
            .find(|fact| fact["value"] == value)
            .unwrap_or_else(|| panic!("{value} not in {facts:?}"))
            .clone()
    }
}

#[test]
fn mem0() {
    let brought = bring("mem0", &["mem0_get_all.json"]);
    assert_eq!((brought.lines("taken"), brought.lines("not taken")), (vec![3, 13, 31, 32], vec![23]));
    let seats = brought.fact("Prefers window seats on trains");
    assert_eq!((&seats["user_id"], &seats["agent_id"]), (&json!("ines"), &json!("travel")));
    // What it said before it was edited is not in this file.
    assert_eq!(seats["created"], "2024-08-19T18:00:00Z");
    assert_eq!(seats["metadata"]["source_created_at"], "2024-04-02T08:15:00.120000-07:00");
    assert_eq!(seats["metadata"]["imported_id"], "8f1c2c3e-54a1-4c1e-9a59-0b6f3f1f7a01");
    let owns = brought.fact("moss");
    assert_eq!(
        (&owns["head"], &owns["relation"], &owns["list"]),
        (&json!("ines"), &json!("owns"), &json!(true))
    );

    let platform = bring("mem0", &["mem0_platform.json"]);
    assert_eq!(platform.lines("taken"), [6, 7]);
    assert_eq!(platform.fact("Drinks oat milk")["metadata"]["categories"], json!(["food"]));
    assert_eq!(platform.fact("Wants recipes for two people")["status"], "SUPERSEDED", "it has expired");

    // The history of a memory may be in a file of its own.
    let history = bring("mem0", &["mem0_get_all.json", "mem0_history.json"]);
    assert_eq!((history.lines("taken"), history.lines("not taken")), (vec![3, 13, 31, 32, 4], vec![23]));
    let seats = history.fact("Prefers window seats on trains");
    let before = json!([{ "value": "Prefers aisle seats on trains", "until": "2024-08-19T18:00:00Z" }]);
    assert_eq!((&seats["refined_from"], &seats["status"]), (&before, &json!("ACTIVE")));
    let deleted = history.fact("Is learning Danish");
    assert_eq!(
        (&deleted["status"], &deleted["changed"]),
        (&json!("SUPERSEDED"), &json!("2024-03-01T16:00:00Z"))
    );
}

#[test]
fn the_reference_memory_server() {
    let brought = bring("mcp-memory", &["mcp_memory.jsonl"]);
    assert_eq!(brought.lines("taken"), [1, 1, 2, 3, 4, 5, 6]);
    let observed = brought.fact("Is allergic to walnuts");
    assert_eq!((&observed["subject"], &observed["kind"]), (&json!("Rosa Lindqvist"), &json!("event")));
    assert_eq!(brought.fact("Halden Bikes")["subject"], "Rosa Lindqvist works at");
}

#[test]
fn openmemory() {
    let brought = bring("openmemory", &["openmemory.json"]);
    assert_eq!(brought.lines("taken"), [6, 7, 8]);
    let tests = brought.fact("Writes tests before code");
    assert_eq!((&tests["user_id"], &tests["source"]), (&json!("marek"), &json!("cursor")));
    assert_eq!(tests["metadata"]["categories"], json!(["work"]));
    let ended = |value: &str| {
        let fact = brought.fact(value);
        (fact["status"].clone(), fact["changed"].clone())
    };
    assert_eq!(ended("Uses tabs for indentation"), (json!("SUPERSEDED"), json!("2025-03-04T09:00:00Z")));
    assert_eq!(ended("Is on parental leave"), (json!("SUPERSEDED"), json!("2025-02-05T09:00:00Z")));
    let lines = bring("openmemory", &["openmemory.jsonl"]);
    assert_eq!(lines.lines("taken"), [1, 2]);
}

#[test]
fn graphiti() {
    let brought = bring("graphiti", &["graphiti.json"]);
    assert_eq!(brought.lines("taken"), [3, 10, 11, 12, 13]);
    let before = brought.fact("Northside Clinic");
    assert_eq!(
        (&before["status"], &before["created"], &before["changed"]),
        (&json!("SUPERSEDED"), &json!("2024-01-01T00:00:00Z"), &json!("2024-05-01T00:00:00Z"),)
    );
    let now = brought.fact("Harbour Clinic");
    assert_eq!((&now["text"], &now["user_id"]), (&json!("Tove works at Harbour Clinic"), &json!("clinic")));
    assert_eq!(brought.fact("Swedish")["status"], brought.fact("German")["status"], "both hold");
}

#[test]
fn letta() {
    let brought = bring("letta", &["letta.af", "letta_archival.json"]);
    assert_eq!(brought.lines("taken").len(), 5);
    let soil = brought.fact("The soil is heavy clay.");
    assert_eq!((&soil["agent_id"], &soil["metadata"]["block"]), (&json!("gardener"), &json!("human")));
    assert_eq!(brought.fact("Tomatoes were planted on the south wall.")["metadata"]["bed"], 3);
    assert_eq!(brought.fact("The greenhouse is rented.")["status"], "SUPERSEDED");
}

#[test]
fn notes_in_markdown() {
    let brought = bring("basic-memory", &["basic_memory"]);
    assert_eq!(brought.lines("taken"), [13, 16, 17, 18, 21, 22, 23]);
    let proof = brought.fact("Proof overnight in the fridge #timing");
    assert_eq!(
        (&proof["subject"], &proof["created"]),
        (&json!("Sourdough method"), &json!("2025-01-15T07:30:00Z"))
    );
    let metadata = &proof["metadata"];
    assert_eq!((&metadata["category"], &metadata["tags"]), (&json!("method"), &json!(["timing"])));
    assert_eq!(metadata["context"], "learned in January");
    assert_eq!(brought.fact("Oma Grete")["subject"], "Sourdough was taught by");
    assert_eq!(brought.fact("Banneton")["metadata"]["context"], "the round one");

    let notes = bring("obsidian", &["obsidian"]);
    assert_eq!(notes.lines("taken"), [5, 7, 12]);
    let packing = notes.fact("Take rain clothes, and a spare battery.");
    assert_eq!(
        (&packing["metadata"]["section"], &packing["metadata"]["note"]),
        (&json!("Packing"), &json!("Trip to Bergen"))
    );
}

#[test]
fn chatgpt_and_claude() {
    let saved = bring("chatgpt", &["chatgpt.json"]);
    assert_eq!(saved.lines("taken"), [3, 4]);
    assert_eq!(saved.fact("Is preparing for a half marathon.")["created"], "2025-01-01T10:00:00Z");
    let copied = bring("chatgpt", &["chatgpt.txt"]);
    assert_eq!(copied.lines("taken"), [2, 3, 4]);
    assert_eq!(copied.fact("Is preparing for a half marathon.")["created"], "2025-01-01T00:00:00Z");
    let claude = bring("claude", &["claude.json"]);
    assert_eq!(claude.lines("taken"), [2, 2, 2]);
    assert_eq!(claude.fact("Keeps bees on the roof.")["metadata"]["section"], "Personal context");
    assert_eq!(claude.fact("The catalogue is due in May.")["metadata"]["project"], "0197-prj");
}
