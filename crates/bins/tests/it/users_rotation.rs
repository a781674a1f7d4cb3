//! New keys for what users stored, while others go on reading and writing.

use crate::support::{Deployment, Engine, Mcp, Model, id, program, says};
use serde_json::{Value, json};
use std::process::Stdio;

pub fn of(user: &str, mut arguments: Value) -> Value {
    arguments["user_id"] = json!(user);
    arguments
}

pub fn fill(process: &Mcp, users: usize) {
    for n in 0..users {
        let user = format!("user{n}");
        process.call("remember", &of(&user, json!({ "text": says("bird", &format!("heron {n}")) })));
        process.call("attest", &of(&user, json!({ "subject": "bird" })));
        let decision = json!({ "action_summary": "buy seeds", "question": "which bird?" });
        process.call("record_decision", &of(&user, decision));
    }
}

pub fn check_all(process: &Mcp, users: usize) {
    for n in 0..users {
        let list = process.call("list_memories", &of(&format!("user{n}"), json!({})));
        assert!(list.contains(&format!("heron {n}")) && !list.contains('⚠'), "{list}");
    }
    for id in 1..=users {
        assert!(process.call("verify_receipt", &json!({ "receipt_id": id })).contains("✓ VALID"));
    }
}

/// How many values of users are under keys of this generation.
fn sealed_under(deployment: &Deployment, generation: u8) -> i64 {
    let begins = |column: &str| match crate::ENGINE {
        Engine::Sqlite => format!("hex(substr({column}, 1, 2)) = '02{generation:02X}'"),
        Engine::Postgres => format!("encode(substr({column}, 1, 2), 'hex') = '02{generation:02x}'"),
    };
    let count = |table: &str, column: &str| {
        let sql = format!("SELECT count(*) FROM {table} WHERE {}", begins(column));
        deployment.sql().cell(&sql).integer()
    };
    [("fact", "body"), ("decision", "summary"), ("belief", "disclosure"), ("receipt", "body")]
        .map(|(table, column)| count(table, column))
        .iter()
        .sum()
}

#[test]
fn everything_is_sealed_anew_and_nobody_notices() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (writer, reader) = (deployment.start(), deployment.start());
    fill(&writer, 5);
    check_all(&reader, 5);
    let before = sealed_under(&deployment, 1);
    assert!(before > 0);
    let said = deployment.svc(&["keys", "rotate", "users"]);
    assert!(said.contains("of generation 2"), "{said}");
    assert_eq!((sealed_under(&deployment, 1), sealed_under(&deployment, 2)), (0, before));
    // Neither process has looked at the keys since.
    check_all(&reader, 5);
    check_all(&writer, 5);
    fill(&writer, 6);
    check_all(&reader, 6);
    for process in [reader, writer] {
        process.intact();
        assert!(process.close().success());
    }
    assert!(deployment.svc(&["fsck"]).contains("✓"));
    assert!(deployment.svc(&["keys"]).contains("generation 2"));
}

#[test]
fn an_erasure_reaches_backups_from_before_the_rotation() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    fill(&process, 2);
    deployment.svc(&["backup", "before"]);
    deployment.svc(&["keys", "rotate", "users"]);
    let all = json!({ "include_decisions": true, "include_receipts": true });
    let reply = process.call("delete_all", &of("user0", all));
    assert!(reply.contains("key was destroyed"), "{reply}");
    let receipt = json!({ "receipt_id": id(&reply[reply.find("receipt #").unwrap()..]) });
    assert!(process.call("verify_receipt", &receipt).contains("✓ VALID"));
    assert!(process.close().success());
    let said = deployment.svc(&["restore", "before", "--force", "--confirm", "a drill"]);
    assert!(said.contains("Left out: everything of user 'user0'"), "{said}");
    let process = deployment.start();
    let list = process.call("list_memories", &of("user1", json!({})));
    assert!(list.contains("heron 1"), "{list}");
    assert!(!process.reply("list_memories", &of("user0", json!({}))).text.contains("heron"));
}

#[test]
fn a_rotation_that_is_killed_is_finished_by_the_next() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    fill(&process, 4);
    for wait in [0, 30, 60, 90] {
        let mut command = deployment.command(&program("svc"));
        command.args(["keys", "rotate", "users"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut rotation = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        rotation.kill().unwrap();
        rotation.wait().unwrap();
        check_all(&process, 4);
    }
    deployment.svc(&["keys", "rotate", "users"]);
    let said = deployment.svc(&["keys", "rotate", "users"]);
    assert!(said.starts_with("Rotated: "), "{said}");
    check_all(&process, 4);
    process.intact();
    assert!(process.close().success());
    assert!(deployment.svc(&["fsck"]).contains("✓"));
}
