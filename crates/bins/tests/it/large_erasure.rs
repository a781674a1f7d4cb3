//! Erasing more than one transaction should take: others are served meanwhile, and nobody sees half of it.

use crate::support::http::{headers, request};
use crate::support::{Cell, Deployment, Mcp, Model, PATIENCE, amount, random};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const PER_STATEMENT: usize = 64;
/// Several pieces, and few enough to be told quickly.
const FACTS: usize = 10 * PER_STATEMENT;
const VALUE: &str = "kittiwake";

/// Statements that tell so many facts of a user between them. No model has to read them.
fn statements(user: &str, facts: usize) -> Vec<Value> {
    let statement = |first: usize| {
        let fact = |n: usize| json!({ "subject": format!("item {n}"), "value": format!("{VALUE} {n}") });
        let facts: Vec<Value> = (first..first + PER_STATEMENT).map(fact).collect();
        json!({ "user_id": user, "text": format!("What {VALUE}s do, from {first} on"), "facts": facts })
    };
    (0..facts).step_by(PER_STATEMENT).map(statement).collect()
}

fn decision(user: &str) -> Value {
    json!({ "user_id": user, "action_summary": format!("Feed {VALUE} 1"), "question": "item 1?" })
}

fn number(deployment: &Deployment, query: &str) -> i64 {
    deployment.sql().cell(query).integer()
}

/// Waits until the erasure has come so far; it may be over by then.
fn wait_for_progress(deployment: &Deployment, done: i64) {
    let sql = deployment.sql();
    let deadline = Instant::now() + PATIENCE;
    let mut seen = false;
    loop {
        match sql.rows("SELECT done FROM erasure").first().map(|row| row[0].integer()) {
            Some(now) if now >= done => return,
            None if seen => return,
            now => seen |= now.is_some(),
        }
        assert!(Instant::now() < deadline, "no erasure begins");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Nothing of the erased is left in any row, and one receipt says so.
fn check_erased(deployment: &Deployment, process: &Mcp, user: &str, decision: i64) {
    let list = process.call("list_memories", &json!({ "user_id": user }));
    assert_eq!(list, "(no memories yet)");
    for table in ["fact", "statement", "statement_text", "vector", "erasure"] {
        assert_eq!(number(deployment, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(number(deployment, "SELECT count(*) FROM space WHERE erasing IS NOT NULL"), 0);
    assert_eq!(number(deployment, "SELECT count(*) FROM belief WHERE disclosure IS NOT NULL"), 0);
    let receipts = deployment.sql().rows("SELECT id FROM receipt WHERE kind = 'erasure_receipt'");
    let [row] = receipts.as_slice() else { panic!("{receipts:?}") };
    let verdict = process.call("verify_receipt", &json!({ "receipt_id": row[0].integer() }));
    assert!(verdict.contains(&format!("{FACTS} fact(s)")) && verdict.contains("✓ VALID"), "{verdict}");
    let explained = process.call("explain_decision", &json!({ "decision_id": decision, "user_id": user }));
    assert!(!explained.contains(VALUE) && explained.contains("receipt verified"), "{explained}");
    let log = process.call("audit_log", &json!({ "user_id": user, "limit": 1000, "action": "delete_all" }));
    assert_eq!(log.lines().filter(|line| line.contains("  delete_all  ")).count(), 1, "{log}");
    process.intact();
}

#[test]
fn others_are_served_between_the_pieces_of_an_erasure() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0").with_seats(9);
    let (_, key) = deployment.principal("admin", &[]);
    let (_, other) = deployment.principal("other", &["--tenant", "acme"]);
    let server = deployment.serve();
    let facts = amount(FACTS, 32 * PER_STATEMENT);
    let mut client = server.client(&key);
    for statement in statements("ann", facts) {
        client.call("remember", &statement);
    }
    for _ in 0..amount(3, 200) {
        client.call("record_decision", &decision("ann"));
    }
    let over = AtomicBool::new(false);
    let (served, seen) = std::thread::scope(|scope| {
        let erasing = scope.spawn(|| {
            let said = server.client(&key).call("delete_all", &json!({ "user_id": "ann" }));
            over.store(true, Ordering::SeqCst);
            said
        });
        wait_for_progress(&deployment, 0);
        let reading = scope.spawn(|| client.call("list_memories", &json!({ "user_id": "ann" })));
        let mut other = server.client(&other);
        let mut served = 0;
        loop {
            let fact = json!([{ "subject": format!("call {served}"), "value": "made" }]);
            let said = other.call("remember", &json!({ "text": format!("call {served}"), "facts": fact }));
            assert!(said.starts_with("Stored: [ADD]"), "{said}");
            if over.load(Ordering::SeqCst) {
                break;
            }
            served += 1;
        }
        let said = erasing.join().unwrap();
        assert!(said.contains(&facts.to_string()) && said.contains("receipt #"), "{said}");
        (served, reading.join().unwrap())
    });
    assert!(served >= 3, "another tenant had {served} answers while {facts} facts were erased");
    // A reader of the same memory sees all of the erasure, and not half.
    assert_eq!(seen, "(no memories yet)");
}

#[test]
fn an_erasure_that_was_killed_is_finished() {
    let model = Model::start();
    for _ in 0..amount(3, 20) {
        let deployment = Deployment::new(&model);
        let process = deployment.start();
        for statement in statements("ann", FACTS) {
            process.call("remember", &statement);
        }
        let decided = crate::support::id(&process.call("record_decision", &decision("ann")));
        let begun = process.send("delete_all", &json!({ "user_id": "ann" }));
        wait_for_progress(&deployment, i64::try_from(random(FACTS as u64)).unwrap());
        process.kill();
        drop(begun.outcome());
        let process = deployment.start();
        check_erased(&deployment, &process, "ann", decided);
        // Nobody needs to ask for it: a process that starts finishes what is left.
        assert!(process.close().success());
    }
}

#[test]
fn an_erasure_goes_on_when_its_caller_hangs_up() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    for statement in statements("ann", FACTS) {
        client.call("remember", &statement);
    }
    let decided = crate::support::id(&client.call("record_decision", &decision("ann")));
    let params = json!({ "name": "delete_all", "arguments": { "user_id": "ann" } });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut connection = server.connect();
    connection.send(&request("POST", "/mcp", &headers(&key), message.to_string().as_bytes())).unwrap();
    wait_for_progress(&deployment, 0);
    drop(connection);
    let deadline = Instant::now() + PATIENCE;
    while number(&deployment, "SELECT count(*) FROM erasure") > 0 {
        assert!(Instant::now() < deadline, "it does not go on");
        std::thread::sleep(Duration::from_millis(5));
    }
    check_erased(&deployment, &deployment.start(), "ann", decided);
}

#[test]
fn a_large_subject_goes_and_its_neighbours_stay() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    for round in 0..5 {
        let visit = |n: usize| json!({ "subject": "visit", "value": format!("{VALUE} {round} {n}"), "kind": "event" });
        let mut facts: Vec<Value> = (1..PER_STATEMENT).map(visit).collect();
        facts.push(json!({ "subject": format!("city {round}"), "value": "Oslo" }));
        process.call("remember", &json!({ "text": format!("{VALUE}s in round {round}"), "facts": facts }));
    }
    let said = process.call("delete", &json!({ "subject": "visit" }));
    assert!(said.contains("receipt #"), "{said}");
    let export = process.call("export_memory", &json!({}));
    let export: Value = serde_json::from_str(&export).unwrap();
    let records = export["records"].as_array().unwrap();
    assert_eq!(records.len(), 5, "{records:?}");
    assert!(records.iter().all(|record| record["text"] == "(erased)" && record["value"] == "Oslo"));
    assert_eq!(deployment.sql().cell("SELECT count(*) FROM erasure"), Cell::Integer(0));
    // What is told afterwards stays.
    process
        .call("remember", &json!({ "text": "a visit", "facts": [{ "subject": "visit", "value": "today" }] }));
    assert!(process.list().contains("visit = today"), "{}", process.list());
    process.intact();
}
