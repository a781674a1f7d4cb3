//! A row that does not open is left out, and said to be; everything else goes on.

use crate::support::http::{headers, request};
use crate::support::{Cell, Deployment, Engine, Mcp, Model, Sql, says};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A closed deployment with three facts and a decision, which every test copies.
static SAMPLE: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    for (subject, value) in [("city", "Oslo"), ("budget", "40k"), ("owner", "Dana")] {
        process.remember(&says(subject, value));
    }
    process.call("record_decision", &json!({ "action_summary": "Spend 40k", "question": "How much?" }));
    assert!(process.close().success());
    deployment
});

const MISSING: &str = "⚠ Something is missing here: #2 of this space cannot be read.";

/// Changes one byte of a column.
fn damage(sql: &Sql, column: &str, table: &str, condition: &str) {
    let Cell::Bytes(mut bytes) = sql.cell(&format!("SELECT {column} FROM {table} WHERE {condition}")) else {
        panic!("{table}.{column} holds no bytes");
    };
    *bytes.last_mut().unwrap() ^= 1;
    let value = Cell::Bytes(bytes).literal();
    assert_eq!(sql.change(&format!("UPDATE {table} SET {column} = {value} WHERE {condition}")), 1);
}

/// The sample with its second fact damaged.
fn damaged() -> (Deployment, Mcp) {
    let deployment = SAMPLE.copy();
    damage(&deployment.sql(), "body", "fact", "id = 2");
    let process = deployment.start();
    (deployment, process)
}

#[test]
fn a_damaged_fact_is_missing_and_said_to_be() {
    let (_deployment, process) = damaged();
    let list = process.list();
    assert!(list.contains("city = Oslo") && list.contains("owner = Dana"), "{list}");
    assert!(!list.contains("40k") && list.contains(MISSING), "{list}");
    let shown = process.call("get_memory", &json!({ "memory_id": 2 }));
    assert!(shown.contains(MISSING), "{shown}");
    assert!(process.remember(&says("office", "Bergen")).contains("ADD"));
    let answer = process.call("recall", &json!({ "question": "Who is the owner?" }));
    assert!(answer.contains(MISSING), "{answer}");
    process.intact();
}

#[test]
fn nothing_is_safe_beside_a_damaged_fact() {
    let (_deployment, process) = damaged();
    for subject in ["budget", "city"] {
        let verdict = process.call("check_before_act", &json!({ "subject": subject }));
        assert!(
            verdict.starts_with("BLOCKED") && verdict.contains("cannot be read: #2"),
            "{subject}: {verdict}"
        );
    }
    let withheld = process.call("safe_recall", &json!({ "question": "Who is the owner?" }));
    assert!(withheld.starts_with("WITHHELD") && withheld.contains("#2 is damaged"), "{withheld}");
}

#[test]
fn an_export_counts_what_it_lacks() {
    let (_deployment, process) = damaged();
    let export: Value = serde_json::from_str(&process.call("export_memory", &json!({}))).unwrap();
    assert_eq!((export["records"].as_array().unwrap().len(), &export["unreadable"]), (2, &json!(1)));
}

#[test]
fn a_damaged_fact_can_be_deleted() {
    let (deployment, process) = damaged();
    let deleted = process.call("delete", &json!({ "subject": "budget" }));
    assert!(deleted.starts_with("Deleted 1 fact(s)"), "{deleted}");
    assert!(!process.list().contains("missing"));
    let verdict = process.call("check_before_act", &json!({ "subject": "city" }));
    assert!(verdict.starts_with("SAFE"), "{verdict}");
    assert_eq!(deployment.sql().cell("SELECT count(*) FROM fact").integer(), 2);
    process.intact();
}

#[test]
fn a_space_with_a_damaged_fact_can_be_erased() {
    let (deployment, process) = damaged();
    let deleted = process.call("delete_all", &json!({}));
    assert!(deleted.contains("3 fact(s)"), "{deleted}");
    for table in ["fact", "statement", "statement_text"] {
        assert_eq!(deployment.sql().cell(&format!("SELECT count(*) FROM {table}")).integer(), 0, "{table}");
    }
    process.intact();
}

#[test]
fn a_write_that_needs_a_damaged_fact_says_what_to_do() {
    let (_deployment, process) = damaged();
    let refused = process.remember(&says("budget", "50k"));
    assert!(refused.contains("svc fsck --erase"), "{refused}");
}

#[test]
fn a_damaged_summary_or_policy_stops_nothing() {
    let deployment = SAMPLE.copy();
    let process = deployment.start();
    process.call("set_reconcile_policy", &json!({ "mode": "AUTHORITY" }));
    let sql = deployment.sql();
    damage(&sql, "policy", "space", "id = 1");
    damage(&sql, "summary", "decision", "id = 1");
    let told = |value: &str, source: &str| {
        process.call("remember", &json!({ "text": says("office", value), "source": source }))
    };
    assert!(told("Bergen", "finance").contains("ADD"));
    let changed = told("Tromsø", "sales");
    assert!(changed.contains("FLAG"), "{changed}");
    assert!(process.call("delete", &json!({ "subject": "budget" })).starts_with("Deleted 1 fact(s)"));
}

#[test]
fn the_key_of_a_damaged_principal_is_not_taken() {
    let deployment = SAMPLE.copy();
    let ((_, admin), (id, key)) = (deployment.principal("root", &[]), deployment.principal("ann", &[]));
    damage(&deployment.sql(), "body", "principal", &format!("id = '{id}'"));
    let server = deployment.serve();
    for _ in 0..3 {
        let headers = crate::support::http::headers(&key);
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let answer =
            server.connect().ask(&crate::support::http::request("POST", "/mcp", &headers, body)).unwrap();
        assert_eq!(answer.status, 401, "{answer:?}");
    }
    let log = server.client(&admin).call("audit_log", &json!({}));
    let told = format!("access_denied  user=service  the row of principal {id} is damaged");
    assert_eq!(log.matches(&told).count(), 1, "once a minute: {log}");
}

#[test]
fn a_damaged_principal_hides_no_other() {
    let deployment = SAMPLE.copy();
    let process = deployment.start();
    for name in ["ann", "bob"] {
        process.call("create_principal", &json!({ "name": name }));
    }
    let ids: Vec<String> = deployment
        .sql()
        .rows("SELECT id FROM principal ORDER BY created")
        .iter()
        .map(|row| row[0].text().to_owned())
        .collect();
    damage(&deployment.sql(), "body", "principal", &format!("id = '{}'", ids[0]));
    let list = process.call("list_principals", &json!({}));
    assert!(list.contains("bob") && list.contains(&format!("{}  cannot be read", ids[0])), "{list}");
}

/// Only SQLite lets a column hold something of another kind.
#[test]
fn nor_is_one_whose_row_holds_what_nobody_writes() {
    if crate::ENGINE == Engine::Postgres {
        return;
    }
    let model = Model::start();
    for column in ["created", "expires", "former_until"] {
        let deployment = Deployment::new(&model);
        let (_, root) = deployment.principal("root", &[]);
        let (id, key) = deployment.principal("ann", &[]);
        let sql = format!("UPDATE principal SET {column} = x'0102' WHERE id = '{id}'");
        assert_eq!(deployment.sql().change(&sql), 1);
        let server = deployment.serve();
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let answer = server.connect().ask(&request("POST", "/mcp", &headers(&key), body)).unwrap();
        assert_eq!(answer.status, 401, "{column}: {answer:?}");
        let mut root = server.client(&root);
        let log = root.call("audit_log", &json!({}));
        assert!(log.contains(&format!("the row of principal {id} is damaged")), "{column}: {log}");
        let listed = root.call("list_principals", &json!({}));
        assert!(listed.contains(&format!("{id}  cannot be read")), "{column}: {listed}");
        assert!(listed.contains("root  role: admin"), "{column}: {listed}");
    }
}
