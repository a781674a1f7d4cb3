//! How `svc import` reads files: whatever is wrong in them is said, with its line, and all the rest is taken.

use crate::support::{Deployment, Model, program};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// An empty memory, and files to bring into it.
pub struct Desk(pub Deployment);

/// What became of an import.
pub struct Brought {
    pub said: String,
    pub error: String,
    /// What the report has on each record.
    pub accounts: Vec<Value>,
}

impl Desk {
    pub fn new() -> Self {
        Self(Deployment::new(&Model::start()))
    }

    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let file = self.0.folder().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, bytes).unwrap();
        file
    }

    /// Brings files of the folder as they are.
    pub fn bring(&self, from: &str, files: &[&str]) -> Brought {
        std::fs::remove_file(self.0.folder().join("report")).ok();
        let mut arguments = vec!["import", "--as-is", "--report", "report", "--from", from];
        arguments.extend(files);
        let output = self.0.run(&program("svc"), &arguments);
        let said = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        let report = std::fs::read_to_string(self.0.folder().join("report")).unwrap_or_default();
        let accounts = report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let is_whole = !error.contains("could not be taken") && !error.contains("The import stopped");
        assert_eq!(output.status.success(), is_whole, "{said}{error}");
        Brought { said, error, accounts }
    }

    pub fn bring_text(&self, from: &str, bytes: impl AsRef<[u8]>) -> Brought {
        self.file("old", bytes);
        self.bring(from, &["old"])
    }

    pub fn facts(&self) -> Vec<Value> {
        let text = self.0.svc(&["export", "--all"]);
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// User and value of each fact, sorted.
    pub fn owners(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let owner = |fact: &Value| (text(&fact["user_id"]), text(&fact["value"]));
        let mut owners: Vec<_> = self.facts().iter().map(owner).collect();
        owners.sort();
        owners
    }

    pub fn fact(&self, value: &str) -> Value {
        let facts = self.facts();
        let found = facts.iter().find(|fact| fact["value"] == value);
        found.unwrap_or_else(|| panic!("{value} not in {facts:?}")).clone()
    }
}

impl Brought {
    /// Line and fate of each record.
    pub fn fates(&self) -> Vec<(i64, &str)> {
        let fate = |account: &'_ Value| account["line"].as_i64().unwrap();
        self.accounts.iter().map(|account| (fate(account), account["fate"].as_str().unwrap())).collect()
    }

    pub fn why(&self, line: i64) -> &str {
        let account = self.accounts.iter().find(|account| account["line"] == line).unwrap();
        account["why"].as_str().unwrap()
    }
}

fn owners(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(user, value)| ((*user).to_owned(), (*value).to_owned())).collect()
}

fn openmemory(user: Option<&str>, memory: &str) -> String {
    let memories = json!([{ "id": memory, "content": memory }]);
    match user {
        Some(user) => json!({ "user": { "user_id": user }, "apps": [], "memories": memories }).to_string(),
        None => json!({ "apps": [], "memories": memories }).to_string(),
    }
}

#[test]
fn an_export_of_openmemory_goes_to_its_own_user() {
    let desk = Desk::new();
    desk.file("alice/memories.json", openmemory(Some("alice"), "has a cat"));
    desk.file("bob/memories.json", openmemory(Some("bob"), "has a dog"));
    let both = desk.bring("openmemory", &["alice/memories.json", "bob/memories.json"]);
    assert_eq!(both.fates(), [(1, "taken"), (1, "taken")]);
    assert_eq!(desk.owners(), owners(&[("alice", "has a cat"), ("bob", "has a dog")]));
    desk.file("nobody.json", openmemory(None, "is shy"));
    let nobody = desk.bring("openmemory", &["alice/memories.json", "nobody.json"]);
    assert_eq!(nobody.fates(), [(1, "unchanged"), (1, "not taken")]);
}

#[test]
fn a_block_of_letta_goes_to_the_agent_of_its_file() {
    let desk = Desk::new();
    for (file, agent, value) in [("a.af", "gardener", "Likes roses."), ("b.af", "cook", "Likes salt.")] {
        let agents = json!([{ "id": "agent-0", "name": agent, "block_ids": ["block-0"] }]);
        let blocks = json!([{ "id": "block-0", "label": "human", "value": value }]);
        desk.file(file, json!({ "agents": agents, "blocks": blocks }).to_string());
    }
    desk.bring("letta", &["a.af", "b.af"]);
    assert_eq!(desk.fact("Likes roses.")["agent_id"], "gardener");
    assert_eq!(desk.fact("Likes salt.")["agent_id"], "cook");
}

#[test]
fn spaces_count_in_ids() {
    let desk = Desk::new();
    let lines = ["bob", "bob ", " bob"].map(|user| {
        json!({ "id": user, "subject": "pet", "value": format!("of '{user}'"), "user_id": user }).to_string()
    });
    desk.bring_text("jsonl", lines.join("\n"));
    let expected = owners(&[(" bob", "of ' bob'"), ("bob", "of 'bob'"), ("bob ", "of 'bob '")]);
    assert_eq!(desk.owners(), expected);
    let table = Desk::new();
    table.bring_text("csv", "subject,value,user_id\npet, a cat ,bob \npet,a dog,bob\n");
    assert_eq!(table.owners(), owners(&[("bob", "a dog"), ("bob ", "a cat")]));
}

#[test]
fn a_field_of_the_wrong_kind_is_not_passed_over() {
    let desk = Desk::new();
    let with = |name: &str, value: Value| {
        let mut record = json!({ "id": name, "subject": name, "value": "x" });
        record[name] = value;
        record.to_string()
    };
    let lines = [
        with("user_id", json!({ "id": "bob" })),
        with("agent_id", json!(["a"])),
        with("run_id", json!(true)),
        with("scope", json!(["home"])),
        with("source", json!({ "name": "ana" })),
        with("confidence", json!("very")),
        with("pending", json!("yes")),
        with("refined_from", json!("before")),
        with("user_id", Value::Null),
        with("metadata", json!("a note")),
        with("user_id", json!(7)),
    ];
    let brought = desk.bring_text("jsonl", lines.join("\n"));
    let expected: Vec<(i64, &str)> =
        (1..=11).map(|line| (line, if line <= 8 { "not taken" } else { "taken" })).collect();
    assert_eq!(brought.fates(), expected);
    assert_eq!(brought.why(1), "'user_id' is {\"id\":\"bob\"}, which is not a text");
    assert_eq!(desk.owners(), owners(&[("7", "x"), ("default", "x"), ("default", "x")]));
    let metadata = |fact: &Value| fact["metadata"]["metadata"].as_str().map(str::to_owned);
    assert!(desk.facts().iter().filter_map(metadata).eq(["a note".to_owned()]));
    let memory = |user: Value| json!({ "id": "m", "memory": "is tall", "user_id": user });
    let mem0 = Desk::new().bring_text("mem0", json!({ "results": [memory(json!({}))] }).to_string());
    assert_eq!(mem0.fates(), [(1, "not taken")]);
}

#[test]
fn a_time_that_cannot_be_read_is_not_dropped() {
    let bad = "sometime in 2021";
    let edge = json!({ "uuid": "1", "source_node_uuid": "a", "name": "KNOWS", "fact": "f", "invalid_at": "31/12/2022" });
    let event = json!({ "memory_id": "m", "event": "DELETE", "old_memory": "x", "updated_at": bad });
    for (from, text) in [
        ("jsonl", json!({ "text": "x", "created": "2024" }).to_string()),
        ("jsonl", json!({ "text": "x", "created": 2024 }).to_string()),
        ("jsonl", json!({ "text": "x", "created": "2024-03-05T10:00:00[America/New_York]" }).to_string()),
        ("mem0", json!({ "id": "1", "memory": "x", "created_at": bad }).to_string()),
        ("mem0", json!([event]).to_string()),
        ("openmemory", json!({ "id": "1", "content": "x", "created_at": bad }).to_string()),
        ("graphiti", edge.to_string()),
        ("letta", json!({ "id": "1", "text": "x", "created_at": bad }).to_string()),
        ("letta", json!({ "id": "1", "label": "l", "value": "x", "created_at": bad }).to_string()),
        ("obsidian", format!("---\ndate: {bad}\n---\nSome words.\n")),
        ("chatgpt", json!([{ "content": "x", "created_at": bad }]).to_string()),
        ("chatgpt", format!("[{bad}] - Some words.\n")),
    ] {
        let desk = Desk::new();
        let brought = desk.bring_text(from, &text);
        assert!(brought.accounts.iter().all(|account| account["fate"] == "not taken"), "{text}");
        assert!(brought.said.contains("not a time such as"), "{text}: {}", brought.said);
        assert!(desk.facts().is_empty(), "{text}");
    }
}

#[test]
fn a_year_is_no_moment() {
    let desk = Desk::new();
    assert!(desk.0.svc_refuses(&["list", "--as-of", "2024"]).contains("2026-11-18T12:00:00Z"));
}

#[test]
fn a_mark_at_the_start_of_a_file_costs_no_record() {
    let line = |n: i64| json!({ "subject": format!("s{n}"), "value": "x" }).to_string();
    let jsonl = (1..=3).map(line).collect::<Vec<_>>().join("\n");
    let note = "---\ndate: 2025-03-02\n---\nThe ferry leaves at seven.\n";
    for (from, text, records) in [
        ("jsonl", jsonl.as_str(), 3),
        ("csv", "subject,value\ns,x\n", 1),
        ("chatgpt", "[2025-01-01] - Runs.\n", 1),
        ("chatgpt", "[{\"content\": \"Runs.\"}]", 1),
        ("obsidian", note, 1),
    ] {
        let desk = Desk::new();
        let brought = desk.bring_text(from, format!("\u{feff}{text}"));
        assert_eq!(desk.facts().len(), records, "{from}: {}", brought.said);
    }
}

#[test]
fn a_field_in_quotes_holds_commas_quotes_and_line_breaks() {
    for line_end in ["\n", "\r\n", "\r"] {
        let desk = Desk::new();
        let table =
            "subject,value\na,\"x, \"\"y\"\"\"\nb,\"two\nlines\" \n\nlast,z\n".replace('\n', line_end);
        let brought = desk.bring_text("csv", table);
        assert_eq!(brought.fates(), [(2, "taken"), (3, "taken"), (6, "taken")], "{line_end:?}");
        for value in ["x, \"y\"", "two lines", "z"] {
            desk.fact(value);
        }
    }
}

#[test]
fn a_table_holds_all_that_a_line_does() {
    let desk = Desk::new();
    let until = "2024-01-01T00:00:00Z";
    let row = format!(
        "pet,a cat,\"{{\"\"ticket\"\": 71}}\",\"[{{\"\"value\"\": \"\"a kitten\"\", \"\"until\"\": \"\"{until}\"\"}}]\",2023-01-01"
    );
    let table =
        format!("subject,value,metadata,refined_from,created\n{row}\ncar,none,a word,,\ncar,two,,a word,\n");
    let brought = desk.bring_text("csv", table);
    assert_eq!(brought.fates(), [(2, "taken"), (3, "taken"), (4, "not taken")]);
    let cat = desk.fact("a cat");
    assert_eq!(cat["metadata"]["ticket"], 71);
    assert_eq!(cat["refined_from"], json!([{ "value": "a kitten", "until": until }]));
    assert_eq!(desk.fact("none")["metadata"]["metadata"], "a word");
}

#[test]
fn a_link_in_a_folder_is_not_followed() {
    let desk = Desk::new();
    for name in ["notes/a.md", "notes/sub/b.MD", "notes/c.markdown", "elsewhere/d.md"] {
        desk.file(name, format!("What {name} says.\n"));
    }
    desk.file("notes/photo.png", "no text");
    desk.file("notes/.obsidian/app.md", "no note");
    let notes = desk.0.folder().join("notes");
    symlink(".", notes.join("self")).unwrap();
    symlink("..", notes.join("sub/up")).unwrap();
    symlink("../elsewhere/d.md", notes.join("d.md")).unwrap();
    symlink("sub/b.MD", notes.join("e.md")).unwrap();
    symlink("nowhere.md", notes.join("gone.md")).unwrap();
    let brought = desk.bring("obsidian", &["notes"]);
    let files: Vec<(&str, &str)> = brought
        .accounts
        .iter()
        .map(|account| (account["file"].as_str().unwrap(), account["fate"].as_str().unwrap()))
        .collect();
    let expected = [("notes/a.md", "taken"), ("notes/c.markdown", "taken"), ("notes/sub/b.MD", "taken")];
    assert_eq!(files, expected);
    assert!(!desk.facts().iter().any(|fact| fact.to_string().contains("elsewhere")));
    let passed = "Passed over in folders: 7.";
    assert!(brought.said.contains(passed), "{}", brought.said);
}

#[test]
fn an_import_that_stops_reports_how_far_it_came() {
    let desk = Desk(Deployment::new(&Model::start()).with("SVC_QUOTA_TENANT_FACTS", "120"));
    let line = |n: i64| json!({ "id": n, "subject": format!("shelf {n}"), "value": "x" }).to_string();
    let brought = desk.bring_text("jsonl", (1..=250).map(line).collect::<Vec<_>>().join("\n"));
    let count = |fate: &str| brought.accounts.iter().filter(|account| account["fate"] == fate).count();
    assert_eq!((count("taken"), count("not reached")), (100, 150), "{}", brought.said);
    assert!(
        brought.said.contains("100 taken, 0 unchanged, 0 not taken, 150 not reached."),
        "{}",
        brought.said
    );
    assert!(brought.error.contains("SVC_QUOTA_TENANT_FACTS"), "{}", brought.error);
}

#[test]
fn what_a_file_says_cannot_steer_the_terminal() {
    let line = json!({ "subject": "s", "value": "x", "status": "\u{1b}]0;pwn\u{7}" }).to_string();
    let brought = Desk::new().bring_text("jsonl", line);
    assert!(brought.said.contains("]0;pwn"), "{}", brought.said);
    assert!(!brought.said.contains(['\u{1b}', '\u{7}']), "{:?}", brought.said);
}

#[test]
fn every_line_of_a_chat_is_accounted_for() {
    let desk = Desk::new();
    let list = "# Memories\n\n#1 fan of FC Porto\n[Lisbon] is home\n[unknown] - Likes tea\n";
    let brought = desk.bring_text("chatgpt", list);
    assert_eq!(brought.fates(), [(3, "taken"), (4, "taken"), (5, "taken")]);
    for value in ["#1 fan of FC Porto", "[Lisbon] is home", "Likes tea"] {
        desk.fact(value);
    }
    let projects = json!({ "a": { "memory": "x" }, "b": "The catalogue is due." });
    let claude = json!([{ "conversations_memory": ["y"], "project_memories": projects }]);
    let brought = Desk::new().bring_text("claude", claude.to_string());
    assert_eq!(brought.fates(), [(1, "not taken")]);
}

#[test]
fn the_history_of_mem0_may_come_back_to_a_value() {
    let desk = Desk::new();
    let event = |memory: &str, event: &str, old: &str, new: &str, at: &str| {
        json!({
            "memory_id": memory, "event": event, "old_memory": Some(old).filter(|old| !old.is_empty()),
            "new_memory": Some(new).filter(|new| !new.is_empty()), "updated_at": Some(at).filter(|at| !at.is_empty()),
        })
    };
    let history = json!([
        // A deletion is written without a time, and so comes first in mem0's own order.
        event("d", "DELETE", "Is learning Danish", "", ""),
        event("d", "ADD", "", "Is learning Danish", "2020-01-01"),
        event("m", "ADD", "", "Porto", "2020-01-01"),
        event("m", "UPDATE", "Porto", "Lisbon", "2021-01-01"),
        event("m", "UPDATE", "Lisbon", "Lisbon", "2022-01-01"),
        event("m", "UPDATE", "Lisbon", "Porto", "2023-01-01"),
        { "id": "m", "memory": "Porto", "created_at": "2020-01-01" },
    ]);
    desk.bring_text("mem0", history.to_string());
    let before = json!([
        { "value": "Porto", "until": "2021-01-01T00:00:00Z" },
        { "value": "Lisbon", "until": "2023-01-01T00:00:00Z" },
    ]);
    assert_eq!(desk.fact("Porto")["refined_from"], before);
    assert_ne!(desk.fact("Is learning Danish")["status"], "ACTIVE");
}

#[test]
fn an_empty_memory_is_no_damage() {
    for (from, text) in [
        ("jsonl", ""),
        ("jsonl", "[]"),
        ("csv", ""),
        ("csv", "subject,value\n"),
        ("mem0", "{\"results\": []}"),
        ("claude", "[{\"conversations_memory\": \"\", \"project_memories\": {}}]"),
    ] {
        let brought = Desk::new().bring_text(from, text);
        assert!(brought.said.starts_with(&format!("0 records of {from}: 0 taken")), "{}", brought.said);
    }
    let desk = Desk::new();
    desk.file("old", "{\"memories\": [\"a\"]}");
    let wrong = desk.0.svc_refuses(&["import", "--from", "mem0", "old"]);
    assert!(wrong.contains("in the form that was named"), "{wrong}");
}
