//! A new signing key: who signs from then on, what still verifies, and that a retired key signs nothing.

use crate::support::{Deployment, Engine, Mcp, Model, blob, program, says};
use evidence::{Canonical, Head, Receipt, Signed, SignedHead, Signer};
use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};

const PASSPHRASE: &str = "correct horse battery staple";

fn key(process: &Mcp) -> String {
    process.call("export_public_key", &json!({})).lines().last().unwrap().to_owned()
}

/// One of each thing that is signed.
fn work(process: &Mcp, n: usize) {
    process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    process.call("attest", &json!({ "subject": format!("subject {n}") }));
    process.call("record_decision", &json!({ "action_summary": "go on", "question": "what now?" }));
}

/// Keeps an export, its first receipt, and the whole log as files.
fn keep(deployment: &Deployment, process: &Mcp, name: &str) -> [String; 3] {
    let export = process.call("export_memory", &json!({}));
    let receipt = serde_json::from_str::<Value>(&export).unwrap()["receipts"][0].to_string();
    let names = ["export", "receipt", "log"].map(|kind| format!("{name}.{kind}"));
    std::fs::write(deployment.folder().join(&names[0]), export).unwrap();
    std::fs::write(deployment.folder().join(&names[1]), receipt).unwrap();
    deployment.svc(&["audit", "export", &names[2]]);
    names
}

/// What our program and the second one say of the files.
fn verified(deployment: &Deployment, files: &[String], more: &[&str]) -> [Output; 2] {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let ours = deployment.run(&program("svc"), &[&["verify"], &files[..], more].concat());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib/verify_evidence.py");
    let mut python = Command::new("python3");
    python.current_dir(deployment.folder()).arg(script).args(files).args(more);
    [ours, python.output().unwrap()]
}

#[track_caller]
fn check_holds(deployment: &Deployment, files: &[String], more: &[&str]) {
    for said in verified(deployment, files, more) {
        let told = [said.stdout, said.stderr].concat();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&told));
    }
}

#[track_caller]
fn check_fails(deployment: &Deployment, files: &[String], more: &[&str], why: &str) {
    for said in verified(deployment, files, more) {
        let told = String::from_utf8([said.stdout, said.stderr].concat()).unwrap();
        assert!(!said.status.success() && told.contains(why), "{told}");
    }
}

#[test]
fn running_processes_sign_with_the_new_key_and_everything_older_verifies() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (writer, reader) = (deployment.start(), deployment.start());
    work(&writer, 0);
    let first = key(&writer);
    let old = keep(&deployment, &writer, "old");
    assert!(deployment.svc(&["keys"]).contains("from the beginning"));

    let said = deployment.svc(&["keys", "rotate", "signing"]);
    // Whoever only reads learns of the key, too.
    reader.intact();
    let second = key(&reader);
    assert!(first != second && said.contains(&second), "{said}");
    assert!(reader.call("verify_receipt", &json!({ "receipt_id": 1 })).contains("✓ VALID"));
    work(&writer, 1);
    assert!(reader.call("verify_receipt", &json!({ "receipt_id": 2 })).contains("✓ VALID"));
    deployment.svc(&["keys", "rotate", "signing"]);
    work(&reader, 2);
    work(&writer, 3);
    let third = key(&writer);
    let new = keep(&deployment, &writer, "new");
    let history = deployment.svc(&["keys", "history"]);
    std::fs::write(deployment.folder().join("history"), history).unwrap();
    for process in [&writer, &reader] {
        process.intact();
        for id in 1..=4 {
            assert!(process.call("verify_receipt", &json!({ "receipt_id": id })).contains("✓ VALID"));
            assert!(process.call("explain_decision", &json!({ "decision_id": id })).contains("✓"));
        }
    }
    let shown = deployment.svc(&["keys"]);
    assert!(shown.contains("after 2 keys") && shown.contains(&third), "{shown}");
    assert!(writer.close().success() && reader.close().success());
    assert!(deployment.svc(&["fsck"]).contains("✓"));

    check_holds(&deployment, &old, &["--key", &first]);
    for key in [&first, &second, &third] {
        // An export tells the history itself.
        check_holds(&deployment, &[new[0].clone(), new[2].clone()], &["--key", key]);
        check_holds(&deployment, &[&old[..], &new[..]].concat(), &["--key", key, "--history", "history"]);
    }
    check_fails(&deployment, &old, &["--key", &third], "key");
    let stranger = Signer::from_seed([9; 32]).public_key().to_hex();
    check_fails(&deployment, &new, &["--key", &stranger, "--history", "history"], "key");
}

/// The secret of the signing key, as it lay in the file before the rotation.
fn stolen(deployment: &Deployment) -> Signer {
    let text = std::fs::read_to_string(deployment.folder().join("svc.db.sign.key")).unwrap();
    let digits = text.trim_end().rsplit(' ').next().unwrap();
    Signer::from_seed(hex::decode(digits).unwrap().try_into().unwrap())
}

#[test]
fn what_a_retired_key_signs_later_does_not_hold() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    work(&process, 0);
    let first = key(&process);
    let thief = stolen(&deployment);
    deployment.svc(&["keys", "rotate", "signing"]);
    work(&process, 1);
    let files = keep(&deployment, &process, "new");
    assert!(process.close().success());

    // A receipt of today, signed anew with the old key.
    let export = std::fs::read_to_string(deployment.folder().join(&files[0])).unwrap();
    let mut export: Value = serde_json::from_str(&export).unwrap();
    let body = hex::decode(export["receipts"][1]["body"].as_str().unwrap()).unwrap();
    let receipt = Receipt::decode(&body).unwrap();
    let forged = Signed::new(receipt, Some(&thief));
    export["receipts"][1]["signature"] = json!(hex::encode(forged.signature.unwrap().encode()));
    std::fs::write(deployment.folder().join("forged"), export.to_string()).unwrap();
    check_fails(&deployment, &["forged".to_owned()], &["--key", &first], "retired");

    // The head of the log, signed anew with the old key.
    let sql = deployment.sql();
    let row = sql.cell("SELECT value FROM deployment WHERE name = 'audit_head'");
    let head: SignedHead = Signed::decode(row.bytes()).unwrap();
    let forged = Signed::<Head>::new(head.statement, Some(&thief)).encode();
    let set = format!("UPDATE deployment SET value = {} WHERE name = 'audit_head'", blob(&forged));
    sql.run(&set);
    let process = deployment.start();
    let verdict = process.call("verify_audit", &json!({}));
    assert!(verdict.contains("BROKEN") && verdict.contains("no valid signature"), "{verdict}");
}

#[test]
fn an_old_copy_of_the_signing_key_does_not_start_the_service() {
    let model = Model::start();
    for passphrase in ["", PASSPHRASE] {
        let deployment = Deployment::new(&model).with("SVC_KEY", passphrase);
        let process = deployment.start();
        work(&process, 0);
        assert!(process.close().success());
        let file = deployment.folder().join("svc.db.sign.key");
        let old = std::fs::read(&file).ok();
        deployment.svc(&["keys", "rotate", "signing"]);
        let process = deployment.start();
        work(&process, 1);
        process.intact();
        assert!(process.close().success());
        let new = deployment.folder().join("new");
        std::fs::rename(&file, &new).unwrap();
        if let Some(old) = &old {
            std::fs::copy(&new, &file).unwrap();
            std::fs::write(&file, old).unwrap();
        }
        if crate::ENGINE == Engine::Sqlite {
            let refusal = deployment.refusal();
            assert!(refusal.contains("newest copy") && refusal.contains(".sign.key"), "{refusal}");
            std::fs::copy(&new, &file).unwrap();
        }
        // All hosts have the key from PostgreSQL, and no host keeps the old one.
        deployment.start().intact();
        assert_ne!(std::fs::read(&file).ok(), old);
    }
}

#[test]
fn a_restored_database_goes_on_with_the_newest_key() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    work(&process, 0);
    deployment.svc(&["keys", "rotate", "signing"]);
    work(&process, 1);
    assert!(process.close().success());
    deployment.svc(&["backup", "copy"]);
    let process = deployment.start();
    work(&process, 2);
    deployment.svc(&["keys", "rotate", "signing"]);
    work(&process, 3);
    let newest = key(&process);
    assert!(process.close().success());

    deployment.svc(&["restore", "copy", "--force", "--confirm", "a drill"]);
    let process = deployment.start();
    assert_eq!(key(&process), newest);
    work(&process, 4);
    assert!(process.call("verify_audit", &json!({})).contains("INTACT"));
    let files = keep(&deployment, &process, "after");
    assert!(process.close().success());
    check_holds(&deployment, &[files[0].clone(), files[2].clone()], &["--key", &newest]);
    assert!(deployment.svc(&["fsck"]).contains("✓"));
}

#[test]
fn a_log_that_was_robbed_of_its_key_history_is_broken() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    work(&process, 0);
    assert!(process.close().success());
    let before = deployment.copy();
    deployment.svc(&["keys", "rotate", "signing"]);
    // Everything that tells of the new key is put back to what it was; the log is not.
    deployment.sql().run("DELETE FROM deployment WHERE name IN ('key_history', 'signing_keys')");
    for name in ["svc.db.sign.key", "svc.db.head"] {
        std::fs::copy(before.folder().join(name), deployment.folder().join(name)).unwrap();
    }
    let process = deployment.start();
    let verdict = process.call("verify_audit", &json!({}));
    assert!(verdict.contains("BROKEN"), "{verdict}");
}

#[test]
fn a_rotation_that_is_killed_leaves_one_key_that_signs() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    work(&process, 0);
    for wait in [0, 20, 40, 60, 80, 120] {
        let mut command = deployment.command(&program("svc"));
        command.args(["keys", "rotate", "signing"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut rotation = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        rotation.kill().unwrap();
        rotation.wait().unwrap();
        work(&process, 1 + wait as usize);
        process.intact();
    }
    assert!(process.close().success());
    deployment.svc(&["keys", "rotate", "signing"]);
    deployment.start().intact();
}

#[test]
fn without_sealing_or_signing_there_is_no_rotation() {
    let model = Model::start();
    for (variable, why) in [("SVC_SIGN", "no signing key"), ("SVC_ENCRYPT", "sealed under a master key")] {
        let deployment = Deployment::new(&model).with(variable, "off");
        let refusal = deployment.svc_refuses(&["keys", "rotate", "signing"]);
        assert!(refusal.contains(variable) && refusal.contains(why), "{refusal}");
        assert!(deployment.svc(&["keys"]).contains(&format!("{variable} is off")));
    }
}
