//! Backups: what is in them, and everything that is refused without touching what is there.

use crate::support::{Deployment, Model, PATIENCE, said, says};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::Instant;

/// Writes that were acknowledged when the backup begins.
const BEFORE: usize = 40;

/// A closed deployment with a little of everything, which every test copies.
static SAMPLE: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    for n in 0..5 {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    process.remember(&said("it changed", &json!([{ "subject": "subject 1", "value": "another value" }])));
    process.call("record_decision", &json!({ "action_summary": "go on", "question": "what now?" }));
    process.call("attest", &json!({ "subject": "subject 1" }));
    process.call("delete", &json!({ "subject": "subject 2" }));
    process.intact();
    assert!(process.close().success());
    deployment
});

#[test]
fn a_backup_under_load_holds_every_acknowledged_write() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let (acknowledged, done) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let before: Vec<String> = std::thread::scope(|scope| {
        for writer in 0..4 {
            let (process, acknowledged, done) = (&process, &acknowledged, &done);
            scope.spawn(move || {
                for n in (0..).take_while(|_| !done.load(Ordering::Relaxed)) {
                    let subject = format!("item {writer}-{n}");
                    process.remember(&says(&subject, "kept"));
                    acknowledged.lock().unwrap().push(subject);
                }
            });
        }
        let deadline = Instant::now() + PATIENCE;
        while acknowledged.lock().unwrap().len() < BEFORE {
            assert!(Instant::now() < deadline, "writes are not taken");
            std::thread::yield_now();
        }
        let before = acknowledged.lock().unwrap().clone();
        deployment.svc(&["backup", "copy"]);
        done.store(true, Ordering::Relaxed);
        before
    });
    process.intact();

    let elsewhere = Deployment::new(&model);
    elsewhere.take_keys_of(&deployment);
    elsewhere.svc(&["restore", deployment.folder().join("copy").to_str().unwrap()]);
    let restored = elsewhere.start();
    restored.intact();
    let list = restored.list();
    for subject in &before {
        assert!(list.contains(&format!("• {subject} = kept  (#")), "{subject} is not in the backup");
    }
    restored.remember(&says("item after", "kept"));
    restored.intact();
}

#[test]
fn a_restored_deployment_holds_the_same_and_goes_on() {
    let deployment = SAMPLE.copy();
    let said = deployment.svc(&["backup", "copy"]);
    assert!(said.contains("svc.db.key") && said.contains("svc.db.sign.key"), "{said}");
    let mode = std::fs::metadata(deployment.folder().join("copy")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = deployment.contents();

    let elsewhere = Deployment::new(&Model::start());
    elsewhere.take_keys_of(&deployment);
    elsewhere.svc(&["restore", deployment.folder().join("copy").to_str().unwrap()]);
    assert_eq!(elsewhere.contents().tables, before.tables);
    let process = elsewhere.start();
    process.intact();
    let receipt = process.call("verify_receipt", &json!({ "receipt_id": 1 }));
    assert!(receipt.contains("✓ VALID"), "{receipt}");
    let decision = process.call("explain_decision", &json!({ "decision_id": 1 }));
    assert!(decision.contains("✓ receipt verified"), "{decision}");
}

#[test]
fn a_backup_replaces_a_file_only_when_told_to() {
    let deployment = SAMPLE.copy();
    std::fs::write(deployment.folder().join("taken"), "something else").unwrap();
    let files = deployment.files();
    let refusal = deployment.svc_refuses(&["backup", "taken"]);
    assert!(refusal.contains("--force"), "{refusal}");
    deployment.svc_refuses(&["backup", "no such folder/copy"]);
    assert_eq!(deployment.files(), files);
    assert_eq!(std::fs::read(deployment.folder().join("taken")).unwrap(), b"something else");
    deployment.svc(&["backup", "taken", "--force"]);
    // With PostgreSQL this host has a copy of the users' keys from now on.
    let others =
        |files: Vec<String>| files.into_iter().filter(|name| name != "svc.db.users.key").collect::<Vec<_>>();
    assert_eq!(others(deployment.files()), others(files));
}

#[test]
fn a_broken_log_is_not_backed_up() {
    let deployment = SAMPLE.copy();
    deployment.sql().run("UPDATE audit_entry SET action = 'recall' WHERE seq = 3");
    let refusal = deployment.svc_refuses(&["backup", "copy"]);
    assert!(refusal.contains("broken at seq 3"), "{refusal}");
    assert!(!deployment.files().contains(&"copy".to_owned()));
}

/// What is refused, and a word of why.
fn check_refused(deployment: &Deployment, arguments: &[&str], why: &str) {
    let before = deployment.contents();
    let refusal = deployment.svc_refuses(arguments);
    assert!(refusal.contains(why), "{arguments:?}: {refusal}");
    assert_eq!(deployment.contents(), before, "{arguments:?}");
    let left: Vec<String> = deployment.files().into_iter().filter(|name| is_draft(name)).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn is_draft(name: &str) -> bool {
    name.contains(".tmp") || name.contains(".svc-draft")
}

/// Kills the command in the middle of its work; returns the draft that it left.
fn killed(deployment: &Deployment, arguments: &[&str]) -> String {
    for _ in 0..200 {
        let mut command = deployment.svc_command().args(arguments).spawn().unwrap();
        while command.try_wait().unwrap().is_none() {
            let draft = deployment.files().into_iter().find(|name| is_draft(name));
            let is_written = |name: &String| {
                std::fs::metadata(deployment.folder().join(name)).is_ok_and(|file| file.len() > 0)
            };
            if let Some(draft) = draft.filter(is_written) {
                command.kill().unwrap();
                command.wait().unwrap();
                if deployment.files().contains(&draft) {
                    return draft;
                }
                break;
            }
        }
        let _ = command.kill();
        let _ = command.wait();
    }
    panic!("{arguments:?} was never caught at work");
}

#[test]
fn the_next_run_removes_what_a_killed_one_left() {
    let deployment = SAMPLE.copy();
    deployment.svc(&["backup", "first"]);
    let left = killed(&deployment, &["backup", "second", "--force"]);
    // One that is being written by another run is locked, and stays.
    let under_way = deployment.folder().join("other.0123456789abcdef.svc-draft");
    std::fs::write(&under_way, "half a backup").unwrap();
    let lock = std::fs::File::open(&under_way).unwrap();
    lock.lock().unwrap();
    deployment.svc(&["backup", "third"]);
    assert!(!deployment.files().contains(&left), "{:?}", deployment.files());
    assert!(under_way.exists());
    drop(lock);

    let left = killed(&deployment, &["restore", "first", "--force"]);
    deployment.svc(&["restore", "first", "--force"]);
    let files = deployment.files();
    assert!(!files.contains(&left) && !under_way.exists(), "{files:?}");
}

#[test]
fn a_refused_restoration_changes_nothing() {
    let deployment = SAMPLE.copy();
    deployment.svc(&["backup", "copy"]);
    let process = deployment.start();
    process.remember(&says("later", "than the backup"));
    assert!(process.close().success());
    let file = |name: &str| deployment.folder().join(name);

    check_refused(&deployment, &["restore", "copy"], "--force");
    check_refused(&deployment, &["restore", "nothing", "--force"], "there is no file");
    std::fs::write(file("text"), "no database at all, but long enough to be looked at").unwrap();
    check_refused(&deployment, &["restore", "text", "--force"], "is no backup");
    let other = rusqlite::Connection::open(file("other")).unwrap();
    other.execute_batch("CREATE TABLE recipe (name TEXT)").unwrap();
    check_refused(&deployment, &["restore", "other", "--force"], "is no backup");

    let changed = |name: &str, change: &str| {
        std::fs::copy(file("copy"), file(name)).unwrap();
        rusqlite::Connection::open(file(name)).unwrap().execute_batch(change).unwrap();
    };
    changed("newer", "INSERT INTO schema_migration VALUES (99, 'from the future', 'tomorrow')");
    check_refused(&deployment, &["restore", "newer", "--force"], "newer");
    changed("edited", "UPDATE audit_entry SET caller = 'mallory' WHERE seq = 2");
    check_refused(&deployment, &["restore", "edited", "--force"], "broken at seq 2");
    changed("unclaimed", "DELETE FROM deployment");
    check_refused(&deployment, &["restore", "unclaimed", "--force"], "is no backup");

    let stranger = Deployment::new(&Model::start());
    assert!(stranger.start().close().success());
    stranger.svc(&["backup", file("foreign").to_str().unwrap()]);
    check_refused(&deployment, &["restore", "foreign", "--force"], "another key");
    check_refused(&deployment, &["restore", "--confirm", "for fun"], "nothing is missing");
    check_refused(&deployment, &["restore", "copy", "--force", "--confirm", " "], "--confirm takes");
    check_refused(&deployment, &["restore"], "<FILE>");

    let process = deployment.start();
    process.intact();
    assert!(process.list().contains("than the backup"));
    let refusal = deployment.svc_refuses(&["restore", "copy", "--force"]);
    assert!(refusal.contains("stop it first"), "{refusal}");
    process.intact();
    assert!(process.list().contains("than the backup"));
}

#[test]
fn a_passphrase_and_the_users_keys_open_a_backup() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_KEY", "correct horse battery staple");
    let process = deployment.start();
    process.remember(&says("subject", "kept"));
    assert!(process.close().success());
    deployment.svc(&["backup", "copy"]);
    let copy = deployment.folder().join("copy");

    let mistaken = Deployment::new(&model).with("SVC_KEY", "another phrase");
    let refusal = mistaken.svc_refuses(&["restore", copy.to_str().unwrap()]);
    assert!(refusal.contains("another key"), "{refusal}");
    let elsewhere = Deployment::new(&model).with("SVC_KEY", "correct horse battery staple");
    let refusal = elsewhere.svc_refuses(&["restore", copy.to_str().unwrap()]);
    assert!(refusal.contains("svc.db.users.key is missing"), "{refusal}");
    elsewhere.take_keys_of(&deployment);
    elsewhere.svc(&["restore", copy.to_str().unwrap()]);
    let process = elsewhere.start();
    process.intact();
    assert!(process.list().contains("• subject = kept  (#1)"));
}
