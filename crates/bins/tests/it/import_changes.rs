//! A record that its memory changes in place is told again.

use crate::import::{exported, import, written};
use crate::import_again::{as_of, bring, current};
use crate::support::{Deployment, Model};
use domain::Timestamp;
use serde_json::{Value, json};

const BOTH: [&[&str]; 2] = [&[], &["--as-is"]];

fn record(id: &str, subject: &str, value: &str, more: &Value) -> Value {
    let mut record = json!({ "id": id, "subject": subject, "value": value });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

#[test]
fn a_value_that_was_changed_in_place_holds_since_it_was_changed() {
    let model = Model::start();
    for more in BOTH {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        let created = json!({ "created": "2023-01-01" });
        bring(&deployment, &[record("1", "city", "Braga", &created)], more);
        let changed = json!({ "created": "2023-01-01", "changed": "2025-01-01" });
        bring(&deployment, &[record("1", "city", "Porto", &changed)], more);
        assert_eq!(current(&process), ["• city = Porto"], "{more:?}");
        assert_eq!(as_of(&deployment, "2024-06-01"), ["• city = Braga"], "{more:?}");
        // It does not say when.
        let before = Timestamp::now().to_string();
        bring(&deployment, &[record("1", "city", "Faro", &created)], more);
        assert_eq!(current(&process), ["• city = Faro"], "{more:?}");
        assert_eq!(as_of(&deployment, &before), ["• city = Porto"], "{more:?}");
        process.intact();
    }
}

#[test]
fn an_end_behind_its_successor_in_the_file_makes_room_for_it() {
    let deployment = Deployment::new(&Model::start());
    let porto = |more| record("1", "city", "Porto", &more);
    bring(&deployment, &[porto(json!({ "created": "2024-01-01" }))], &["--as-is"]);
    let ended = porto(json!({ "created": "2024-01-01", "changed": "2025-01-01", "status": "SUPERSEDED" }));
    let lisbon = record("2", "city", "Lisbon", &json!({ "created": "2025-01-01" }));
    bring(&deployment, &[lisbon, ended], &["--as-is"]);
    assert_eq!(current(&deployment.start()), ["• city = Lisbon"]);
}

#[test]
fn records_with_the_same_id_are_brought_once() {
    let model = Model::start();
    for more in BOTH {
        let deployment = Deployment::new(&model);
        let lines = [("a", "x"), ("a", "y"), ("c", "x"), ("c", "x")];
        let records = lines.map(|(subject, value)| record("1", subject, value, &json!({})));
        bring(&deployment, &records, more);
        let first = exported(&deployment);
        let said = bring(&deployment, &records, more);
        assert!(said.contains("0 taken, 4 unchanged"), "{said}");
        assert_eq!(exported(&deployment), first);
    }
}

#[test]
fn a_dry_run_says_what_the_end_of_a_record_does() {
    let model = Model::start();
    for more in BOTH {
        let deployment = Deployment::new(&model);
        bring(&deployment, &[record("1", "city", "Porto", &json!({}))], more);
        let ended = written(
            &deployment,
            "ended.jsonl",
            &record("1", "city", "Porto", &json!({ "status": "SUPERSEDED" })).to_string(),
        );
        let bring =
            |dry: &[&str]| import(&deployment, "jsonl", ended.to_str().unwrap(), &[more, dry].concat()).1;
        let facts = |report: Vec<Value>| report[0]["facts"].to_string();
        assert_eq!(facts(bring(&["--dry-run"])), facts(bring(&[])), "{more:?}");
    }
}

#[test]
fn the_history_of_mem0_is_of_the_user_of_the_memories() {
    let deployment = Deployment::new(&Model::start());
    let id = |n: u8| format!("{n:08}-0000-4000-8000-000000000000");
    let memory = |n: u8, words: String, user: &str| json!({ "id": id(n), "memory": words, "user_id": user, "created_at": "2024-01-01T00:00:00Z" });
    let words = |value| crate::support::says("home city", value);
    let export = |memories: Value, name: &str| {
        let deleted = json!({ "id": "h", "memory_id": id(1), "old_memory": words("Porto"), "new_memory": null,
            "event": "DELETE", "created_at": "2024-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z" });
        let file = json!({ "results": memories, "history": [deleted] });
        written(&deployment, name, &file.to_string())
    };
    let first = json!({ "results": [memory(1, words("Porto"), "ines")] });
    let first = written(&deployment, "first.json", &first.to_string());
    import(&deployment, "mem0", first.to_str().unwrap(), &[]);
    let later = export(json!([memory(2, crate::support::says("pet", "a cat"), "ines")]), "later.json");
    import(&deployment, "mem0", later.to_str().unwrap(), &[]);
    let facts = exported(&deployment);
    assert!(facts.iter().all(|fact| fact["user_id"] == "ines"), "{facts:?}");
    let current: Vec<&Value> = facts.iter().filter(|fact| fact["status"] == "ACTIVE").collect();
    assert!(matches!(current[..], [pet] if pet["value"] == "a cat"), "{facts:?}");
    let several = json!([memory(2, words("Faro"), "ines"), memory(3, words("Faro"), "ben")]);
    let several = export(several, "several.json");
    let (said, _) = import(&deployment, "mem0", several.to_str().unwrap(), &[]);
    assert!(said.contains("not clear whose this is"), "{said}");
}

#[test]
fn a_confidence_beyond_all_doubt_is_refused() {
    let deployment = Deployment::new(&Model::start());
    for confidence in [json!(7), json!(-1), json!("2")] {
        let said =
            bring(&deployment, &[record("1", "city", "Porto", &json!({ "confidence": confidence }))], &[]);
        assert!(said.contains("not a number from 0 to 1"), "{said}");
    }
}

fn clinical(model: &Model) -> Deployment {
    Deployment::new(model).with("SVC_SLOT_SCHEMA", "preset:clinical")
}

fn over(mut record: Value, changed: &str) -> Value {
    record["status"] = json!("SUPERSEDED");
    record["changed"] = json!(changed);
    record
}

#[test]
fn what_was_put_down_as_it_is_is_not_told_again() {
    let deployment = Deployment::new(&Model::start());
    let created = json!({ "created": "2023-01-01" });
    let before = json!([{ "value": "Porto", "until": "2023-06-01" }]);
    let records = [
        over(record("1", "home city", "Porto", &created), "2024-01-01"),
        record("2", "work city", "Lisbon", &json!({ "created": "2023-01-01", "refined_from": before })),
    ];
    bring(&deployment, &records, &["--as-is"]);
    let first = exported(&deployment);
    let said = bring(&deployment, &records, &[]);
    assert!(said.contains("0 taken, 2 unchanged"), "{said}");
    assert_eq!(exported(&deployment), first);
}

#[test]
fn lines_with_one_id_may_change_places() {
    let model = Model::start();
    for id in ["1", "6a1f1f0e-6d0b-4c39-9f0e-2b1d5f0c7a11"] {
        for more in BOTH {
            let deployment = Deployment::new(&model);
            let created = json!({ "created": "2023-01-01" });
            let mut lines = [record(id, "city", "Porto", &created), record(id, "theme", "dark", &created)];
            bring(&deployment, &lines, more);
            lines.reverse();
            bring(&deployment, &lines, more);
            assert_eq!(current(&deployment.start()).len(), 2, "{id} {more:?}");
        }
    }
}

#[test]
fn what_began_and_ended_at_once_takes_no_place() {
    let model = Model::start();
    let porto = record("3", "city", "Porto", &json!({ "created": "2024-01-01" }));
    for ended in [
        over(record("1", "city", "Lisbon", &json!({})), "2024-01-01"),
        over(record("1", "city", "Lisbon", &json!({ "created": "2024-01-01" })), "2024-01-01"),
    ] {
        for lines in [[porto.clone(), ended.clone()], [ended, porto.clone()]] {
            let deployment = Deployment::new(&model);
            bring(&deployment, &lines, &[]);
            assert_eq!(current(&deployment.start()), ["• city = Porto"], "{lines:?}");
        }
    }
}

#[test]
fn what_is_over_needs_no_approval_to_be_history() {
    let model = Model::start();
    let dni = record("1", "code_status", "DNI", &json!({ "created": "2024-01-01" }));
    let full =
        over(record("2", "code_status", "full code", &json!({ "created": "2023-02-01" })), "2023-03-01");
    for lines in [vec![full.clone()], vec![dni, full]] {
        let deployment = clinical(&model);
        let process = deployment.start();
        bring(&deployment, &lines, &[]);
        assert!(process.call("pending_changes", &json!({})).contains("No changes are waiting"), "{lines:?}");
        assert_eq!(current(&process).len(), lines.len() - 1, "{}", process.list());
        assert_eq!(as_of(&deployment, "2023-02-15"), ["• code_status = full code"]);
    }
}
