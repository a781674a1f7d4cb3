//! A record that its memory changes in place: what it said before ends here, whatever it says now.

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
fn a_changed_value_holds_though_another_memory_knew_of_one_between() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let ended = json!({ "created": "2023-02-01", "changed": "2025-01-01", "status": "SUPERSEDED" });
    bring(&deployment, &[record("1", "city", "Faro", &ended)], &[]);
    bring(&deployment, &[record("2", "city", "Braga", &json!({ "created": "2025-06-01" }))], &[]);
    let changed = json!({ "created": "2025-06-01", "changed": "2026-01-15" });
    bring(&deployment, &[record("2", "city", "Porto", &changed)], &[]);
    assert_eq!(current(&process), ["• city = Porto"]);
    // What one memory knows of the past is not what the other had said.
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let ended = json!({ "created": "2023-02-01", "changed": "2025-01-01", "status": "SUPERSEDED" });
    bring(&deployment, &[record("1", "city", "Braga", &ended)], &[]);
    let before = json!([{ "value": "Braga", "until": "2023-01-15" }]);
    let refined = json!({ "created": "2023-01-01", "changed": "2023-01-15", "refined_from": before });
    bring(&deployment, &[record("2", "city", "Porto", &refined)], &[]);
    assert!(current(&process).is_empty(), "{}", process.list());
    assert_eq!(as_of(&deployment, "2023-01-20"), ["• city = Porto"]);
    assert_eq!(as_of(&deployment, "2024-01-20"), ["• city = Braga"]);
}

#[test]
fn a_record_that_is_about_something_else_now_leaves_nothing_behind() {
    let model = Model::start();
    let uuid = "6a1f1f0e-6d0b-4c39-9f0e-2b1d5f0c7a11";
    for more in BOTH {
        for (id, whole) in [(uuid, &[][..]), ("1", &["--whole"])] {
            let deployment = Deployment::new(&model);
            let process = deployment.start();
            let created = json!({ "created": "2023-01-01" });
            bring(&deployment, &[record(id, "city", "Porto", &created)], more);
            let again = [more, whole].concat();
            let changed = json!({ "created": "2023-01-01", "changed": "2025-01-01" });
            bring(&deployment, &[record(id, "town", "Porto", &changed)], &again);
            assert_eq!(current(&process), ["• town = Porto"], "{again:?}");
            assert_eq!(as_of(&deployment, "2024-01-01"), ["• city = Porto"], "{again:?}");
            let over = json!({ "created": "2023-01-01", "changed": "2026-01-01", "status": "SUPERSEDED" });
            bring(&deployment, &[record(id, "village", "Porto", &over)], &again);
            assert!(current(&process).is_empty(), "{again:?}: {}", process.list());
            process.intact();
        }
        // Under any id, a value that is in another scope now is no longer in its own.
        let deployment = Deployment::new(&model);

        bring(&deployment, &[record("1", "city", "Porto", &json!({ "created": "2023-01-01" }))], more);
        let moved = json!({ "created": "2023-01-01", "changed": "2025-01-01", "scope": "work" });
        bring(&deployment, &[record("1", "city", "Porto", &moved)], more);
        let facts = exported(&deployment);
        let scopes: Vec<&Value> =
            facts.iter().filter(|fact| fact["status"] == "ACTIVE").map(|fact| &fact["scope"]).collect();
        assert_eq!(scopes, ["work"], "{more:?}");
    }
}

#[test]
fn an_edge_ends_though_its_node_has_another_name() {
    let model = Model::start();
    for more in BOTH {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        let [bob, acme, edge] = [1, 2, 3].map(|n| format!("{n:08}-0000-4000-8000-000000000000"));
        let graph = |name: &str, until: Value| {
            let graph = json!({
                "nodes": [{ "uuid": bob, "name": name, "group_id": "default" },
                          { "uuid": acme, "name": "Acme", "group_id": "default" }],
                "edges": [{ "uuid": edge, "name": "WORKS_AT", "fact": "Bob works at Acme.", "group_id": "default",
                            "source_node_uuid": bob, "target_node_uuid": acme, "created_at": "2024-01-01T00:00:00Z",
                            "valid_at": "2024-01-01T00:00:00Z", "invalid_at": until }],
            });
            let file = written(&deployment, "graph.json", &graph.to_string());
            import(&deployment, "graphiti", file.to_str().unwrap(), more);
        };
        graph("Bob", Value::Null);
        assert_eq!(current(&process), ["• Bob works at = Acme"]);
        graph("Robert", Value::Null);
        assert_eq!(current(&process), ["• Robert works at = Acme"], "{more:?}");
        graph("Rob", json!("2025-01-01T00:00:00Z"));
        assert!(current(&process).is_empty(), "{more:?}: {}", process.list());
    }
}

#[test]
fn what_waits_is_withdrawn_when_its_record_no_longer_says_it() {
    let model = Model::start();
    for changed in [
        record("b", "city", "Braga", &json!({ "status": "SUPERSEDED" })),
        record("b", "city", "Faro", &json!({})),
        record("c", "pet", "a cat", &json!({})),
    ] {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        bring(&deployment, &[record("a", "city", "Porto", &json!({ "created": "2024-01-01" }))], &[]);
        bring(&deployment, &[record("b", "city", "Braga", &json!({}))], &[]);
        assert!(process.list().contains("⚠ city = Braga"), "{}", process.list());
        let whole = changed["id"] == "c";
        let porto = record("a", "city", "Porto", &json!({ "created": "2024-01-01" }));
        bring(&deployment, &[porto, changed.clone()], if whole { &["--whole"] } else { &[] });
        assert!(!process.list().contains("⚠ city = Braga"), "{changed}: {}", process.list());
        assert!(current(&process).contains(&"• city = Porto".to_owned()));
        let waits = process.call("pending_changes", &json!({}));
        assert!(!waits.contains("Braga"), "{waits}");
    }
    // Another record says the same.
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    bring(&deployment, &[record("a", "city", "Porto", &json!({ "created": "2024-01-01" }))], &[]);
    bring(&deployment, &["b", "c"].map(|id| record(id, "city", "Braga", &json!({}))), &[]);
    bring(&deployment, &[record("b", "city", "Braga", &json!({ "status": "SUPERSEDED" }))], &[]);
    assert!(process.list().contains("⚠ city = Braga"), "{}", process.list());
}

#[test]
fn nothing_is_put_down_for_a_record_that_was_replaced_before_it_vanished() {
    let model = Model::start();
    for more in BOTH {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        let porto = record("1", "city", "Porto", &json!({ "created": "2024-01-01" }));
        bring(&deployment, std::slice::from_ref(&porto), more);
        let lisbon = [record("2", "city", "Lisbon", &json!({ "created": "2025-01-01" }))];
        let whole = [more, &["--whole"]].concat();
        bring(&deployment, &lisbon, &whole);
        assert_eq!(current(&process), ["• city = Lisbon"], "{more:?}");
        let again = bring(&deployment, &lisbon, &whole);
        assert!(again.contains("1 record of jsonl: 0 taken, 1 unchanged"), "{again}");
        let subjects: Vec<Value> = exported(&deployment).iter().map(|fact| fact["subject"].clone()).collect();
        assert!(subjects.iter().all(|subject| subject == "city"), "{subjects:?}");
        process.call("delete", &json!({ "subject": "city" }));
        assert!(!process.call("export_memory", &json!({})).contains("Porto"));
        bring(&deployment, &[porto], &whole);
        assert_eq!(current(&process), ["• city = Porto"], "{more:?}: it is there again");
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
fn a_value_that_very_many_records_hold_is_not_ended_by_some_of_them() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let records = |ended: usize| -> Vec<Value> {
        let state = |n| if n < ended { json!({ "status": "SUPERSEDED" }) } else { json!({}) };
        (0..103).map(|n| record(&n.to_string(), "city", "Porto", &state(n))).collect()
    };
    bring(&deployment, &records(0), &[]);
    bring(&deployment, &records(102), &[]);
    assert_eq!(current(&process), ["• city = Porto"]);
    let waits = process.call("pending_changes", &json!({}));
    assert!(waits.contains("REMOVE city: 'Porto'"), "{waits}");
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
fn what_a_record_said_before_a_change_that_waits_ends_with_it() {
    let model = Model::start();
    for more in BOTH {
        let deployment = clinical(&model);
        let process = deployment.start();
        let theme = record("9", "theme", "dark", &json!({ "created": "2023-01-01" }));
        let status = |value, changed: &str| {
            record("1", "code_status", value, &json!({ "created": "2023-01-01", "changed": changed }))
        };
        bring(&deployment, &[theme.clone(), status("DNR", "2023-01-01")], &[]);
        bring(&deployment, &[theme.clone(), status("DNI", "2024-01-01")], &[]);
        assert!(current(&process).contains(&"• code_status = DNR".to_owned()), "{}", process.list());
        bring(&deployment, &[theme], &[more, &["--whole"]].concat());
        let waits = process.call("pending_changes", &json!({}));
        assert!(!waits.contains("DNI"), "{more:?}: {waits}");
        let is_asked = waits.contains("REMOVE code_status: 'DNR'");
        assert_eq!(is_asked, more.is_empty(), "{more:?}: {waits}");
        assert_eq!(current(&process).len(), if more.is_empty() { 2 } else { 1 }, "{}", process.list());
    }
}

#[test]
fn a_record_that_moved_to_where_changes_wait_has_left_its_place() {
    let model = Model::start();
    let id = "6a1f1f0e-6d0b-4c39-9f0e-2b1d5f0c7a11";
    let deployment = clinical(&model);
    let process = deployment.start();
    let created = json!({ "created": "2023-01-01" });
    bring(
        &deployment,
        &[record(id, "employer", "Acme", &created), record("2", "code_status", "DNI", &created)],
        &[],
    );
    let changed = json!({ "created": "2023-01-01", "changed": "2024-01-01" });
    bring(&deployment, &[record(id, "code_status", "DNR", &changed)], &[]);
    assert_eq!(current(&process), ["• code_status = DNI"]);
    // A place that somebody here has taken is not free, and the other is left all the same.
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&crate::support::says("job", "cook"));
    bring(&deployment, &[record(id, "city", "Lisbon", &created)], &["--as-is"]);
    let said = bring(&deployment, &[record(id, "job", "baker", &changed)], &["--as-is"]);
    assert!(said.contains("1 not taken") && said.contains("SKIP job = baker"), "{said}");
    assert!(said.contains("RETRACT city = Lisbon"), "{said}");
    assert_eq!(current(&process), ["• job = cook"]);
}

#[test]
fn lines_with_one_id_may_change_places() {
    let model = Model::start();
    for id in ["1", "6a1f1f0e-6d0b-4c39-9f0e-2b1d5f0c7a11"] {
        for more in [&[][..], &["--as-is"], &["--whole"]] {
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

#[test]
fn an_end_no_longer_waits_where_another_record_says_the_same() {
    let deployment = clinical(&Model::start());
    let process = deployment.start();
    let dni = |id| record(id, "code_status", "DNI", &json!({ "created": "2023-01-01" }));
    bring(&deployment, &[dni("2")], &[]);
    bring(&deployment, &[over(dni("2"), "2024-01-01")], &[]);
    assert!(process.call("pending_changes", &json!({})).contains("REMOVE code_status: 'DNI'"));
    bring(&deployment, &[dni("3")], &[]);
    let waits = process.call("pending_changes", &json!({}));
    assert!(waits.contains("No changes are waiting"), "{waits}");
    assert_eq!(current(&process), ["• code_status = DNI"]);
    bring(&deployment, &[over(dni("3"), "2024-02-01")], &[]);
    assert!(process.call("pending_changes", &json!({})).contains("REMOVE code_status: 'DNI'"));
}

#[test]
fn a_record_that_holds_again_does_so_though_others_said_the_same() {
    let deployment = Deployment::new(&Model::start());
    let from = |id, value, at| record(id, "city", value, &json!({ "created": at }));
    let ended = [
        over(from("1", "Lisbon", "2023-01-01"), "2023-05-01"),
        over(from("2", "Lisbon", "2023-02-01"), "2023-05-01"),
        over(from("3", "Porto", "2023-05-01"), "2023-08-01"),
    ];
    bring(&deployment, &ended, &[]);
    assert!(current(&deployment.start()).is_empty());
    let again = json!({ "created": "2023-02-01", "changed": "2023-09-01" });
    bring(&deployment, &[record("2", "city", "Lisbon", &again)], &[]);
    assert_eq!(current(&deployment.start()), ["• city = Lisbon"]);
    assert!(as_of(&deployment, "2023-08-15").is_empty());
}

#[test]
fn what_was_put_down_and_vanished_comes_back_from_then_on() {
    let deployment = Deployment::new(&Model::start());
    let porto = record("1", "city", "Porto", &json!({ "created": "2023-01-01" }));
    let theme = record("2", "theme", "dark", &json!({ "created": "2023-01-01" }));
    for lines in [vec![porto.clone(), theme.clone()], vec![theme.clone()], vec![porto, theme]] {
        bring(&deployment, &lines, &["--as-is", "--whole"]);
    }
    assert_eq!(as_of(&deployment, "2023-06-01").len(), 2);
    assert_eq!(current(&deployment.start()).len(), 2);
}

#[test]
fn what_was_taken_back_here_stays_so_though_its_record_said_something_else_between() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let says = |value| record("1", "home city", value, &json!({ "created": "2023-01-01" }));
    bring(&deployment, &[says("Porto")], &[]);
    let removal = json!([{ "subject": "home city", "value": "Porto", "action": "RETRACT" }]);
    process.call("forget", &json!({ "text": crate::support::said("Forget it.", &removal) }));
    bring(&deployment, &[says("Faro")], &[]);
    assert_eq!(current(&process), ["• home city = Faro"]);
    let said = bring(&deployment, &[says("Porto")], &[]);
    assert!(said.contains("1 not taken") && said.contains("it was taken back here since"), "{said}");
    assert!(current(&process).is_empty(), "{}", process.list());
}

#[test]
fn a_change_that_waits_already_ends_nothing_when_its_record_is_told_again() {
    let model = Model::start();
    for (deployment, subject, dated) in
        [(clinical(&model), "code_status", true), (Deployment::new(&model), "city", false)]
    {
        let process = deployment.start();
        let created = json!({ "created": "2023-01-01" });
        bring(&deployment, &[record("1", subject, "DNR", &created)], &[]);
        for source in ["a note", "another note"] {
            let mut more = json!({ "source": source });
            if dated {
                more["created"] = json!("2023-01-01");
                more["changed"] = json!("2024-01-01");
            }
            bring(&deployment, &[record("1", subject, "DNI", &more)], &[]);
            assert_eq!(current(&process), [format!("• {subject} = DNR")], "{source}");
        }
        let waits = process.call("pending_changes", &json!({}));
        assert!(waits.contains("DNI") && !waits.contains("REMOVE"), "{waits}");
    }
}
