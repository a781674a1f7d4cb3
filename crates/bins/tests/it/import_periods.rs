//! When what is brought began and ended: periods that overlap, times still to come, times that nobody knows, and ids that
//! two memories both gave.

use crate::import::{exported, import, written};
use crate::import_again::{as_of, bring, current};
use crate::support::{Deployment, Model, says};
use serde_json::{Value, json};

/// Two places of work of one person, as Graphiti writes them; the first from 2024 on until `end`.
fn graph(end: Option<&str>, second: bool) -> String {
    let node = |id: &str, name: &str| json!({ "uuid": id, "name": name, "summary": "" });
    let edge = |id: &str, to: &str, from: &str, until: Option<&str>| {
        json!({ "uuid": id, "source_node_uuid": "t", "target_node_uuid": to, "name": "WORKS_AT",
                "fact": format!("Tove works at {to}"), "valid_at": from, "invalid_at": until })
    };
    let mut edges = vec![edge("e1", "n", "2024-01-01T00:00:00Z", end)];
    if second {
        edges.push(edge("e2", "h", "2024-12-01T00:00:00Z", None));
    }
    let nodes = [node("t", "Tove"), node("n", "Northside"), node("h", "Harbour")];
    json!({ "nodes": nodes, "edges": edges }).to_string()
}

fn bring_graph(deployment: &Deployment, graph: &str) {
    let file = written(deployment, "graph.json", graph);
    import(deployment, "graphiti", file.to_str().unwrap(), &[]);
}

#[test]
fn a_relation_that_ended_is_over_though_the_next_began_before() {
    let model = Model::start();
    for first in [None, Some(graph(None, false))] {
        let deployment = Deployment::new(&model);
        if let Some(first) = &first {
            bring_graph(&deployment, first);
            assert_eq!(current(&deployment.start()), ["• Tove works at = Northside"]);
        }
        bring_graph(&deployment, &graph(Some("2025-01-01T00:00:00Z"), true));
        let process = deployment.start();
        assert_eq!(current(&process), ["• Tove works at = Harbour"], "{}", process.list());
        assert!(!process.list().contains('⚠'), "{}", process.list());
        assert_eq!(as_of(&deployment, "2024-06-01"), ["• Tove works at = Northside"]);
        assert_eq!(as_of(&deployment, "2024-12-15").len(), 2);
    }
}

#[test]
fn an_end_that_is_still_to_come_ends_nothing_yet() {
    let deployment = Deployment::new(&Model::start());
    bring_graph(&deployment, &graph(Some("2999-01-01T00:00:00Z"), false));
    assert_eq!(current(&deployment.start()), ["• Tove works at = Northside"]);
    assert_eq!(exported(&deployment).remove(0)["valid_until"], "2999-01-01T00:00:00Z");
}

#[test]
fn what_is_to_begin_later_waits() {
    let deployment = Deployment::new(&Model::start());
    let record = |id: i64, value: &str, created: &str| json!({ "id": id, "subject": "office", "value": value, "created": created });
    let lines = [record(1, "Rome", "2025-01-01"), record(2, "Milan", "2999-01-01")];
    bring(&deployment, &lines, &[]);
    let list = deployment.start().list();
    assert!(list.contains("• office = Rome") && list.contains("⚠ office = Milan"), "{list}");
    let other = Deployment::new(&Model::start());
    let said = bring(&other, &lines[1..], &["--as-is"]);
    assert!(said.contains("it begins only 2999-01-01"), "{said}");
    assert!(current(&other.start()).is_empty());
}

#[test]
fn a_value_that_another_record_goes_on_to_hold_stays() {
    let model = Model::start();
    for begins in ["2021-01-01", "2020-06-01"] {
        let deployment = Deployment::new(&model);
        let lines = [
            json!({ "id": "1", "subject": "gym", "value": "Riverside", "status": "SUPERSEDED",
                    "created": "2020-01-01", "changed": "2021-01-01" }),
            json!({ "id": "2", "subject": "gym", "value": "Riverside", "created": begins }),
        ];
        bring(&deployment, &lines, &[]);
        assert_eq!(current(&deployment.start()), ["• gym = Riverside"], "{begins}");
    }
}

#[test]
fn records_of_two_memories_with_the_same_id_are_two() {
    let deployment = Deployment::new(&Model::start());
    let target = json!({ "id": "1", "subject": "deploy target", "value": "Heroku", "created": "2024-01-01" });
    let office = json!({ "id": "1", "subject": "office", "value": "Rome", "created": "2023-01-01",
                         "status": "SUPERSEDED", "changed": "2023-06-01" });
    bring(&deployment, &[target], &["--as-is"]);
    bring(&deployment, &[office], &["--as-is"]);
    assert_eq!(current(&deployment.start()), ["• deploy target = Heroku"]);
    assert_eq!(as_of(&deployment, "2023-03-01"), ["• office = Rome"]);
}

#[test]
fn one_id_twice_in_a_file_stops_nothing() {
    let model = Model::start();
    for more in [&[][..], &["--as-is"]] {
        let deployment = Deployment::new(&model);
        let lines = [
            json!({ "id": "1", "subject": "office", "value": "Rome", "created": "2024-01-01" }),
            json!({ "id": "1", "subject": "office", "value": "Milan", "created": "2025-01-01" }),
            json!({ "id": "2", "subject": "phone", "value": "12" }),
        ];
        let said = bring(&deployment, &lines, more);
        assert!(said.starts_with("3 records of jsonl: 3 taken"), "{said}");
        let process = deployment.start();
        assert_eq!(current(&process), ["• office = Milan", "• phone = 12"]);
        process.intact();
        drop(process);
        deployment.svc(&["fsck"]);
    }
}

#[test]
fn edited_words_hold_from_their_edit_on() {
    let deployment = Deployment::new(&Model::start());
    let memory = |id: &str, value: &str, updated: Value| {
        json!({ "id": id, "memory": says("home city", value), "user_id": "default",
                "created_at": if id == "a" { "2023-02-01" } else { "2024-05-01" }, "updated_at": updated })
    };
    let bring = |memories: &[Value]| {
        let file = written(&deployment, "mem0.json", &json!({ "results": memories }).to_string());
        import(&deployment, "mem0", file.to_str().unwrap(), &[]);
    };
    bring(&[memory("a", "Porto", json!(null))]);
    bring(&[memory("a", "Lisbon", json!("2025-09-01")), memory("b", "Madrid", json!(null))]);
    assert_eq!(current(&deployment.start()), ["• home city = Lisbon"]);
    assert_eq!(as_of(&deployment, "2023-06-01"), ["• home city = Porto"]);
    assert_eq!(as_of(&deployment, "2025-10-01"), ["• home city = Lisbon"]);
}

#[test]
fn a_value_of_unknown_age_replaces_nothing_by_itself() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("database", "MySQL"));
    let lines = [
        json!({ "id": "1", "subject": "database", "value": "Oracle" }),
        json!({ "id": "2", "subject": "office", "value": "Rome", "created": "2025-01-01" }),
        json!({ "id": "3", "subject": "office", "value": "Milan" }),
        // Of two without a time, the later line is what their memory said last.
        json!({ "id": "4", "subject": "pet", "value": "a dog" }),
        json!({ "id": "5", "subject": "pet", "value": "a cat" }),
    ];
    bring(&deployment, &lines, &[]);
    assert_eq!(current(&process), ["• database = MySQL", "• office = Rome", "• pet = a cat"]);
    let list = process.list();
    assert!(list.contains("⚠ database = Oracle") && list.contains("⚠ office = Milan"), "{list}");
}

#[test]
fn an_export_that_comes_back_adds_nothing_that_stands() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("cloud", "AWS"));
    let mem0 =
        json!({ "results": [{ "id": "a", "memory": says("pet", "a cat"), "created_at": "2024-01-01" }] });
    let file = written(&deployment, "mem0.json", &mem0.to_string());
    import(&deployment, "mem0", file.to_str().unwrap(), &["--user", "default"]);
    let race = json!([{ "subject": "race", "value": "ran it", "kind": "event" }]);
    process.remember(&crate::support::said("I ran it.", &race));
    let removal = json!([{ "subject": "cloud", "value": "AWS", "action": "RETRACT", "confidence": 0.4 }]);
    assert!(process.remember(&crate::support::said("No more AWS?", &removal)).contains("FLAG"));
    drop(process);
    let file = deployment.folder().join("all.jsonl");
    deployment.svc(&["export", "--all", file.to_str().unwrap()]);
    let before = exported(&deployment);
    import(&deployment, "jsonl", file.to_str().unwrap(), &["--as-is"]);
    assert_eq!(exported(&deployment), before);

    // Elsewhere each fact names the memory that it came from first, and the doubt is not lost on the way.
    for more in [&[][..], &["--as-is"]] {
        let other = Deployment::new(&Model::start());
        import(&other, "jsonl", file.to_str().unwrap(), more);
        let list = other.start().list();
        assert!(list.contains("• cloud = AWS") && list.contains('⚠'), "{more:?} {list}");
        let facts = exported(&other);
        let pet = facts.iter().find(|fact| fact["subject"] == "pet").unwrap();
        let from = if more.is_empty() { "jsonl" } else { "mem0" };
        assert_eq!(pet["metadata"]["imported_from"], from);
    }
}
