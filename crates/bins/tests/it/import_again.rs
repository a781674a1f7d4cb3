//! Files that are brought more than once, and say something else each time; and records that ask for more than they may.

use crate::import::{exported, import, written};
use crate::support::{Deployment, Mcp, Model, says};
use serde_json::json;

/// Brings these lines of JSONL, and returns what is said of it.
pub fn bring(deployment: &Deployment, lines: &[serde_json::Value], more: &[&str]) -> String {
    let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let file = written(deployment, "lines.jsonl", &text.join("\n"));
    import(deployment, "jsonl", file.to_str().unwrap(), more).0
}

pub fn current(process: &Mcp) -> Vec<String> {
    let list = process.list();
    list.lines()
        .filter(|line| line.starts_with('•'))
        .map(|line| line.split("  (").next().unwrap().to_owned())
        .collect()
}

pub fn as_of(deployment: &Deployment, then: &str) -> Vec<String> {
    let list = deployment.svc(&["list", "--as-of", then]);
    let facts = list.lines().filter(|line| line.starts_with('•'));
    facts.map(|line| line.split("  (").next().unwrap().to_owned()).collect()
}

#[test]
fn what_ended_at_the_source_ends_here() {
    let model = Model::start();
    for more in [&[][..], &["--as-is"]] {
        for words in [false, true] {
            let deployment = Deployment::new(&model);
            let process = deployment.start();
            let mut record = json!({ "id": "1", "created": "2023-01-01" });
            if words {
                record["text"] = json!(says("home city", "Porto"));
            } else {
                record["subject"] = json!("home city");
                record["value"] = json!("Porto");
            }
            bring(&deployment, &[record.clone()], more);
            assert_eq!(current(&process).len(), 1, "{more:?} {words}");
            record["status"] = json!("SUPERSEDED");
            record["changed"] = json!("2024-01-01");
            let said = bring(&deployment, &[record.clone()], more);
            assert!(said.contains("1 taken"), "{said}");
            assert!(current(&process).is_empty(), "{more:?} {words}: {}", process.list());
            assert_eq!(as_of(&deployment, "2023-06-01").len(), 1, "{more:?} {words}");
            assert!(bring(&deployment, &[record], more).contains("1 unchanged"));
        }
    }
}

#[test]
fn only_what_came_of_the_record_ends_with_it() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("home city", "Porto"));
    let record = json!({ "id": "1", "text": says("home city", "Porto"), "created": "2023-01-01" });
    bring(&deployment, std::slice::from_ref(&record), &[]);
    let mut ended = record;
    ended["status"] = json!("SUPERSEDED");
    bring(&deployment, &[ended], &[]);
    assert_eq!(current(&process), ["• home city = Porto"]);
}

#[test]
fn an_end_that_is_told_again_ends_nothing_younger() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let old = json!({ "id": "1", "subject": "home city", "value": "Porto", "status": "SUPERSEDED",
                      "created": "2023-01-01", "changed": "2024-01-01" });
    bring(&deployment, std::slice::from_ref(&old), &[]);
    assert!(current(&process).is_empty());
    process.remember(&says("home city", "Porto"));
    let mut again = old;
    again["source"] = json!("a note");
    bring(&deployment, &[again], &[]);
    assert_eq!(current(&process), ["• home city = Porto"]);
}

#[test]
fn an_end_before_the_beginning_is_still_an_end() {
    let deployment = Deployment::new(&Model::start());
    let lines = [
        json!({ "id": "1", "subject": "a", "value": "x", "status": "SUPERSEDED", "created": "2024-01-01",
                "changed": "2023-01-01" }),
        json!({ "id": "2", "subject": "b", "value": "x", "status": "SUPERSEDED", "changed": "2023-01-01" }),
    ];
    bring(&deployment, &lines, &[]);
    assert!(current(&deployment.start()).is_empty());
}

#[test]
fn a_source_that_goes_back_to_what_it_said_is_followed() {
    let model = Model::start();
    for more in [&[][..], &["--as-is"]] {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        for value in ["Porto", "Lisbon", "Porto", "Lisbon"] {
            let said =
                bring(&deployment, &[json!({ "id": "1", "subject": "home city", "value": value })], more);
            assert!(said.contains("1 taken"), "{more:?} {value}: {said}");
            assert_eq!(current(&process), [format!("• home city = {value}")], "{more:?}");
        }
    }
}

#[test]
fn a_record_that_changed_holds_from_its_change_on() {
    let deployment = Deployment::new(&Model::start());
    let record = |value: &str, changed: &str| json!({ "id": "1", "subject": "home city", "value": value, "created": "2020-01-01", "changed": changed });
    bring(&deployment, &[record("Porto", "2020-01-01")], &["--as-is"]);
    bring(&deployment, &[record("Lisbon", "2023-01-01")], &["--as-is"]);
    assert_eq!(as_of(&deployment, "2022-01-01"), ["• home city = Porto"]);
    assert_eq!(as_of(&deployment, "2024-01-01"), ["• home city = Lisbon"]);
}

#[test]
fn an_older_file_that_comes_second_is_in_its_place() {
    let deployment = Deployment::new(&Model::start());
    let record = |value: &str, created: &str| json!({ "id": value, "subject": "home city", "value": value, "created": created });
    bring(&deployment, &[record("Lisbon", "2024-01-01")], &[]);
    bring(&deployment, &[record("Porto", "2023-01-01")], &[]);
    assert_eq!(as_of(&deployment, "2023-06-01"), ["• home city = Porto"]);
    assert_eq!(as_of(&deployment, "2024-06-01"), ["• home city = Lisbon"]);
    let history = deployment.start().call("history", &json!({ "subject": "home city" }));
    assert!(history.find("Porto").unwrap() < history.find("Lisbon").unwrap(), "{history}");
}

#[test]
fn what_was_not_put_down_can_be_told() {
    let deployment = Deployment::new(&Model::start());
    deployment.start().remember(&says("home city", "Faro"));
    let record = [json!({ "id": "1", "subject": "home city", "value": "Braga" })];
    for _ in 0..2 {
        assert!(bring(&deployment, &record, &["--as-is"]).contains("1 not taken"));
    }
    assert!(bring(&deployment, &record, &[]).contains("1 taken"));
    let list = deployment.start().list();
    // It does not say since when it holds, so somebody has to decide.
    assert!(list.contains("• home city = Faro") && list.contains("⚠ home city = Braga"), "{list}");
}

#[test]
fn one_record_that_cannot_be_taken_stops_no_other() {
    let model = Model::start();
    for more in [&[][..], &["--as-is"]] {
        let deployment = Deployment::new(&model);
        let mut lines: Vec<_> = ["local", "prin_1", "a\nb", &"x".repeat(300)]
            .iter()
            .enumerate()
            .map(|(n, user)| json!({ "id": n, "subject": "s", "value": "v", "user_id": user }))
            .collect();
        lines.push(
            json!({ "id": "w", "subject": "w", "value": "v", "status": "FLAGGED_CONFLICT", "pending": {} }),
        );
        lines.push(json!({ "id": "long", "subject": "l", "value": "v", "scope": "s".repeat(3_000_000) }));
        lines.push(json!({ "id": "good", "subject": "home city", "value": "Porto", "user_id": "zoe" }));
        bring(&deployment, &lines, &[more, &["--dry-run"]].concat());
        let said = bring(&deployment, &lines, more);
        assert!(said.contains("user_id") && said.contains("not taken"), "{said}");
        let facts = exported(&deployment);
        assert!(facts.iter().any(|fact| fact["user_id"] == "zoe"), "{said}");
        assert!(!facts.iter().any(|fact| ["local", "prin_1"].contains(&fact["user_id"].as_str().unwrap())));
        assert!(facts.iter().all(|fact| fact["scope"].as_str().unwrap().len() < 200));
    }
}

#[test]
fn a_file_does_not_say_whom_to_trust() {
    let model = Model::start();
    for four_eyes in ["off", "on"] {
        let deployment = Deployment::new(&model)
            .with("SVC_SLOT_SCHEMA", "preset:clinical")
            .with("SVC_TRUSTED_SOURCES", "pharmacy")
            .with("SVC_FOUR_EYES", four_eyes);
        let process = deployment.start();
        process.remember(&says("code_status", "full code"));
        let record = json!({ "id": "1", "subject": "code_status", "value": "DNR", "source": "pharmacy" });
        let said = bring(&deployment, &[record], &[]);
        assert!(said.contains("1 taken"), "{said}");
        assert!(process.list().contains("• code_status = full code"), "{}", process.list());
    }
}

#[test]
fn a_record_that_changed_is_told_again_and_one_that_vanished_changes_nothing() {
    let model = Model::start();
    for more in [&[][..], &["--as-is"]] {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        let record = |id: i64, subject: &str, value: &str| json!({ "id": id, "subject": subject, "value": value, "created": "2024-01-01" });
        bring(&deployment, &[record(1, "home city", "Porto"), record(2, "pet", "a cat")], more);
        let said = bring(&deployment, &[record(1, "home city", "Lisbon")], more);
        assert!(said.starts_with("1 record of jsonl: 1 taken"), "{said}");
        assert_eq!(current(&process), ["• pet = a cat", "• home city = Lisbon"], "{more:?}");
        let said = bring(&deployment, &[record(1, "home city", "Lisbon")], more);
        assert!(said.starts_with("1 record of jsonl: 0 taken, 1 unchanged"), "{said}");
        process.intact();
    }
}

#[test]
fn what_ended_in_a_guarded_slot_waits_for_approval() {
    let deployment = Deployment::new(&Model::start()).with("SVC_SLOT_SCHEMA", "preset:clinical");
    let process = deployment.start();
    let mut record = json!({ "id": "1", "text": says("code_status", "full code"), "created": "2023-01-01" });
    bring(&deployment, std::slice::from_ref(&record), &[]);
    record["status"] = json!("SUPERSEDED");
    record["changed"] = json!("2024-01-01");
    bring(&deployment, &[record], &[]);
    assert_eq!(current(&process), ["• code_status = full code"]);
    let waits = process.call("pending_changes", &json!({}));
    assert!(waits.contains("REMOVE code_status: 'full code'"), "{waits}");
}
