//! Every way to tamper with the audit log is noticed, and every legitimate erasure is not mistaken for one.

use crate::support::{Deployment, Engine, Model, Sql, blob, says};
use serde_json::json;
use std::sync::LazyLock;

/// A closed deployment with a dozen entries, which every test copies.
static SAMPLE: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    for n in 0..10 {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    process.call("attest", &json!({ "subject": "subject 1" }));
    process.call("delete", &json!({ "subject": "subject 2", "user_id": "somebody else" }));
    process.intact();
    assert!(process.close().success());
    deployment
});

/// What `verify_audit` says after the change.
fn verdict_after(change: impl FnOnce(&Deployment)) -> String {
    let deployment = SAMPLE.copy();
    change(&deployment);
    deployment.start().call("verify_audit", &json!({}))
}

fn verdict_after_sql(statements: &str) -> String {
    verdict_after(|deployment| deployment.sql().run(statements))
}

fn check_broken(statements: &str) {
    let verdict = verdict_after_sql(statements);
    assert!(verdict.starts_with("⚠ Audit chain BROKEN at seq "), "{statements}: {verdict}");
}

#[test]
fn an_untouched_copy_is_intact() {
    let verdict = verdict_after_sql("SELECT 1");
    assert!(verdict.starts_with("✓ Audit chain INTACT — 13 entries verified."), "{verdict}");
}

#[test]
fn an_edit_of_any_column_is_noticed() {
    let zeros = |column: &str, length: usize| format!("{column} = {}", blob(&vec![0; length]));
    let mut changes = [
        "action = 'recall'",
        "user_id = 'mallory'",
        "agent_id = 'mallory'",
        "run_id = 'mallory'",
        "caller = 'mallory'",
        "request = 'mallory'",
        "ts = ts + 1",
        "ts = 9223372036854775807",
        "tenant = 'other'",
        "hash = NULL",
        "changes = NULL",
        "detail = (SELECT detail FROM audit_entry WHERE seq = 6)",
        "detail = NULL",
    ]
    .map(str::to_owned)
    .to_vec();
    let lengths = [
        ("detail", 1),
        ("committed", 32),
        ("blanks", 16),
        ("prev", 32),
        ("hash", 32),
        ("signature", 72),
        ("changes", 32),
    ];
    changes.extend(lengths.map(|(column, length)| zeros(column, length)));
    if crate::ENGINE == Engine::Sqlite {
        // PostgreSQL takes no text in a column of numbers.
        changes.push("ts = 'yesterday'".to_owned());
    }
    for change in changes {
        check_broken(&format!("UPDATE audit_entry SET {change} WHERE seq = 5"));
    }
}

#[test]
fn a_removed_entry_is_noticed_anywhere() {
    for condition in ["seq = 1", "seq = 5", "seq > 7", "seq = (SELECT max(seq) FROM audit_entry)", "1 = 1"] {
        check_broken(&format!("DELETE FROM audit_entry WHERE {condition}"));
    }
}

#[test]
fn entries_in_another_order_are_noticed() {
    check_broken(
        "UPDATE audit_entry SET seq = -1 WHERE seq = 4;
         UPDATE audit_entry SET seq = 4 WHERE seq = 5;
         UPDATE audit_entry SET seq = 5 WHERE seq = -1;",
    );
    check_broken(
        "CREATE TEMP TABLE kept AS SELECT seq, detail FROM audit_entry WHERE seq IN (4, 5);
         UPDATE audit_entry SET detail = (SELECT detail FROM kept WHERE seq = 5) WHERE seq = 4;
         UPDATE audit_entry SET detail = (SELECT detail FROM kept WHERE seq = 4) WHERE seq = 5;",
    );
}

#[test]
fn an_inserted_entry_is_noticed() {
    let columns =
        "tenant, ts, action, user_id, agent_id, run_id, caller, request, committed, detail, blanks, prev,
        hash, signature, changes";
    for seq in ["0", "-3", "(SELECT max(seq) + 1 FROM audit_entry)"] {
        check_broken(&format!(
            "INSERT INTO audit_entry (seq, {columns}) SELECT {seq}, {columns} FROM audit_entry WHERE seq = 5"
        ));
    }
}

#[test]
fn a_changed_head_is_noticed() {
    check_broken("DELETE FROM deployment WHERE name = 'audit_head'");
    check_broken(&set_head(&[0]));
    let length = head(&SAMPLE.copy().sql()).len();
    for at in [length - 1, length - 70, 60] {
        let verdict = verdict_after(|deployment| {
            let sql = deployment.sql();
            let mut value = head(&sql);
            value[at] ^= 1;
            sql.run(&set_head(&value));
        });
        assert!(verdict.contains("BROKEN"), "byte {at}: {verdict}");
    }
}

#[test]
fn a_foreign_head_is_not_extended() {
    let deployment = SAMPLE.copy();
    let sql = deployment.sql();
    let mut value = head(&sql);
    *value.last_mut().unwrap() ^= 1;
    sql.run(&set_head(&value));
    let process = deployment.start();
    for _ in 0..2 {
        let reply = process.remember(&says("subject 1", "written after a forged head"));
        assert!(reply.starts_with("Svc couldn't complete that"), "{reply}");
        let verdict = process.call("verify_audit", &json!({}));
        assert!(verdict.contains("BROKEN"), "{verdict}");
    }
}

fn head(sql: &Sql) -> Vec<u8> {
    sql.cell("SELECT value FROM deployment WHERE name = 'audit_head'").bytes().to_vec()
}

fn set_head(value: &[u8]) -> String {
    format!("UPDATE deployment SET value = {} WHERE name = 'audit_head'", blob(value))
}

#[test]
fn a_forged_anchor_is_noticed() {
    // The head is a signed statement too, and must not pass for an anchor.
    check_broken(
        "INSERT INTO deployment (name, value) SELECT 'audit_anchor', value FROM deployment WHERE name = 'audit_head'",
    );
    let insert = |anchor: &[u8]| {
        format!("INSERT INTO deployment (name, value) VALUES ('audit_anchor', {});", blob(anchor))
    };
    check_broken(&insert(&[0]));
    check_broken(&format!("{} DELETE FROM audit_entry WHERE seq <= 5;", insert(&forged_anchor())));
}

/// An anchor that names the true place, signed by another key.
fn forged_anchor() -> Vec<u8> {
    let hash = SAMPLE.copy().sql().cell("SELECT hash FROM audit_entry WHERE seq = 5");
    let at = evidence::Position { size: 5, hash: evidence::Hash(hash.bytes().try_into().unwrap()) };
    let signer = evidence::Signer::from_seed([7; 32]);
    let anchor = evidence::Anchor { at, ts: domain::Timestamp::now(), tree: None };
    evidence::Signed::new(anchor, Some(&signer)).encode()
}

/// A deployment that went on by one write and was then put back, but for the head kept beside the database.
fn rolled_back() -> Deployment {
    let deployment = SAMPLE.copy();
    let process = deployment.start();
    process.remember(&says("subject 1", "a value that somebody wants gone"));
    assert!(process.close().success());
    deployment.roll_back_database_to(&SAMPLE);
    deployment
}

#[test]
fn an_older_copy_of_the_whole_database_is_noticed() {
    let verdict = rolled_back().start().call("verify_audit", &json!({}));
    assert!(verdict.contains("BROKEN") && verdict.contains("rolled back"), "{verdict}");
}

#[test]
fn a_rolled_back_log_stays_broken_when_it_grows() {
    let deployment = rolled_back();
    let process = deployment.start();
    for n in 0..10 {
        process.remember(&says("subject 1", &format!("another value {n}")));
    }
    let verdict = process.call("verify_audit", &json!({}));
    assert!(verdict.contains("BROKEN") && verdict.contains("rewritten"), "{verdict}");
}

#[test]
fn a_missing_head_file_is_noticed_and_not_recreated() {
    let removed = verdict_after(|deployment| std::fs::remove_file(head_file(deployment)).unwrap());
    assert!(removed.contains("BROKEN"), "{removed}");
    let folder = verdict_after(|deployment| {
        std::fs::remove_file(head_file(deployment)).unwrap();
        std::fs::create_dir(head_file(deployment)).unwrap();
    });
    assert!(folder.contains("BROKEN"), "{folder}");
    let emptied = verdict_after(|deployment| std::fs::write(head_file(deployment), "").unwrap());
    assert!(emptied.contains("BROKEN"), "{emptied}");
    let older = verdict_after(|deployment| {
        let process = deployment.start();
        process.list();
        assert!(process.close().success());
        std::fs::copy(head_file(&SAMPLE), head_file(deployment)).unwrap();
    });
    // An older head still names a true place of a longer log: nothing was taken away.
    assert!(older.contains("INTACT"), "{older}");
}

/// Everything that a forger with an older copy of the database, and no key, can make of the head file.
#[test]
fn no_head_but_our_own_file_excuses_an_older_copy() {
    let fresh = Deployment::new(&Model::start());
    assert!(fresh.start().close().success());
    let sample = SAMPLE.copy();
    let own_row = head(&sample.sql());
    let slot = |body: &[u8]| {
        let mut slot = u16::try_from(body.len()).unwrap().to_be_bytes().to_vec();
        slot.extend(body);
        slot.resize(512, 0);
        slot
    };
    let whole = std::fs::read(head_file(&rolled_back())).unwrap();
    assert_eq!(whole.len(), 1024);
    for (what, forged) in [
        ("emptied", Vec::new()),
        ("cut to its first slot", whole[..512].to_vec()),
        ("its second slot zeroed", [&whole[..512], &[0; 512]].concat()),
        ("its first slot zeroed", [&[0; 512], &whole[512..]].concat()),
        ("cut within a slot", whole[..700].to_vec()),
        ("of a fresh database", std::fs::read(head_file(&fresh)).unwrap()),
        ("the old database's own head row", slot(&own_row).repeat(2)),
        ("that row in one slot", [slot(&own_row), whole[512..].to_vec()].concat()),
    ] {
        let deployment = rolled_back();
        std::fs::write(head_file(&deployment), forged).unwrap();
        for _ in 0..2 {
            // It does not heal with what is written next, either.
            let process = deployment.start();
            let verdict = process.call("verify_audit", &json!({}));
            assert!(verdict.starts_with("⚠ Audit chain BROKEN"), "{what}: {verdict}");
            process.remember(&says("subject 1", "another value"));
            assert!(process.close().success());
        }
    }
}

#[test]
fn an_emptied_log_without_its_head_file_is_broken() {
    let verdict = verdict_after(|deployment| {
        deployment.sql().run("DELETE FROM audit_entry; DELETE FROM deployment WHERE name LIKE 'audit_%'");
        std::fs::remove_file(head_file(deployment)).unwrap();
    });
    assert!(verdict.starts_with("⚠ Audit chain BROKEN"), "{verdict}");
}

fn head_file(deployment: &Deployment) -> std::path::PathBuf {
    deployment.folder().join("svc.db.head")
}

#[test]
fn blanking_by_an_erasure_is_intact() {
    let deployment = SAMPLE.copy();
    let process = deployment.start();
    let reply = process.call("delete", &json!({ "subject": "subject 1", "include_audit": true }));
    assert!(reply.contains("audit entries erased"), "{reply}");
    process.intact();
    process.call("delete_all", &json!({ "include_audit": true }));
    process.intact();
    let log = process.call("audit_log", &json!({}));
    assert!(!log.contains("subject 1") && log.contains("(blanked)"), "{log}");
    assert!(process.close().success());
    deployment.start().intact();

    deployment.sql().run("UPDATE audit_entry SET blanks = NULL");
    let verdict = deployment.start().call("verify_audit", &json!({}));
    assert!(verdict.contains("BROKEN"), "{verdict}");
}

#[test]
fn a_purged_log_goes_on_from_its_anchor() {
    let deployment = SAMPLE.copy();
    let process = deployment.start();
    let reply = process.call("purge_expired", &json!({ "older_than_days": 0, "include_audit": true }));
    assert!(reply.starts_with("Purged 10 fact(s)"), "{reply}");
    process.intact();
    process.remember(&says("subject 1", "after the purge"));
    process.intact();
    assert!(process.close().success());
    deployment.start().intact();

    let anchorless = deployment.copy();
    anchorless.sql().run("DELETE FROM deployment WHERE name = 'audit_anchor'");
    let verdict = anchorless.start().call("verify_audit", &json!({}));
    assert!(verdict.contains("BROKEN"), "{verdict}");
}
