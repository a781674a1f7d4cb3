//! `svc fsck` names every row that is not as the service left it, and removes one on request.

use crate::support::{Cell, Deployment, Model, Sql, program, says};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A closed deployment with a little of everything, which every test copies.
static SAMPLE: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    for (subject, value) in [("city", "Oslo"), ("budget", "40k"), ("owner", "Dana")] {
        process.remember(&says(subject, value));
    }
    process.remember(&says("city", "Bergen"));
    process.call("set_reconcile_policy", &json!({ "mode": "REVIEW" }));
    process.call("record_decision", &json!({ "action_summary": "Spend 40k", "question": "How much?" }));
    process.call("attest", &json!({ "subject": "owner" }));
    process.call("delete", &json!({ "subject": "budget" }));
    process.call("create_principal", &json!({ "name": "ann" }));
    assert!(process.close().success());
    deployment
});

/// What the check says, as JSON, and whether it found nothing.
fn check(deployment: &Deployment) -> (Value, bool) {
    let output = deployment.run(&program("svc"), &["fsck", "--json"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let said = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    (said, output.status.success())
}

/// The findings after the change, each as one line.
fn found_after(change: impl FnOnce(&Sql)) -> Vec<String> {
    let copy = SAMPLE.copy();
    change(&copy.sql());
    let (said, is_clean) = check(&copy);
    let findings = said["findings"].as_array().unwrap();
    assert_eq!(is_clean, findings.is_empty());
    let line = |found: &Value| {
        format!("{}: {}", found["row"].as_str().unwrap_or("(none)"), found["what"].as_str().unwrap())
    };
    findings.iter().map(line).collect()
}

/// One finding, about that row, that says that.
fn named_after(change: &str, row: &str, what: &str) {
    let found = found_after(|sql| sql.run(change));
    assert!(found.iter().any(|line| line.starts_with(row) && line.contains(what)), "{change}: {found:?}");
}

fn flip(sql: &Sql, column: &str, table: &str, condition: &str) {
    let Cell::Bytes(mut bytes) = sql.cell(&format!("SELECT {column} FROM {table} WHERE {condition}")) else {
        panic!("{table}.{column} holds no bytes");
    };
    *bytes.last_mut().unwrap() ^= 1;
    let value = Cell::Bytes(bytes).literal();
    assert_eq!(sql.change(&format!("UPDATE {table} SET {column} = {value} WHERE {condition}")), 1);
}

#[test]
fn a_damaged_tree_of_the_log_is_named_and_mended() {
    for harm in [
        "DELETE FROM deployment WHERE name = 'audit_peaks'".to_owned(),
        format!(
            "UPDATE deployment SET value = {} WHERE name = 'audit_peaks'",
            Cell::Bytes(vec![7; 32]).literal()
        ),
    ] {
        let deployment = Deployment::new(&Model::start());
        let process = deployment.start();
        for n in 0..5 {
            process.remember(&says("city", &format!("place {n}")));
        }
        assert!(process.close().success());
        deployment.sql().run(&harm);
        let output = deployment.run(&program("svc"), &["fsck"]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(!output.status.success() && said.contains("row audit_peaks of deployment"), "{said}");
        deployment.svc(&["backup", "copy"]);

        let process = deployment.start();
        let stored = process.remember(&says("city", "Oslo"));
        assert!(stored.starts_with("Stored: [SUPERSEDE]"), "{stored}");
        process.intact();
        assert!(process.close().success());
        deployment.svc(&["fsck"]);
        deployment.svc(&["restore", "copy", "--force", "--confirm", "a drill"]);
        let process = deployment.start();
        assert!(process.remember(&says("city", "Bergen")).starts_with("Stored: [SUPERSEDE]"));
        process.intact();
        assert!(process.close().success());
        deployment.svc(&["fsck"]);
    }
}

#[test]
fn a_sound_database_is_not_accused() {
    let (said, is_clean) = check(&SAMPLE.copy());
    assert!(is_clean && said["findings"] == json!([]), "{said}");
    assert!(said["rows"].as_u64().unwrap() > 10 && said["audit_entries"].as_u64().unwrap() == 9, "{said}");
    let said = SAMPLE.copy().svc(&["fsck"]);
    assert!(said.starts_with("✓ Nothing is wrong: "), "{said}");
}

#[test]
fn what_does_not_open_is_named() {
    for (column, table, condition, row) in [
        ("body", "fact", "id = 3", "fact/default/3"),
        ("policy", "space", "id = 1", "space/default/1"),
        ("body", "decision", "id = 1", "decision/default/1"),
        ("signature", "receipt", "id = 1", "receipt/default/1"),
        ("body", "receipt", "id = 2", "receipt/default/2"),
        ("body", "principal", "1 = 1", "principal/default/"),
    ] {
        let found = found_after(|sql| flip(sql, column, table, condition));
        assert!(found.iter().any(|line| line.starts_with(row)), "{table}.{column}: {found:?}");
    }
}

#[test]
fn a_changed_index_is_named() {
    for (column, by) in
        [("subject_ix", "subject"), ("value_ix", "value"), ("text_ix", "words"), ("slot_ix", "slot")]
    {
        let found = found_after(|sql| flip(sql, column, "fact", "id = 3"));
        let said = format!("it is not found by its {by}");
        assert!(
            found.iter().any(|line| line.starts_with("fact/default/3") && line.contains(&said)),
            "{found:?}"
        );
    }
    let found = found_after(|sql| flip(sql, "key_hint", "principal", "1 = 1"));
    assert!(found.iter().any(|line| line.contains("it is not found by its key")), "{found:?}");
}

#[test]
fn a_broken_link_is_named() {
    named_after("UPDATE fact SET space = 7 WHERE id = 3", "fact/default/3", "its space 7 does not exist");
    named_after("DELETE FROM decision", "decision/default/1", "it is missing");
    named_after(
        "UPDATE audit_entry SET hash = prev WHERE seq = 6",
        "receipt/default/1",
        "anchored to entry 6",
    );
    named_after("DELETE FROM audit_entry WHERE seq = 6", "receipt/default/1", "anchored to entry 6");
    named_after("DELETE FROM audit_entry WHERE seq = 6", "(none)", "the audit log is broken");
}

#[test]
fn a_wrong_count_is_named() {
    named_after("UPDATE storage_use SET facts = facts + 1", "storage_use/default/local/1", "facts and bytes");
    named_after("DELETE FROM storage_use", "(none)", "storage_use/default/local/1 is missing");
    named_after(
        "UPDATE sequence SET next = 2 WHERE name = 'fact'",
        "sequence/default/fact",
        "4 was given out",
    );
}

#[test]
fn a_wrong_row_is_removed_with_a_note() {
    let copy = SAMPLE.copy();
    flip(&copy.sql(), "body", "fact", "id = 3");
    let refused = copy.svc_refuses(&["fsck", "--erase", "fact/default/4"]);
    assert!(refused.contains("finds nothing wrong with fact/default/4"), "{refused}");
    let said = copy.svc(&["fsck", "--erase", "fact/default/3"]);
    assert!(said.starts_with("Removed fact/default/3."), "{said}");
    let process = copy.start();
    let log = process.call("audit_log", &json!({ "action": "fsck" }));
    assert!(log.contains("fact/default/3 was not as it was stored, and is removed"), "{log}");
    assert!(!process.list().contains("missing"));
    process.intact();
    assert!(process.close().success());
    let (said, is_clean) = check(&copy);
    assert!(is_clean, "{said}");
}

#[test]
fn a_changed_subtree_of_the_log_is_named() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    for _ in 0..260 {
        process.call("get_memory", &json!({ "memory_id": 1 }));
    }
    assert!(process.close().success());
    let (said, is_clean) = check(&deployment);
    assert!(is_clean, "{said}");
    flip(&deployment.sql(), "hash", "audit_subtree", "level = 8 AND place = 0");
    let (said, _) = check(&deployment);
    assert_eq!(said["findings"][0]["row"], "audit_subtree/8/0", "{said}");
}

#[test]
fn a_database_of_an_earlier_version_is_left_as_it_is() {
    let copy = SAMPLE.copy();
    copy.back_to_version(6);
    let said = copy.svc_refuses(&["fsck"]);
    assert!(said.contains("run svc-migrate up"), "{said}");
    assert_eq!(copy.sql().cell("SELECT max(version) FROM schema_migration").integer(), 6);
}
