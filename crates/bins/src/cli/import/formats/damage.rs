//! Whatever is cut out of a file: what it did not say before is not taken, and what is not taken is named.

use super::{File, Format};
use crate::cli::import::record::Reading;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Looks like a record of each form, and is none.
fn trap(n: usize) -> Value {
    let hidden = format!("hidden {n}");
    json!({
        "id": hidden, "uuid": hidden, "memory": hidden, "content": hidden, "text": hidden, "subject": hidden,
        "value": hidden, "name": hidden, "summary": hidden, "label": hidden, "conversations_memory": hidden,
        "results": [{ "id": hidden, "memory": hidden, "list": [{ "content": hidden, "text": hidden }] }],
    })
}

fn many(record: impl Fn(usize) -> Value) -> Value {
    (0..6).map(record).collect()
}

fn files() -> Vec<(Format, Value)> {
    let fact = |n: usize| json!({ "id": n, "subject": format!("s{n}"), "value": "a \"{b}, [c]: d\"", "metadata": trap(n) });
    let memory =
        |n: usize| json!({ "id": n, "metadata": trap(n), "memory": format!("It is {n}, not {{1}}.") });
    let content = |n: usize| json!({ "id": n, "metadata": trap(n), "content": format!("It is {n}."), "state": "active" });
    let named = |n: usize| json!({ "id": n, "name": format!("name {n}") });
    let node =
        |n: usize| json!({ "uuid": n, "name": "n", "summary": format!("It is {n}."), "attributes": trap(n) });
    let edge = |n: usize| json!({ "uuid": n + 10, "source_node_uuid": "a", "name": "IS", "fact": format!("It is {n}.") });
    let block =
        |n: usize| json!({ "id": n, "label": "human", "value": format!("It is {n}."), "metadata": trap(n) });
    let passage = |n: usize| json!({ "id": n, "text": format!("Was {n}."), "metadata": trap(n) });
    let entity = |n: usize| json!({ "name": format!("e{n}"), "entityType": "x", "observations": ["a", "b"] });
    let relation = |n: usize| json!({ "from": format!("e{n}"), "to": "e0", "relationType": "knows" });
    vec![
        (Format::Jsonl, many(fact)),
        (Format::Jsonl, json!({ "exported": "now", "records": many(fact), "receipts": many(trap) })),
        (Format::Mem0, json!({ "results": many(memory), "next": null })),
        (Format::Mem0, many(memory)),
        (
            Format::Openmemory,
            json!({
                "user": { "id": "u", "user_id": "ana" }, "apps": many(named), "categories": many(named),
                "memories": many(content), "status_history": many(|n| json!({ "id": n, "memory_id": n })),
                "access_controls": many(trap),
            }),
        ),
        (Format::Graphiti, json!({ "episodes": many(trap), "nodes": many(node), "edges": many(edge) })),
        (Format::Letta, json!({ "agents": [], "blocks": many(block), "messages": many(trap) })),
        (Format::Letta, many(passage)),
        (Format::McpMemory, json!({ "entities": many(entity), "relations": many(relation) })),
        (Format::Chatgpt, json!({ "memories": many(content) })),
        (Format::Claude, many(|n| json!({ "conversations_memory": format!("It is {n}."), "x": trap(n) }))),
    ]
}

/// On one line, one item a line, and with a line for everything.
fn layouts(file: &Value) -> Vec<String> {
    let lines = |items: &Vec<Value>| {
        let items: Vec<String> = items.iter().map(Value::to_string).collect();
        format!("[\n{}\n]", items.join(",\n"))
    };
    let by_line = match file {
        Value::Array(items) => lines(items),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match value {
                Value::Array(items) => format!("\"{name}\": {}", lines(items)),
                other => format!("\"{name}\": {other}"),
            };
            format!("{{\n{}\n}}", fields.iter().map(field).collect::<Vec<_>>().join(",\n"))
        }
        other => other.to_string(),
    };
    vec![file.to_string(), by_line, serde_json::to_string_pretty(file).unwrap()]
}

fn read(from: Format, text: &str) -> Reading {
    let file = File { path: "old".into(), inside: "old".into(), name: "old".into(), text: text.to_owned() };
    let mut reading = Reading::default();
    from.read(&mut std::iter::once(file), &mut reading);
    reading
}

/// What each record says, with its line.
fn said(reading: &Reading) -> BTreeMap<(String, String), usize> {
    let said = |record: &crate::cli::import::record::Record| {
        (record.id.clone(), record.text.clone().unwrap_or_else(|| record.value.clone()))
    };
    reading.records.iter().map(|record| (said(record), record.place.line)).collect()
}

/// The lines that are named as not read.
fn unread(reading: &Reading) -> Vec<(usize, usize)> {
    let number =
        |text: &str| text.split(' ').next().unwrap().trim_end_matches([')', ':']).parse::<usize>().unwrap();
    let lines = |unread: &crate::cli::import::record::Unread| {
        let own = unread.place.line;
        let first =
            ["; lines ", "; line ", "begins in line "].iter().find_map(|mark| unread.why.split_once(mark));
        let first = first.map_or(own, |(_, rest)| number(rest));
        let last = unread.why.split_once("; lines ").and_then(|(_, rest)| rest.split_once(" to "));
        (first.min(own), last.map_or(own, |(_, rest)| number(rest)).max(own))
    };
    reading.unread.iter().map(lines).collect()
}

/// Cuts some bytes out of a file, at as many places, unless what is left is whole again.
fn check(from: Format, text: &str, cuts: &[(usize, usize)]) {
    let whole = said(&read(from, text));
    let mut damaged = text.to_owned();
    let mut gone: Vec<(usize, usize)> = Vec::new();
    for (at, bytes) in cuts {
        let start = at % damaged.len();
        let end = (start + 1 + bytes).min(damaged.len());
        damaged.drain(start..end);
        gone.push((start, end));
    }
    if damaged.trim().is_empty() || serde_json::from_str::<Value>(&damaged).is_ok() {
        return;
    }
    let reading = read(from, &damaged);
    let (taken, unread) = (said(&reading), unread(&reading));
    for record in taken.keys() {
        // Of several cuts, one may leave a record whole that says less.
        let is_known = whole.contains_key(record) || (cuts.len() > 1 && !record.1.contains("hidden"));
        assert!(is_known, "{from:?} {cuts:?}: {record:?} was not said in\n{damaged}");
    }
    assert!(!unread.is_empty(), "{from:?} {cuts:?}: nothing is named in\n{damaged}");
    let [(start, end)] = gone.as_slice() else { return };
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    for (record, line) in whole.iter().filter(|(record, _)| !taken.contains_key(*record)) {
        let begins = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
        let begins = begins + text[begins..].find('{').unwrap();
        let mut object = serde_json::Deserializer::from_str(&text[begins..]).into_iter::<Value>();
        object.next();
        let ends = begins + object.byte_offset();
        let now = match () {
            () if ends <= *start => *line,
            () if begins >= *end => line - (line_of(*end) - line_of(*start)),
            () => continue,
        };
        let is_named = unread.iter().any(|(first, last)| (*first..=*last).contains(&now));
        assert!(is_named, "{from:?} {cuts:?}: {record:?} of line {now} is gone from\n{damaged}\n{unread:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_cut_adds_nothing_and_loses_nothing_unnamed(at in any::<usize>(), bytes in prop_oneof![0..4_usize, 0..60_usize, 0..2000_usize]) {
        for (from, file) in files() {
            for text in layouts(&file) {
                check(from, &text, &[(at, bytes)]);
            }
        }
    }

    #[test]
    fn some_cuts_add_nothing(cuts in proptest::collection::vec((any::<usize>(), 0..3_usize), 2..5)) {
        // Graphiti's episodes are known by nothing but the name of their list, which one of the cuts may change.
        for (from, file) in files().into_iter().filter(|(from, _)| *from != Format::Graphiti) {
            for text in layouts(&file) {
                check(from, &text, &cuts);
            }
        }
    }
}
