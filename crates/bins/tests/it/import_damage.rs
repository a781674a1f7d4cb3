//! Damaged files: the rest is read, what is not read is named, and nothing is taken for what it is not.

use crate::import_files::Desk;
use serde_json::{Value, json};

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

fn openmemory() -> String {
    let memory = |n: usize| json!({ "id": format!("m{n}"), "content": format!("Server {n} is up."), "category_ids": ["c"] });
    let memories: Value = (0..10).map(memory).collect();
    pretty(&json!({ "user": { "user_id": "ana" }, "apps": [], "memories": memories, "status_history": [] }))
}

fn without_line(text: &str, n: usize) -> String {
    let lines = text.lines().zip(1..).filter(|(_, line)| *line != n).map(|(line, _)| line);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_behind_a_missing_bracket_is_read() {
    let whole = openmemory();
    let close = whole.lines().zip(1..).filter(|(line, _)| *line == "    },").nth(2).unwrap().1;
    let desk = Desk::new();
    let brought = desk.bring_text("openmemory", without_line(&whole, close));
    assert!(
        brought.said.contains("10 records of openmemory: 9 taken, 0 unchanged, 1 not taken"),
        "{}",
        brought.said
    );
    let begins = close - 6;
    let named = format!(
        "old:{close}  not taken: the JSON is damaged here: expected `,` or `}}`; lines {begins} to {} are not read",
        close - 1
    );
    assert!(brought.said.contains(&named), "{}", brought.said);
    let facts = desk.facts();
    assert!(
        facts.iter().all(|fact| fact["value"] != "Server 2 is up." && fact["user_id"] == "ana"),
        "{facts:?}"
    );

    let record = |n: usize| json!({ "id": n, "subject": format!("s{n}"), "value": "v", "metadata": { "a": { "b": 1 } } });
    let list = pretty(&(0..10).map(record).collect::<Value>());
    let inner = list.lines().position(|line| line.trim() == "\"a\": {").unwrap() + 1;
    let cut: Vec<&str> = list
        .lines()
        .zip(1..)
        .filter(|(_, n)| !(inner..inner + 4).contains(n))
        .map(|(line, _)| line)
        .collect();
    let brought = Desk::new().bring_text("jsonl", cut.join("\n"));
    assert!(
        brought.said.contains("10 records of jsonl: 9 taken, 0 unchanged, 1 not taken"),
        "{}",
        brought.said
    );
}

#[test]
fn two_records_that_were_run_together_are_damage() {
    let whole = openmemory();
    let content = whole.lines().position(|line| line.contains("Server 3")).unwrap() + 1;
    let mut text = whole;
    // From the content of one memory to the brace of the next.
    for _ in 0..6 {
        text = without_line(&text, content);
    }
    let desk = Desk::new();
    let brought = desk.bring_text("openmemory", text);
    assert!(brought.said.contains("9 records of openmemory: 8 taken"), "{}", brought.said);
    assert!(brought.said.contains("the name 'id' is there twice in one object"), "{}", brought.said);
}

#[test]
fn what_is_inside_a_damaged_record_is_no_record() {
    let memory = |n: usize| json!({ "id": format!("d{n}"), "created_at": "2025-01-01", "memory": format!("Server {n} is up."), "metadata": { "memory": format!("hidden {n}") } });
    let whole = pretty(&json!({ "results": (0..12).map(memory).collect::<Value>() }));
    let damaged = whole.replace("\"Server 6 is up.\",", "\"oops");
    let line = damaged.lines().position(|line| line.contains("oops")).unwrap() + 1;
    let desk = Desk::new();
    let brought = desk.bring_text("mem0", damaged);
    assert!(
        brought.said.contains("12 records of mem0: 11 taken, 0 unchanged, 1 not taken"),
        "{}",
        brought.said
    );
    let begins = line - 3;
    let named = brought.why(line as i64);
    assert!(
        named.contains("the JSON is damaged here") && named.contains(&format!("begins in line {begins}")),
        "{named}"
    );
    assert!(desk.facts().iter().all(|fact| !fact["value"].as_str().unwrap().contains("hidden")));
}

#[test]
fn every_damaged_line_is_named() {
    let lines = [
        r#"{"id":"a","subject":"x","value":"1"}"#,
        r#"{"id":"b","subject":"y","value":"2","metadata":{"subject":"evil","value":"evil"}, broken"#,
        r#"{"id":"c","subject":"z" "value":"3"}"#,
        r#"[{"id":"d","subject":"w","value":"4"}]"#,
        r#"{"id":"e","subject":"q","value":"5"}{"id":"f","subject":"r","value":"6"}"#,
        r#"{"id":"g","subject":"t","value":"7""#,
    ];
    let brought = Desk::new().bring_text("jsonl", lines.join("\n"));
    let expected = [
        (1, "taken"),
        (2, "not taken"),
        (3, "not taken"),
        (4, "not taken"),
        (5, "taken"),
        (5, "taken"),
        (6, "not taken"),
    ];
    assert_eq!(brought.fates(), expected, "{}", brought.said);
}

#[test]
fn a_table_with_a_name_twice_is_not_taken() {
    let desk = Desk::new();
    let brought = desk.bring_text("csv", "id,subject,value,created,value\n1,office,Rome,2025-01-01,Milan\n");
    assert_eq!(brought.fates(), [(1, "not taken")]);
    assert!(brought.why(1).contains("the header names 'value' twice"), "{}", brought.said);
}

#[test]
fn a_record_that_cannot_be_taken_fails_the_command() {
    let desk = Desk::new();
    desk.file("old", json!({ "id": 1, "subject": "s".repeat(300), "value": "v" }).to_string());
    let refused = desk.0.svc_refuses(&["import", "--from", "jsonl", "old"]);
    assert!(refused.contains("1 record could not be read or taken"), "{refused}");
    // What the rules judge is no failure.
    let value = |value: &str| json!({ "id": value, "subject": "home city", "value": value }).to_string();
    desk.file("new", [value("Porto"), value("Porto"), value("Lisbon")].join("\n"));
    desk.0.svc(&["import", "--from", "jsonl", "new"]);
    desk.0.svc(&["import", "--from", "jsonl", "--as-is", "new"]);
}
