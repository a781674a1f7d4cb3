//! What a record no longer says: it ends here, unless somebody else holds it, and what was taken back here stays taken back.

use crate::import::{exported, import, written};
use crate::import_again::{as_of, bring, current};
use crate::support::{Deployment, Mcp, Model, said, says};
use domain::Timestamp;
use serde_json::{Value, json};

const BOTH: [&[&str]; 2] = [&[], &["--as-is"]];

fn city(id: &str, more: &Value) -> Value {
    let mut record = json!({ "id": id, "subject": "home city", "value": "Porto", "created": "2023-01-01" });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

fn ended(record: &Value) -> Value {
    let mut record = record.clone();
    record["status"] = json!("SUPERSEDED");
    record["changed"] = json!("2024-01-01");
    record
}

fn forget(process: &Mcp) {
    let removal = json!([{ "subject": "home city", "value": "Porto", "action": "RETRACT" }]);
    let said = process.call("forget", &json!({ "text": said("Forget it.", &removal) }));
    assert!(current(process).is_empty(), "{said}");
}

#[test]
fn a_fact_ends_with_the_last_record_that_holds_it() {
    let model = Model::start();
    for more in BOTH {
        for words in [false, true] {
            let deployment = Deployment::new(&model);
            let process = deployment.start();
            let record = |id: &str| match words {
                false => city(id, &json!({})),
                true => json!({ "id": id, "text": says("home city", "Porto"), "created": "2023-01-01" }),
            };
            bring(&deployment, &[record("1"), record("2"), record("3")], more);
            if words && !more.is_empty() {
                // Words that are put down as they are are facts of their own.
                continue;
            }
            for id in ["1", "3"] {
                bring(&deployment, &[ended(&record(id))], more);
                assert_eq!(current(&process), ["• home city = Porto"], "{more:?} {words} {id}");
            }
            bring(&deployment, &[ended(&record("2"))], more);
            assert!(current(&process).is_empty(), "{more:?} {words}: {}", process.list());
            process.intact();
        }
    }
}

#[test]
fn what_somebody_said_here_is_asked_about_when_a_record_ends() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("home city", "Porto"));
    bring(&deployment, &[city("1", &json!({}))], &[]);
    let later = Timestamp::now().to_string();
    bring(&deployment, &[city("1", &json!({ "status": "SUPERSEDED", "changed": later }))], &[]);
    assert_eq!(current(&process), ["• home city = Porto"]);
    assert!(process.list().contains("⚠ home city = Porto"), "{}", process.list());
}

#[test]
fn what_was_taken_back_here_stays_taken_back() {
    let model = Model::start();
    for more in BOTH {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        bring(&deployment, &[city("1", &json!({}))], more);
        forget(&process);
        let said = bring(&deployment, &[city("1", &json!({ "source": "a note" }))], more);
        assert!(said.contains("1 not taken") && said.contains("it was taken back here since"), "{said}");
        assert!(current(&process).is_empty(), "{more:?}: {}", process.list());
        process.remember(&says("home city", "Porto"));
        assert_eq!(current(&process), ["• home city = Porto"]);
    }
}

#[test]
fn what_was_taken_back_here_and_has_no_time_waits() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let record =
        |source: &str| json!({ "id": "1", "subject": "home city", "value": "Porto", "source": source });
    bring(&deployment, &[record("a")], &[]);
    forget(&process);
    bring(&deployment, &[record("b")], &[]);
    assert!(current(&process).is_empty(), "{}", process.list());
    assert!(process.list().contains("⚠ home city = Porto"), "{}", process.list());
}

#[test]
fn what_ended_there_and_holds_there_again_holds_here_again() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    for (record, holds) in
        [(city("1", &json!({})), 1), (ended(&city("1", &json!({}))), 0), (city("1", &json!({})), 1)]
    {
        bring(&deployment, &[record], &[]);
        assert_eq!(current(&process).len(), holds, "{}", process.list());
    }
}

#[test]
fn an_end_is_sure_however_sure_the_record_was() {
    let deployment = Deployment::new(&Model::start());
    bring(&deployment, &[ended(&city("1", &json!({ "confidence": 0.4 })))], &[]);
    let list = deployment.start().list();
    assert!(!list.contains('•') && !list.contains('⚠'), "{list}");
    assert_eq!(as_of(&deployment, "2023-06-01"), ["• home city = Porto"]);
}

#[test]
fn an_end_that_becomes_known_later_is_put_where_it_was() {
    let deployment = Deployment::new(&Model::start());
    let lisbon = json!({ "id": "2", "subject": "home city", "value": "Lisbon", "created": "2025-01-01" });
    bring(&deployment, &[city("1", &json!({})), lisbon], &[]);
    assert_eq!(as_of(&deployment, "2024-06-01"), ["• home city = Porto"]);
    bring(&deployment, &[ended(&city("1", &json!({})))], &[]);
    assert!(as_of(&deployment, "2024-06-01").is_empty());
    assert_eq!(as_of(&deployment, "2023-06-01"), ["• home city = Porto"]);
    assert_eq!(current(&deployment.start()), ["• home city = Lisbon"]);
}

#[test]
fn the_end_of_words_in_a_guarded_slot_waits_for_approval() {
    let deployment = Deployment::new(&Model::start()).with("SVC_SLOT_SCHEMA", "preset:clinical");
    let process = deployment.start();
    let record = json!({ "id": "1", "text": says("code_status", "full code"), "created": "2023-01-01" });
    bring(&deployment, std::slice::from_ref(&record), &[]);
    assert_eq!(current(&process), ["• code_status = full code"]);
    bring(&deployment, &[ended(&record)], &[]);
    assert_eq!(current(&process), ["• code_status = full code"]);
    let waits = process.call("pending_changes", &json!({}));
    assert!(waits.contains("REMOVE code_status: 'full code'"), "{waits}");
}

#[test]
fn words_that_were_replaced_no_longer_hold() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let mem0 = |words: String, updated: &str| {
        let memory = json!({ "id": "6a1f1f0e-6d0b-4c39-9f0e-2b1d5f0c7a11", "memory": words, "user_id": "default",
                             "created_at": "2023-02-01", "updated_at": updated });
        let file = written(&deployment, "mem0.json", &json!({ "results": [memory] }).to_string());
        import(&deployment, "mem0", file.to_str().unwrap(), &[]);
    };
    mem0(says("pet", "a cat"), "2023-02-01");
    assert_eq!(current(&process), ["• pet = a cat"]);
    mem0(says("hobby", "sailing"), "2024-02-01");
    assert_eq!(current(&process), ["• hobby = sailing"]);
    assert_eq!(as_of(&deployment, "2023-06-01"), ["• pet = a cat"]);
    // Whoever gives ids that are no UUIDs may give them twice.
    for (words, changed) in [(says("car", "a van"), "2023-01-01"), (says("boat", "a dinghy"), "2024-01-01")] {
        bring(&deployment, &[json!({ "id": "1", "text": words, "changed": changed })], &[]);
    }
    assert_eq!(current(&process).len(), 3);
}

#[test]
fn what_vanished_from_the_whole_of_a_memory_ends() {
    let model = Model::start();
    for more in BOTH {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        process.remember(&says("theme", "dark"));
        let pet = json!({ "id": "2", "subject": "pet", "value": "a cat" });
        let elsewhere = json!({ "id": "3", "subject": "pet", "value": "a dog", "user_id": "zoe" });
        bring(&deployment, &[city("1", &json!({})), pet.clone(), elsewhere], more);
        let left = [pet];
        let whole = [more, &["--whole"]].concat();
        let tried = bring(&deployment, &left, &[&whole[..], &["--dry-run"]].concat());
        assert!(tried.contains("record 1, in no file  RETRACT home city = Porto"), "{tried}");
        assert_eq!(current(&process).len(), 3);
        bring(&deployment, &left, more);
        assert_eq!(current(&process).len(), 3, "without --whole, a file may be a part");
        let said = bring(&deployment, &left, &whole);
        assert!(said.contains("1 no longer in the files"), "{said}");
        assert_eq!(current(&process), ["• theme = dark", "• pet = a cat"]);
        let again = bring(&deployment, &left, &whole);
        assert!(again.contains("1 record of jsonl: 0 taken, 1 unchanged"), "{again}");
        assert!(exported(&deployment).iter().any(|f| f["user_id"] == "zoe" && f["status"] == "ACTIVE"));
        // It is there again.
        bring(&deployment, &[city("1", &json!({}))], more);
        assert!(current(&process).contains(&"• home city = Porto".to_owned()), "{}", process.list());
    }
}

#[test]
fn what_cannot_be_read_is_not_taken_for_vanished() {
    let deployment = Deployment::new(&Model::start());
    bring(&deployment, &[city("1", &json!({}))], &[]);
    let pet = json!({ "id": "2", "subject": "pet", "value": "a cat" });
    let file = written(&deployment, "cut.jsonl", &format!("{pet}\n{{\"id\": \"1\", \"subj\n"));
    let error = deployment.svc_refuses(&["import", "--from", "jsonl", "--whole", file.to_str().unwrap()]);
    assert!(error.contains("1 part in the files cannot be read"), "{error}");
    assert_eq!(current(&deployment.start()), ["• home city = Porto"]);
}
