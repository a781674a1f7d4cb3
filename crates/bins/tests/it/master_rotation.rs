//! A new master key, while others go on reading and writing, and a passphrase that changes.

use crate::support::{Deployment, Engine, Mcp, Model, program, says};
use crate::users_rotation::{check_all, fill};
use serde_json::json;
use std::process::Stdio;

const OLD: &str = "correct horse battery staple";
const NEW: &str = "seven green kettles under a quiet bridge";

fn file(deployment: &Deployment, name: &str) -> String {
    std::fs::read_to_string(deployment.folder().join(name)).unwrap()
}

/// The names of the master keys in the file, oldest first.
fn masters(deployment: &Deployment) -> Vec<String> {
    let text = file(deployment, "svc.db.key");
    text.lines().map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect()
}

/// Keys in files have to be copied to the other hosts of a PostgreSQL database before they are used.
pub fn rotate(deployment: &Deployment) -> String {
    let said = deployment.svc(&["keys", "rotate", "master"]);
    if said.contains("Copy that file") {
        assert_eq!(crate::ENGINE, Engine::Postgres);
        return deployment.svc(&["keys", "rotate", "master"]);
    }
    said
}

/// How many values anywhere are under this master key.
fn sealed_under(deployment: &Deployment, master: &str) -> i64 {
    let begins = |column: &str| match crate::ENGINE {
        Engine::Sqlite => format!("lower(hex(substr({column}, 1, 5))) = '01{master}'"),
        Engine::Postgres => format!("encode(substr({column}, 1, 5), 'hex') = '01{master}'"),
    };
    let count = |table: &str, column: &str| {
        let sql = format!("SELECT count(*) FROM {table} WHERE {}", begins(column));
        deployment.sql().cell(&sql).integer()
    };
    [("audit_entry", "detail"), ("principal", "body"), ("space", "policy"), ("deployment", "value")]
        .map(|(table, column)| count(table, column))
        .iter()
        .sum()
}

#[test]
fn everything_is_sealed_anew_and_nobody_notices() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    deployment.principal("member", &[]);
    let (writer, reader) = (deployment.start(), deployment.start());
    fill(&writer, 3);
    check_all(&reader, 3);
    deployment.svc(&["keys", "rotate", "signing"]);
    let old = masters(&deployment).remove(0);
    assert!(sealed_under(&deployment, &old) > 0);
    let said = rotate(&deployment);
    let new = masters(&deployment).remove(1);
    assert!(said.starts_with(&format!("Rotated: master key {new} seals")), "{said}");
    assert_eq!(sealed_under(&deployment, &old), 0);
    // Neither process has looked at the keys since.
    check_all(&reader, 3);
    check_all(&writer, 3);
    fill(&writer, 4);
    check_all(&reader, 4);
    deployment.svc(&["keys", "rotate", "signing"]);
    fill(&reader, 1);
    assert_eq!(sealed_under(&deployment, &old), 0);
    for process in [reader, writer] {
        process.intact();
        assert!(process.close().success());
    }
    assert!(deployment.svc(&["fsck"]).contains('✓'));
    assert!(deployment.svc(&["keys"]).contains(&format!("master   {new}, in ")));
    let process = deployment.start();
    check_all(&process, 3);
    assert!(process.call("audit_log", &json!({ "limit": 50 })).contains("master_key_rotated"));
}

#[test]
fn what_is_there_now_does_not_open_with_the_key_before() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    fill(&process, 1);
    assert!(process.close().success());
    let before = file(&deployment, "svc.db.key");
    rotate(&deployment);
    let thief = deployment.copy();
    std::fs::write(thief.folder().join("svc.db.key"), before).unwrap();
    assert!(thief.refusal().contains("another key"));
}

#[test]
fn a_rotation_that_is_killed_is_finished_by_the_next() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    fill(&process, 4);
    for wait in [0, 30, 60, 90, 120] {
        let mut command = deployment.command(&program("svc"));
        command.args(["keys", "rotate", "master"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut rotation = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        rotation.kill().unwrap();
        rotation.wait().unwrap();
        check_all(&process, 4);
    }
    rotate(&deployment);
    rotate(&deployment);
    let masters = masters(&deployment);
    assert!(masters.len() >= 2);
    for old in &masters[..masters.len() - 1] {
        assert_eq!(sealed_under(&deployment, old), 0);
    }
    check_all(&process, 4);
    process.intact();
    assert!(process.close().success());
    assert!(deployment.svc(&["fsck"]).contains('✓'));
}

#[test]
fn a_backup_from_before_still_restores() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    fill(&process, 2);
    deployment.svc(&["backup", "before"]);
    rotate(&deployment);
    fill(&process, 3);
    assert!(process.close().success());
    deployment.svc(&["restore", "before", "--force", "--confirm", "a drill"]);
    check_all(&deployment.start(), 2);
    let started = deployment.run(&program("svc-mcp"), &[]);
    assert!(String::from_utf8(started.stderr).unwrap().contains("a newer master key is in the key file"));
    let shown = deployment.svc(&["keys"]);
    assert!(shown.contains("is newer and seals nothing yet"), "{shown}");
    let (count, said) = (masters(&deployment).len(), rotate(&deployment));
    assert!(said.starts_with("Rotated"), "{said}");
    assert_eq!(masters(&deployment).len(), count, "the key that waited was not used");
    assert!(!deployment.svc(&["keys"]).contains("seals nothing yet"));
    let process = deployment.start();
    check_all(&process, 2);
    process.intact();
}

#[test]
fn no_master_key_is_rotated_where_there_is_none() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_ENCRYPT", "off");
    assert!(deployment.svc_refuses(&["keys", "rotate", "master"]).contains("SVC_ENCRYPT is off"));
}

fn change_passphrase(deployment: &mut Deployment, to: &str) -> String {
    deployment.set("SVC_NEW_KEY", to);
    let said = deployment.svc(&["keys", "move", "--to", "passphrase"]);
    deployment.set("SVC_NEW_KEY", "");
    deployment.set("SVC_KEY", to);
    said
}

fn check_knows(process: &Mcp) {
    assert!(process.list().contains("• budget = forty thousand"), "{}", process.list());
    process.intact();
}

#[test]
fn a_passphrase_is_changed_while_the_service_runs() {
    let model = Model::start();
    let mut deployment = Deployment::new(&model).with("SVC_KEY", OLD);
    let process = deployment.start();
    process.remember(&says("budget", "forty thousand"));

    assert!(deployment.svc_refuses(&["keys", "move", "--to", "passphrase"]).contains("SVC_NEW_KEY"));
    deployment.set("SVC_NEW_KEY", "password");
    let refusal = deployment.svc_refuses(&["keys", "move", "--to", "passphrase"]);
    assert!(refusal.contains("SVC_NEW_KEY is too easy to guess"), "{refusal}");
    // A slip of the pen would make keys that nothing is sealed under.
    deployment.set("SVC_KEY", "incorrect horse battery staple");
    deployment.set("SVC_NEW_KEY", NEW);
    assert!(deployment.svc_refuses(&["keys", "move", "--to", "passphrase"]).contains("another key"));
    assert!(!deployment.folder().join("svc.db.key").exists());

    deployment.set("SVC_KEY", OLD);
    let said = change_passphrase(&mut deployment, NEW);
    assert!(said.contains("Start with the new passphrase"), "{said}");
    assert!(file(&deployment, "svc.db.key").contains(" locked:"));
    check_knows(&process);
    assert!(process.close().success());
    let process = deployment.start();
    check_knows(&process);
    deployment.set("SVC_KEY", OLD);
    let refusal = deployment.refusal();
    assert!(refusal.contains("SVC_KEY does not open") && refusal.contains("svc.db.key"), "{refusal}");
    deployment.set("SVC_KEY", "");
    assert!(deployment.refusal().contains("locked by a passphrase"));

    // A second change, a new signing key and a new master key, with a process that holds the passphrase before.
    deployment.set("SVC_KEY", NEW);
    deployment.svc(&["keys", "rotate", "signing"]);
    deployment.svc(&["keys", "rotate", "master"]);
    check_knows(&process);
    process.remember(&says("place", "the old mill"));
    change_passphrase(&mut deployment, OLD);
    assert!(process.list().contains("the old mill"));
    assert!(process.close().success());
    check_knows(&deployment.start());
    assert!(deployment.svc(&["keys"]).contains("locked by SVC_KEY"));
    assert!(deployment.svc(&["fsck"]).contains('✓'));
}

#[test]
fn keys_move_between_a_passphrase_and_files() {
    let model = Model::start();
    let mut deployment = Deployment::new(&model).with("SVC_KEY", OLD);
    let process = deployment.start();
    process.remember(&says("budget", "forty thousand"));
    assert!(process.close().success());
    for _ in 0..2 {
        assert!(deployment.svc(&["keys", "move", "--to", "files"]).contains("Unset SVC_KMS and SVC_KEY"));
        deployment.set("SVC_KEY", "");
        check_knows(&deployment.start());
        assert!(!file(&deployment, "svc.db.key").contains("locked:"));
        deployment.set("SVC_KEY", OLD);
        assert!(deployment.refusal().contains("no passphrase locks"));
        deployment.set("SVC_KEY", "");
        change_passphrase(&mut deployment, NEW);
        check_knows(&deployment.start());
        assert!(file(&deployment, "svc.db.key").contains(" locked:"));
    }
    deployment.svc(&["backup", "copy"]);
    deployment.svc(&["restore", "copy", "--force", "--confirm", "a drill"]);
    check_knows(&deployment.start());
    assert!(
        deployment.svc_refuses(&["keys", "move", "--to", "vault"]).contains("move the keys to files first")
    );
}
