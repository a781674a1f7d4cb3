//! The signed head of the audit log, and what it proves to whoever kept it.

use crate::support::{Deployment, Model, says};
use evidence::{EntryProof, Keyring, PublicKey, SignedHead};
use serde_json::json;
use std::sync::LazyLock;

/// Some entries; their head, kept as `yesterday`; and some more.
static LATER: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    write(&deployment, 0..5);
    keep_head(&deployment, "yesterday");
    write(&deployment, 5..9);
    deployment
});

fn write(deployment: &Deployment, numbers: std::ops::Range<usize>) {
    let process = deployment.start();
    for n in numbers {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    assert!(process.close().success());
}

fn keep_head(deployment: &Deployment, name: &str) {
    std::fs::write(deployment.folder().join(name), deployment.svc(&["head"])).unwrap();
}

fn keys(deployment: &Deployment) -> Keyring {
    let shown = deployment.start().call("export_public_key", &json!({}));
    Keyring::new(PublicKey::from_hex(shown.lines().last().unwrap()).unwrap(), Vec::new())
}

#[test]
fn the_head_is_a_signed_checkpoint() {
    let deployment = LATER.copy();
    let note = deployment.svc(&["head"]);
    let head = SignedHead::from_note(&note, &keys(&deployment)).unwrap();
    assert_eq!(head.statement.at.size, 9);
    assert!(note.starts_with("svc/audit/") && note.contains("\n9\n"), "{note}");
}

#[test]
fn todays_log_continues_yesterdays() {
    let deployment = LATER.copy();
    let said = deployment.svc(&["verify", "--since", "yesterday"]);
    assert!(said.starts_with("✓ The log of 9 entries continues the one of 5"), "{said}");
    keep_head(&deployment, "now");
    let said = deployment.svc(&["verify", "--since", "now"]);
    assert!(said.contains("0 entries more"), "{said}");
}

#[test]
fn a_log_that_does_not_continue_is_refused() {
    let deployment = LATER.copy();
    keep_head(&deployment, "later");
    let stranger = Deployment::new(&Model::start());
    write(&stranger, 0..3);
    let refusal =
        stranger.svc_refuses(&["verify", "--since", deployment.folder().join("later").to_str().unwrap()]);
    assert!(refusal.contains("no valid signature"), "{refusal}");
    let forked = LATER.copy();
    write(&deployment, 9..12);
    keep_head(&deployment, "later");
    let later = deployment.folder().join("later");
    let refusal = forked.svc_refuses(&["verify", "--since", later.to_str().unwrap()]);
    assert!(refusal.contains("rolled back"), "{refusal}");
    write(&forked, 20..26);
    let refusal = forked.svc_refuses(&["verify", "--since", later.to_str().unwrap()]);
    assert!(refusal.contains("rewritten"), "{refusal}");
}

#[test]
fn one_entry_is_proven_without_the_rest() {
    let deployment = LATER.copy();
    let keys = keys(&deployment);
    let proof = deployment.svc(&["head", "--entry", "4"]);
    let proven = EntryProof::check(&proof, &keys).unwrap();
    assert_eq!((proven.entry.seq, proven.entry.action.as_str()), (4, "remember"));
    let refusal = deployment.svc_refuses(&["head", "--entry", "4000"]);
    assert!(refusal.contains("no entry 4000"), "{refusal}");
    // A changed entry has no proof.
    deployment.sql().run("UPDATE audit_entry SET caller = 'mallory' WHERE seq = 4");
    let refusal = deployment.svc_refuses(&["head", "--entry", "4"]);
    assert!(refusal.contains("verify_audit"), "{refusal}");
}

#[test]
fn proofs_outlive_a_purge() {
    let deployment = LATER.copy();
    let process = deployment.start();
    process.call("purge_expired", &json!({ "older_than_days": 0, "include_audit": true }));
    process.remember(&says("subject 1", "after the purge"));
    assert!(process.close().success());
    let proof = deployment.svc(&["head", "--entry", "11"]);
    EntryProof::check(&proof, &keys(&deployment)).unwrap();
    let refusal = deployment.svc_refuses(&["verify", "--since", "yesterday"]);
    assert!(refusal.contains("purged"), "{refusal}");
}
