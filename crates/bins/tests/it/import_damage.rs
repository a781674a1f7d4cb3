//! Damaged files, and files without an end: none of them is read in part.

use crate::import_files::Desk;
use serde_json::json;

impl Desk {
    fn refuses(&self, from: &str, bytes: impl AsRef<[u8]>) -> String {
        self.file("old", bytes);
        let said = self.0.svc_refuses(&["import", "--from", from, "old"]);
        assert!(said.contains("Nothing was imported."), "{said}");
        said
    }
}

#[test]
fn a_damaged_file_is_refused_with_the_place_of_the_damage() {
    let desk = Desk::new();
    let line = |n: i64| json!({ "id": n, "subject": format!("s{n}"), "value": "x" }).to_string();
    let (one, three) = (line(1), line(3));
    let memories =
        "{\"results\": [\n  {\"id\": \"1\", \"memory\": \"a\"},\n  {\"id\": \"2\" \"memory\": \"b\"}\n]}";
    let brackets = "[".repeat(200_000);
    for (from, text, place) in [
        ("jsonl", format!("{one}\n{{\"id\": 2, \"subj\n{three}\n"), "line 2, column 15"),
        ("jsonl", format!("{one}\n{{\"id\": 2, \"subject\": \"a\"\n{three}\n"), "line 2, column 24"),
        ("jsonl", format!("{one}\nnonsense\n"), "line 2, column 2"),
        ("mem0", memories.to_owned(), "line 3, column 14"),
        ("mem0", memories.replace("]}", ""), "line 3"),
        ("mem0", brackets, "line 1, column 128"),
        ("csv", "subject,value\na,1\nb,\"2\n".to_owned(), "line 3, column 3"),
        ("csv", "subject,value\na,1\nb\n".to_owned(), "the row has 1 fields, and the header 2, at line 3"),
        ("csv", "id,value,value\n1,a,b\n".to_owned(), "the header names 'value' twice at line 1"),
    ] {
        let said = desk.refuses(from, &text);
        assert!(said.contains("old cannot be read") && said.contains(place), "{from} {place}: {said}");
    }
    assert!(desk.facts().is_empty());
}

#[test]
fn what_is_not_utf8_is_refused() {
    for from in ["jsonl", "csv", "chatgpt", "obsidian"] {
        let said = Desk::new().refuses(from, b"One.\n\nJos\xe9.\n");
        assert!(said.contains("line 3 is not UTF-8"), "{from}: {said}");
    }
}

#[test]
fn what_is_too_large_or_too_deep_is_not_read_to_its_end() {
    let desk = Desk::new();
    let endless = desk.0.svc_refuses(&["import", "--from", "jsonl", "/dev/zero"]);
    assert!(endless.contains("256 MiB") && endless.contains("Nothing was imported."), "{endless}");
    let nested = |depth: usize| format!("{}1{}", "{\"results\": [".repeat(depth), "]}".repeat(depth));
    let wide = |depth: usize| format!("[{}]", vec![nested(depth); 300].join(","));
    for (text, why) in [(wide(20), "too deep within other objects"), (nested(50_000), "recursion limit")] {
        let began = std::time::Instant::now();
        let said = desk.refuses("mem0", &text);
        assert!(said.contains(why) && began.elapsed().as_secs() < 20, "{said} {:?}", began.elapsed());
    }
}

#[test]
fn a_record_that_cannot_be_taken_fails_the_command() {
    let desk = Desk::new();
    desk.file("old", json!({ "id": 1, "subject": "s".repeat(300), "value": "v" }).to_string());
    let refused = desk.0.svc_refuses(&["import", "--from", "jsonl", "old"]);
    assert!(refused.contains("1 record could not be taken"), "{refused}");
    // What the rules judge is no failure.
    let value = |value: &str| json!({ "id": value, "subject": "home city", "value": value }).to_string();
    desk.file("new", [value("Porto"), value("Porto"), value("Lisbon")].join("\n"));
    desk.0.svc(&["import", "--from", "jsonl", "new"]);
    desk.0.svc(&["import", "--from", "jsonl", "--as-is", "new"]);
}

#[test]
fn a_report_replaces_no_file() {
    let desk = Desk::new();
    let line = json!({ "subject": "pet", "value": "a cat" }).to_string();
    desk.file("old", &line);
    for report in ["old", "svc.db", "missing/report"] {
        let refused = desk.0.svc_refuses(&["import", "--from", "jsonl", "old", "--report", report]);
        assert!(refused.contains("cannot be made"), "{refused}");
    }
    assert_eq!(std::fs::read_to_string(desk.0.folder().join("old")).unwrap(), line);
    assert!(desk.facts().is_empty(), "nothing is brought before the report can be written");
}
