//! What belongs to whom in an import: notes of the same name, users, and the marks before the items of a list.

use crate::import_files::Desk;
use crate::support::says;
use serde_json::json;

#[test]
fn notes_of_the_same_name_are_told_apart() {
    let desk = Desk::new();
    for (note, text) in [
        ("notes/A/Status.md", "- leads [[Mia]]\n- [state] All is well\n"),
        ("notes/B/Status.md", "- leads [[Tom]]\n- [state] All is well\n"),
        ("notes/B/Plan.md", "- leads [[Ana]]\n"),
    ] {
        desk.file(note, text);
    }
    desk.0.svc(&["import", "--from", "obsidian", "notes"]);
    for (value, subject, path) in [
        ("Mia", "A/Status leads", "A/Status.md"),
        ("Tom", "B/Status leads", "B/Status.md"),
        ("Ana", "Plan leads", "B/Plan.md"),
    ] {
        let fact = desk.fact(value);
        assert_eq!((&fact["subject"], &fact["status"]), (&json!(subject), &json!("ACTIVE")), "{fact}");
        assert_eq!(fact["metadata"]["path"], path);
    }
    assert_eq!(desk.facts().iter().filter(|fact| fact["value"] == "All is well").count(), 2);
    let ids: std::collections::BTreeSet<String> =
        desk.facts().iter().map(|fact| fact["metadata"]["imported_id"].to_string()).collect();
    assert_eq!(ids.len(), 5, "{ids:?}");
}

#[test]
fn the_mark_of_an_item_is_no_part_of_it() {
    let desk = Desk::new();
    desk.bring_text(
        "claude",
        "1. Prefers tea\n2. Works at Acme\n3) Has two sons\n* Runs\n3.5 km a day\n2024. A good year\n",
    );
    for value in ["Prefers tea", "Works at Acme", "Has two sons", "Runs", "3.5 km a day", "2024. A good year"]
    {
        desk.fact(value);
    }
    let page = json!([{ "conversations_memory": "**Work**\n\n1. First thing\n- Prefers *short* answers" }]);
    let desk = Desk::new();
    desk.bring_text("claude", page.to_string());
    desk.fact("First thing");
    desk.fact("Prefers *short* answers");
    let desk = Desk::new();
    desk.bring_text(
        "letta",
        json!({ "id": "b", "label": "human", "value": "1. Likes roses.\n- Likes salt." }).to_string(),
    );
    desk.fact("Likes roses.");
    desk.fact("Likes salt.");
}

#[test]
fn relations_are_of_the_user_of_the_memories_beside_them() {
    let memory = |user: &str| json!({ "id": user, "memory": format!("{user} runs"), "user_id": user });
    let relations = json!([{ "source": "ines", "relationship": "owns", "target": "pip" }]);
    let desk = Desk::new();
    desk.bring_text("mem0", json!({ "results": [memory("ines")], "relations": relations }).to_string());
    assert_eq!(desk.fact("pip")["user_id"], "ines");
    let desk = Desk::new();
    let both = json!({ "results": [memory("ines"), memory("ben")], "relations": relations });
    let brought = desk.bring_text("mem0", both.to_string());
    assert!(brought.said.contains("not clear whose this is"), "{}", brought.said);
    assert_eq!(desk.facts().len(), 2);
}

#[test]
fn the_memory_of_another_user_can_be_looked_at() {
    let desk = Desk::new();
    let record = json!({ "id": 1, "subject": "home city", "value": "Porto", "user_id": "zoe", "agent_id": "a", "created": "2024-01-01" });
    desk.bring_text("jsonl", record.to_string());
    let of_zoe = ["--user", "zoe", "--agent", "a"];
    for command in [
        &["list"][..],
        &["list", "--as-of", "2025-01-01"],
        &["history", "home city"],
        &["recall", "--as-of", "2025-01-01", &says("home city", "Porto")],
    ] {
        assert!(desk.0.svc(&[command, &of_zoe].concat()).contains("Porto"), "{command:?}");
        assert!(!desk.0.svc(command).contains("• home city = Porto"), "{command:?}");
    }
}
