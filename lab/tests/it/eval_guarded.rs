//! The stories of declared slots over the real program: what stands in a slot, what is lost, and who is asked.

use crate::laboratory::Laboratory;
use samples::model::{Model, said};
use serde_json::{Value, json};

const SLOTS: &str = r#"{"slots":[{"name":"deploy_target","confirm":true}]}"#;

fn story(id: &str, kind: &str, facts: &[(&str, Value)], labels: &Value) -> String {
    let say: Vec<String> = facts.iter().map(|(text, fact)| said(text, &json!([fact]))).collect();
    let mut line = json!({ "id": id, "trade": "coding", "kind": kind, "say": say });
    line.as_object_mut().unwrap().extend(labels.as_object().unwrap().clone());
    line.to_string()
}

#[test]
fn what_is_wrong_in_a_declared_slot_is_counted_by_its_kind() {
    let laboratory = Laboratory::new(&Model::start());
    let sets = laboratory.folder().join("lab/sets/guarded");
    std::fs::create_dir_all(sets.join("slots")).unwrap();
    std::fs::write(sets.join("slots/coding.json"), SLOTS).unwrap();
    let fact = |subject: &str, value: &str| json!({ "subject": subject, "value": value });
    let heroku = ("It runs on Heroku.", fact("deploy_target", "Heroku"));
    let not_heroku = json!({ "not_holds": [{ "about": "deploy", "value": "^heroku" }] });
    let stories = [
        story("denied", "negation", std::slice::from_ref(&heroku), &not_heroku),
        story("beside", "negation", &[("It runs on Heroku.", fact("deploy of Tom", "Heroku"))], &not_heroku),
        story(
            "waits",
            "plain",
            &[heroku.clone(), ("It runs on Fly.", fact("deploy_target", "Fly"))],
            &json!({
                "holds": [{ "about": "deploy", "value": "fly" }],
                "check": { "subject": "deploy_target", "verdict": "SAFE" },
            }),
        ),
        story(
            "stands",
            "stopped",
            &[heroku],
            &json!({
                "check": { "subject": "deploy_target", "verdict": "BLOCKED" },
            }),
        ),
    ];
    std::fs::write(sets.join("coding.jsonl"), stories.join("\n")).unwrap();
    let output = laboratory.run(&["eval", "--guarded", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let faults: Vec<(&str, Vec<&str>)> = report["stories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|story| {
            let found = story["faults"].as_array().unwrap();
            (story["id"].as_str().unwrap(), found.iter().map(|f| f["fault"].as_str().unwrap()).collect())
        })
        .collect();
    assert_eq!(
        faults,
        [
            ("denied", vec!["opposite"]),
            ("beside", vec![]),
            ("waits", vec!["lost", "needless_block", "needless_flag"]),
            ("stands", vec!["safe_after_stop"]),
        ]
    );
    assert_eq!(report["all"]["clean"]["count"], 1);
}
