//! Stories in a memory that is lived in, over the real program: the facts of before are brought by the caller, and what
//! becomes of them is counted.

use crate::laboratory::Laboratory;
use samples::model::{Model, said};
use serde_json::{Value, json};

fn sequence(id: &str, say: &str, fact: &Value, labels: &Value) -> String {
    let mut line =
        json!({ "id": id, "trade": "coding", "kind": "switch", "say": [said(say, &json!([fact]))] });
    line.as_object_mut().unwrap().extend(labels.as_object().unwrap().clone());
    line.to_string()
}

fn laboratory() -> Laboratory {
    let laboratory = Laboratory::new(&Model::start());
    let sets = laboratory.folder().join("lab/sets");
    std::fs::create_dir_all(sets.join("lived-in")).unwrap();
    let background = [
        json!({ "text": "The audit service keeps its data in MySQL.", "subject": "audit database", "value": "MySQL" }),
        json!({ "text": "Ana leads billing.", "subject": "billing lead", "value": "Ana" }),
    ];
    let lines = background.map(|line| line.to_string()).join("\n");
    std::fs::write(sets.join("lived-in/coding.jsonl"), lines).unwrap();
    let fact = |subject: &str, value: &str| json!({ "subject": subject, "value": value });
    let labels = json!({ "current": ["Postgres"], "not_current": ["MySQL"] });
    let doubted =
        json!({ "subject": "billing lead", "value": "Lee", "confidence": 0.2, "action": "SUPERSEDE" });
    let stories = [
        sequence("beside", "Search is on Postgres.", &fact("search database", "Postgres"), &labels),
        sequence("damaging", "Search is on Postgres.", &fact("audit database", "Postgres"), &labels),
        sequence("flagging", "Lee might lead.", &doubted, &json!({ "not_current": ["Lee"] })),
    ];
    std::fs::write(laboratory.folder().join("own.jsonl"), stories.join("\n")).unwrap();
    laboratory
}

#[test]
fn damage_to_earlier_facts_counts_against_a_story() {
    let arguments = ["eval", "--lived-in", "--set", "own.jsonl", "--json"];
    let output = laboratory().run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdicts: Vec<&Value> =
        report["sequences"].as_array().unwrap().iter().map(|s| &s["verdict"]).collect();
    assert_eq!(verdicts, ["correct", "correct", "correct"]);
    let count = |name: &str| (report[name]["count"].as_u64().unwrap(), report[name]["n"].as_u64().unwrap());
    assert_eq!(count("silently_wrong_or_damaged"), (1, 3));
    assert_eq!(count("damaged"), (1, 3));
    assert_eq!(count("flagging"), (1, 3));
    assert!(report["harms"].to_string().contains("audit database = MySQL is now SUPERSEDED"), "{report}");
}
