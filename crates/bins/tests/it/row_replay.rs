//! A row that somebody with the database but without the keys puts back, adds or takes away is found and named, and
//! nobody is accused of what the service did itself.

use crate::support::http::{headers, request};
use crate::support::{Cell, Deployment, Engine, Mcp, Model, Sql, amount, program, says};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The tables that the audit log commits to, and how many of their first columns are the key.
const TABLES: [(&str, usize); 8] = [
    ("space", 2),
    ("fact", 2),
    ("statement", 3),
    ("statement_text", 2),
    ("decision", 2),
    ("belief", 3),
    ("receipt", 2),
    ("principal", 2),
];

/// Where a fact has its slot among its columns.
const SLOT: usize = 8;

/// What is done at first, so that there is something to put back.
fn first_half(process: &Mcp) {
    for (subject, value) in [("city", "Oslo"), ("budget", "40k"), ("owner", "Dana")] {
        process.remember(&says(subject, value));
    }
    let long = "It was a long story. ".repeat(40);
    let fact = json!([{ "subject": "story", "value": "long" }]);
    process.call("remember", &json!({ "text": long, "facts": fact }));
    process.call("record_decision", &json!({ "action_summary": "Spend 40k", "question": "How much?" }));
    process.call("attest", &json!({ "subject": "owner" }));
    process.call("create_principal", &json!({ "name": "ann" }));
    process.call("create_principal", &json!({ "name": "bob" }));
}

/// What changes and removes rows of every table.
fn second_half(process: &Mcp, principal: &str) {
    process.remember(&says("city", "Bergen"));
    process.call("set_reconcile_policy", &json!({ "mode": "REVIEW" }));
    process.call("delete", &json!({ "subject": "budget" }));
    process.call("delete", &json!({ "subject": "story", "include_decisions": true }));
    process.call("record_decision", &json!({ "action_summary": "Move there", "question": "Where?" }));
    let long = "It is another story. ".repeat(40);
    let fact = json!([{ "subject": "story", "value": "other" }]);
    process.call("remember", &json!({ "text": long, "facts": fact }));
    process.call("attest", &json!({ "subject": "city" }));
    process.call("revoke_principal", &json!({ "principal_id": principal }));
}

fn principal(sql: &Sql) -> String {
    sql.rows("SELECT id FROM principal ORDER BY created")[0][0].text().to_owned()
}

/// A closed deployment, and what its tables held halfway.
static SAMPLE: LazyLock<(Deployment, Vec<Vec<Vec<Cell>>>)> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    first_half(&process);
    let sql = deployment.sql();
    let halfway = TABLES.iter().map(|(table, _)| sql.rows(&format!("SELECT * FROM {table}"))).collect();
    second_half(&process, &principal(&sql));
    assert!(process.close().success());
    (deployment, halfway)
});

/// What the check finds, each as one line.
fn check(deployment: &Deployment) -> Vec<String> {
    let output = deployment.run(&program("svc"), &["fsck", "--json"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let said: Value = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(said["rows_compared_with_log"], json!(true));
    let line = |found: &Value| {
        format!("{}: {}", found["row"].as_str().unwrap_or(""), found["what"].as_str().unwrap())
    };
    said["findings"].as_array().unwrap().iter().map(line).collect()
}

fn check_clean(deployment: &Deployment) {
    assert_eq!(check(deployment), Vec::<String>::new());
}

fn columns(sql: &Sql, table: &str) -> Vec<String> {
    let query = match crate::ENGINE {
        Engine::Sqlite => format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid"),
        Engine::Postgres => format!(
            "SELECT column_name::TEXT FROM information_schema.columns WHERE table_name = '{table}'
             ORDER BY ordinal_position"
        ),
    };
    sql.rows(&query).iter().map(|row| row[0].text().to_owned()).collect()
}

fn remove(sql: &Sql, table: &str, key: usize, row: &[Cell]) {
    let names = columns(sql, table);
    let conditions =
        names.iter().zip(row).take(key).map(|(name, value)| format!("{name} = {}", value.literal()));
    let conditions: Vec<String> = conditions.collect();
    assert_eq!(sql.change(&format!("DELETE FROM {table} WHERE {}", conditions.join(" AND "))), 1);
}

fn insert(sql: &Sql, table: &str, row: &[Cell]) {
    let values: Vec<String> = row.iter().map(Cell::literal).collect();
    sql.run(&format!("INSERT INTO {table} VALUES ({})", values.join(", ")));
}

fn name(table: &str, key: usize, row: &[Cell]) -> String {
    let part = |cell: &Cell| match cell {
        Cell::Integer(number) => number.to_string(),
        Cell::Text(text) => text.clone(),
        Cell::Bytes(bytes) => hex::encode(bytes),
        Cell::Null => String::new(),
    };
    format!("{table}/{}: ", row[..key].iter().map(part).collect::<Vec<_>>().join("/"))
}

/// At least one line is of that row and says that.
fn named(found: &[String], row: &str, what: &str) -> bool {
    found.iter().any(|line| line.starts_with(row) && line.contains(what))
}

#[test]
fn every_row_that_is_removed_is_missed() {
    let (sample, _) = &*SAMPLE;
    let copy = sample.copy();
    let sql = copy.sql();
    for (table, key) in TABLES {
        for row in sql.rows(&format!("SELECT * FROM {table}")).iter().take(amount(2, 100)) {
            remove(&sql, table, key, row);
            let found = check(&copy);
            assert!(named(&found, &format!("missing/{table}/"), "was removed"), "{table} {row:?}: {found:?}");
            insert(&sql, table, row);
        }
    }
    check_clean(&copy);
}

#[test]
fn every_row_that_is_put_back_is_named() {
    let (sample, halfway) = &*SAMPLE;
    let copy = sample.copy();
    let sql = copy.sql();
    let mut tried = Vec::new();
    for ((table, key), earlier) in TABLES.into_iter().zip(halfway) {
        let now = sql.rows(&format!("SELECT * FROM {table}"));
        for old in earlier.iter().filter(|old| !now.contains(old)).take(amount(2, 100)) {
            let new = now.iter().find(|new| new[..key] == old[..key]);
            // A fact comes back to its slot only where the one that took it is gone.
            let in_the_way = |row: &&Vec<Cell>| {
                row[..key] == old[..key]
                    || (table == "fact" && row[SLOT] == old[SLOT] && old[SLOT] != Cell::Null)
            };
            let gone: Vec<&Vec<Cell>> = now.iter().filter(in_the_way).collect();
            gone.iter().for_each(|row| remove(&sql, table, key, row));
            insert(&sql, table, old);
            let what = if new.is_some() { "put back" } else { "knows of no such row" };
            let found = check(&copy);
            assert!(named(&found, &name(table, key, old), what), "{table} {old:?}: {found:?}");
            remove(&sql, table, key, old);
            gone.iter().for_each(|row| insert(&sql, table, row));
            tried.push(table);
        }
    }
    tried.dedup();
    assert_eq!(tried.len(), 7, "every table but receipt has a row to put back: {tried:?}");
    check_clean(&copy);
}

#[test]
fn every_row_that_is_added_is_named() {
    let (sample, _) = &*SAMPLE;
    let copy = sample.copy();
    let sql = copy.sql();
    for (table, key) in TABLES {
        let mut row = sql.rows(&format!("SELECT * FROM {table}"))[0].clone();
        match &mut row[key - 1] {
            Cell::Integer(number) => *number += 1000,
            Cell::Text(text) => text.push('x'),
            Cell::Bytes(bytes) => bytes[0] ^= 1,
            Cell::Null => panic!("{table} has no key"),
        }
        match table {
            "space" => row[2] = Cell::Text("somebody".to_owned()),
            // Its slot is taken by the row that it is a copy of.
            "fact" => row[SLOT] = Cell::Null,
            _ => {}
        }
        insert(&sql, table, &row);
        let found = check(&copy);
        assert!(named(&found, &name(table, key, &row), "knows of no such row"), "{table}: {found:?}");
        remove(&sql, table, key, &row);
    }
    let erasure = [
        Cell::Text("default".to_owned()),
        Cell::Integer(99),
        Cell::Bytes(vec![1]),
        Cell::Null,
        Cell::Integer(0),
    ];
    insert(&sql, "erasure", &erasure);
    assert!(named(&check(&copy), "erasure/default/99: ", "knows of no such row"));
    remove(&sql, "erasure", 2, &erasure);
    check_clean(&copy);
}

#[test]
fn a_missing_row_can_be_accepted() {
    let (sample, _) = &*SAMPLE;
    let copy = sample.copy();
    copy.sql().run("DELETE FROM principal WHERE revoked IS NOT NULL");
    let found = check(&copy);
    let [line] = found.as_slice() else { panic!("{found:?}") };
    let (row, _) = line.split_once(": ").unwrap();
    copy.svc(&["fsck", "--erase", row]);
    check_clean(&copy);
    copy.start().intact();
}

/// The columns of the fact that hold its slot and what it was before, as they were.
fn put_back(sql: &Sql, table: &str, earlier: &[Vec<Cell>]) {
    sql.run(&format!("DELETE FROM {table}"));
    earlier.iter().for_each(|row| insert(sql, table, row));
}

#[test]
fn a_fact_that_is_put_back_is_not_served() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    process.remember(&says("owner", "Dana"));
    let sql = deployment.sql();
    let earlier = sql.rows("SELECT * FROM fact");
    process.remember(&says("city", "Bergen"));
    let now = sql.rows("SELECT * FROM fact");
    let check = |process: &Mcp, is_open: bool| {
        let verdict = process.call("check_before_act", &json!({ "subject": "city" }));
        assert!(verdict.starts_with("BLOCKED") && verdict.contains("#1"), "{verdict}");
        if !is_open {
            let seen = ["list_memories", "recall", "safe_recall", "get_memory", "history", "export_memory"];
            for tool in seen {
                let arguments = match tool {
                    "recall" | "safe_recall" => json!({ "question": "Which city is it?" }),
                    "get_memory" => json!({ "memory_id": 1 }),
                    "history" => json!({ "subject": "city" }),
                    _ => json!({}),
                };
                let reply = process.call(tool, &arguments);
                assert!(!reply.contains("Oslo"), "{tool}: {reply}");
            }
            let attested = process.reply("attest", &json!({ "subject": "city" })).text;
            assert!(!attested.contains("Oslo"), "{attested}");
            assert!(process.list().contains("owner = Dana"));
        }
    };
    // While the memory is open, and when it is opened anew.
    put_back(&sql, "fact", &earlier);
    check(&process, true);
    assert!(process.close().success());
    let process = deployment.start();
    check(&process, false);

    put_back(&sql, "fact", &now);
    process.list();
    let verdict = process.call("check_before_act", &json!({ "subject": "city" }));
    assert!(verdict.starts_with("SAFE") && verdict.contains("Bergen"), "what is mended is served: {verdict}");
    assert!(!process.list().contains('⚠'));
    process.intact();
}

#[test]
fn a_policy_that_is_put_back_or_taken_away_lets_nobody_in() {
    let model = Model::start();
    for (restarted, forged) in [(false, "NULL"), (true, "NULL"), (true, "earlier"), (false, "earlier")] {
        let deployment = Deployment::new(&model);
        let (_, intern) = deployment.principal("intern", &["--role", "agent"]);
        let process = deployment.start();
        process.call("remember", &json!({ "text": says("region", "north"), "source": "ops" }));
        let sql = deployment.sql();
        let earlier = match forged {
            "earlier" => sql.cell("SELECT policy FROM space").literal(),
            null => null.to_owned(),
        };
        process.call("set_reconcile_policy", &json!({ "mode": "REVIEW" }));
        let mut server = deployment.serve();
        let south = json!({ "text": says("region", "south") });
        assert!(server.client(&intern).list().contains("region = north"));
        assert_eq!(sql.change(&format!("UPDATE space SET policy = {earlier}")), 1);
        if restarted {
            server.terminate();
            assert!(server.wait().success());
            server = deployment.serve();
        }
        let reply = server.client(&intern).call("remember", &south);
        assert!(reply.contains("stored, but damaged"), "{forged}: {reply}");
        let policy = process.reply("get_reconcile_policy", &json!({})).text;
        assert!(policy.contains("stored, but damaged"), "{forged}: {policy}");
        assert!(process.list().contains("• region = north"));
        assert!(!check(&deployment).is_empty(), "nothing signed for it meanwhile");

        process.call("set_reconcile_policy", &json!({ "mode": "REVIEW" }));
        assert!(process.call("get_reconcile_policy", &json!({})).contains("REVIEW"));
        check_clean(&deployment);
        let reply = server.client(&intern).call("remember", &south);
        assert!(reply.starts_with("Stored: [FLAG]"), "{forged}: {reply}");
    }
}

#[test]
fn who_was_revoked_stays_out_whatever_the_rows_say() {
    let deployment = Deployment::new(&Model::start()).with("SVC_RATE_PER_MIN", "0");
    let (_, admin) = deployment.principal("root", &[]);
    let ((ann, revoked), (bob, replaced)) =
        (deployment.principal("ann", &[]), deployment.principal("bob", &[]));
    let server = deployment.serve();
    let status = |key: &str| {
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        server.connect().ask(&request("POST", "/mcp", &headers(key), body)).unwrap().status
    };
    assert_eq!((status(&revoked), status(&replaced)), (200, 200));
    let sql = deployment.sql();
    let before = sql.rows("SELECT * FROM principal");
    let version = sql.cell("SELECT value FROM deployment WHERE name = 'principals'");
    server.client(&admin).call("revoke_principal", &json!({ "principal_id": ann }));
    deployment.svc(&["principal", "rotate", &bob, "--overlap", "0s"]);
    assert_eq!((status(&revoked), status(&replaced)), (401, 401));

    sql.run("DELETE FROM principal");
    before.iter().for_each(|row| insert(&sql, "principal", row));
    sql.run(&format!("UPDATE deployment SET value = {} WHERE name = 'principals'", version.literal()));
    assert_eq!((status(&revoked), status(&replaced)), (401, 401), "the rows were put back");
    assert_eq!(status(&admin), 200);
}

#[test]
fn what_the_service_does_itself_is_not_accused() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    first_half(&process);
    second_half(&process, &principal(&deployment.sql()));
    // More than one transaction takes.
    let facts: Vec<Value> =
        (0..64).map(|n| json!({ "subject": format!("item {n}"), "value": format!("value {n}") })).collect();
    for text in ["Some items.", "More items."] {
        process
            .call("remember", &json!({ "text": text, "facts": facts, "user_id": "eve", "agent_id": text }));
    }
    check_clean(&deployment);
    process.call("delete_all", &json!({ "user_id": "eve", "include_receipts": true }));
    check_clean(&deployment);
    process.call("purge_expired", &json!({ "older_than_days": 0, "include_audit": true }));
    process.remember(&says("city", "Tromsø"));
    check_clean(&deployment);
    process.intact();
    process.kill();
    check_clean(&deployment);
    for rotated in ["users", "master"] {
        deployment.svc(&["keys", "rotate", rotated]);
        let process = deployment.start();
        let list = process.list();
        assert!(list.contains("city = Tromsø") && !list.contains('⚠'), "{rotated}: {list}");
        let other = deployment.start();
        other.remember(&says("harbour", rotated));
        let verdict = process.call("check_before_act", &json!({ "subject": "harbour" }));
        assert!(verdict.starts_with("SAFE") && verdict.contains(rotated), "{verdict}");
    }

    deployment.svc(&["backup", "copy"]);
    let elsewhere = Deployment::new(&Model::start());
    elsewhere.take_keys_of(&deployment);
    elsewhere.svc(&["restore", deployment.folder().join("copy").to_str().unwrap()]);
    let process = elsewhere.start();
    process.remember(&says("city", "Bodø"));
    let list = process.list();
    assert!(list.contains("city = Bodø") && !list.contains('⚠'), "{list}");
    check_clean(&elsewhere);
}

#[test]
fn an_older_log_commits_to_the_rows_that_are_there() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    process.call("create_principal", &json!({ "name": "ann" }));
    assert!(process.close().success());
    deployment.back_to_version(5);
    let process = deployment.start();
    let list = process.list();
    assert!(list.contains("city = Oslo") && !list.contains('⚠'), "{list}");
    process.remember(&says("city", "Tromsø"));
    process.intact();
    assert!(process.close().success());
    check_clean(&deployment);
    deployment.sql().run("DELETE FROM fact WHERE status = 1");
    assert!(named(&check(&deployment), "missing/fact/", "was removed"));
}
