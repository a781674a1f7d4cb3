//! A restored database knows what it lacks: BROKEN until the operator confirms it, INTACT with what is missing after
//! that, and BROKEN again for whatever the confirmation does not cover.

use crate::support::{Deployment, Engine, Mcp, Model, blob, says};
use evidence::{Hash, Position, Restoration, Signed, Signer};
use serde_json::json;
use std::sync::LazyLock;

/// Five entries, backed up as `copy`, and then three more.
static LATER: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    write(&deployment, 0..5);
    deployment.svc(&["backup", "copy"]);
    write(&deployment, 5..8);
    deployment
});

fn write(deployment: &Deployment, numbers: std::ops::Range<usize>) {
    let process = deployment.start();
    for n in numbers {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    assert!(process.close().success());
}

fn verdict(process: &Mcp) -> String {
    process.call("verify_audit", &json!({}))
}

/// It is an entry of the log itself, which the next verdict counts.
fn verdict_of(deployment: &Deployment) -> String {
    let process = deployment.start();
    let verdict = verdict(&process);
    assert!(process.close().success());
    verdict
}

#[track_caller]
fn check_broken(deployment: &Deployment, reason: &str) {
    let verdict = verdict_of(deployment);
    assert!(verdict.starts_with("⚠ Audit chain BROKEN at seq ") && verdict.contains(reason), "{verdict}");
}

#[track_caller]
fn check_intact(deployment: &Deployment, entries: usize, missing: &str) {
    let verdict = verdict_of(deployment);
    let mut lines = verdict.lines();
    assert_eq!(lines.next(), Some(format!("✓ Audit chain INTACT — {entries} entries verified.").as_str()));
    let line = lines.next().unwrap_or_default();
    assert!(line.starts_with("Restored on ") && line.ends_with(missing), "{line}");
    assert_eq!(lines.next(), None);
}

#[test]
fn a_restored_log_is_broken_until_confirmed() {
    let deployment = LATER.copy();
    let said = deployment.svc(&["restore", "copy", "--force"]);
    assert!(said.contains("Entries 6 to 8 of the audit log are missing; the last was signed at "), "{said}");
    check_broken(&deployment, "svc restore --confirm");
    let said = deployment.svc(&["restore", "--confirm", "the disk failed"]);
    assert!(said.contains("Entries 6 to 8 of the audit log are missing"), "{said}");
    check_intact(&deployment, 7, "entries 6 to 8 are missing, as the operator confirmed: the disk failed.");
    let log = deployment.start().call("audit_log", &json!({}));
    assert!(log.contains("restored  user=local  entries 6 to 8 are missing: the disk failed"), "{log}");
}

#[test]
fn a_restoration_can_be_confirmed_while_restoring() {
    let deployment = LATER.copy();
    deployment.svc(&["restore", "copy", "--force", "--confirm", "a test"]);
    check_intact(&deployment, 6, "entries 6 to 8 are missing, as the operator confirmed: a test.");
    let refusal = deployment.svc_refuses(&["restore", "--confirm", "once more"]);
    assert!(refusal.contains("nothing is missing"), "{refusal}");
}

#[test]
fn a_database_put_back_by_other_means_is_confirmed_without_a_file() {
    let deployment = LATER.copy();
    let earlier = deployment.copy();
    write(&deployment, 8..10);
    deployment.roll_back_database_to(&earlier);
    check_broken(&deployment, "rolled back");
    deployment.svc(&["restore", "--confirm", "point-in-time recovery"]);
    check_intact(
        &deployment,
        10,
        "entries 9 to 10 are missing, as the operator confirmed: point-in-time recovery.",
    );
}

#[test]
fn late_confirmation_names_the_same_missing_entries() {
    let deployment = LATER.copy();
    deployment.svc(&["restore", "copy", "--force"]);
    write(&deployment, 10..16);
    check_broken(&deployment, "rewritten");
    deployment.svc(&["restore", "--confirm", "late"]);
    check_intact(&deployment, 13, "entries 6 to 8 are missing, as the operator confirmed: late.");
    write(&deployment, 16..18);
    check_intact(&deployment, 16, "entries 6 to 8 are missing, as the operator confirmed: late.");
}

#[test]
fn a_rollback_after_the_confirmation_is_broken_again() {
    let deployment = LATER.copy();
    deployment.svc(&["restore", "copy", "--force", "--confirm", "the disk failed"]);
    let confirmed = deployment.copy();
    write(&deployment, 8..9);
    deployment.roll_back_database_to(&confirmed);
    check_broken(&deployment, "rolled back");

    // Not even the entry of the confirmation itself can be cut off.
    let cut = confirmed.copy();
    let earlier = LATER.copy();
    earlier.svc(&["restore", "copy", "--force"]);
    let note = confirmed.sql().cell("SELECT value FROM deployment WHERE name = 'restoration:1'");
    cut.roll_back_database_to(&earlier);
    let value = note.literal();
    cut.sql().run(&format!("INSERT INTO deployment (name, value) VALUES ('restoration:1', {value})"));
    check_broken(&cut, "rolled back");
}

#[test]
fn a_second_restoration_needs_a_note_of_its_own() {
    let deployment = LATER.copy();
    deployment.svc(&["restore", "copy", "--force", "--confirm", "the first time"]);
    deployment.svc(&["backup", "second"]);
    write(&deployment, 8..9);
    deployment.svc(&["restore", "second", "--force"]);
    check_broken(&deployment, "rolled back");
    deployment.svc(&["restore", "--confirm", "the second time"]);
    let verdict = verdict_of(&deployment);
    let lines: Vec<&str> = verdict.lines().collect();
    assert_eq!(lines.len(), 3, "{verdict}");
    assert!(lines[1].ends_with("entries 6 to 8 are missing, as the operator confirmed: the first time."));
    assert!(lines[2].ends_with("entries 7 to 7 are missing, as the operator confirmed: the second time."));
}

/// A note that names the true place.
fn note(deployment: &Deployment, signer: Option<&Signer>) -> Vec<u8> {
    let hash = deployment.sql().cell("SELECT hash FROM audit_entry WHERE seq = 5");
    let kept = Position { size: 5, hash: Hash(hash.bytes().try_into().unwrap()) };
    let lost = Position { size: 8, hash: Hash([0; 32]) };
    let note = Restoration { kept, lost, ts: domain::Timestamp::now(), reason: "trust me".to_owned() };
    Signed::new(note, signer).encode()
}

#[test]
fn a_forged_unsigned_or_malformed_note_is_broken() {
    let restored = LATER.copy();
    restored.svc(&["restore", "copy", "--force"]);
    let forged = note(&restored, Some(&Signer::from_seed([7; 32])));
    for value in [forged, note(&restored, None), vec![0; 40]] {
        let deployment = restored.copy();
        let value = blob(&value);
        deployment
            .sql()
            .run(&format!("INSERT INTO deployment (name, value) VALUES ('restoration:1', {value})"));
        check_broken(&deployment, "note of a restoration");
        deployment.svc_refuses(&["restore", "--confirm", "over a forged one"]);
    }
}

#[test]
fn a_confirmation_excuses_no_tampering() {
    let deployment = LATER.copy();
    deployment.svc(&["restore", "copy", "--force"]);
    deployment.sql().run("UPDATE audit_entry SET caller = 'mallory' WHERE seq = 2");
    let refusal = deployment.svc_refuses(&["restore", "--confirm", "nothing to see here"]);
    assert!(refusal.contains("broken at seq 2"), "{refusal}");
    let notes = deployment.sql().cell("SELECT count(*) FROM deployment WHERE name LIKE 'restoration:%'");
    assert_eq!(notes.integer(), 0);
}

#[test]
fn a_lost_head_file_is_begun_anew_by_the_operators_note_alone() {
    let deployment = LATER.copy();
    let head = deployment.folder().join("svc.db.head");
    std::fs::remove_file(&head).unwrap();
    write(&deployment, 8..9);
    check_broken(&deployment, "is missing or unreadable");
    if crate::ENGINE == Engine::Sqlite {
        deployment.svc(&["backup", "whole"]);
        deployment.svc(&["restore", "whole", "--force"]);
        check_broken(&deployment, "is missing or unreadable");
    }
    let said = deployment.svc(&["restore", "--confirm", "the folder was cleaned"]);
    assert!(said.starts_with("The head file is gone"), "{said}");
    let verdict = verdict_of(&deployment);
    assert!(verdict.contains("INTACT") && verdict.contains("The head file was lost"), "{verdict}");
    assert!(verdict.ends_with("as the operator confirmed: the folder was cleaned."), "{verdict}");
    let log = deployment.start().call("audit_log", &json!({}));
    assert!(log.contains("restored  user=local  the head file was lost at entry "), "{log}");

    let earlier = deployment.copy();
    write(&deployment, 9..11);
    deployment.roll_back_database_to(&earlier);
    check_broken(&deployment, "rolled back");
}

#[test]
fn a_head_of_another_deployment_is_not_confirmed_away() {
    let deployment = LATER.copy();
    let stranger = Deployment::new(&Model::start());
    write(&stranger, 0..12);
    std::fs::copy(stranger.folder().join("svc.db.head"), deployment.folder().join("svc.db.head")).unwrap();
    let refusal = deployment.svc_refuses(&["restore", "--confirm", "never mind"]);
    assert!(refusal.contains("not signed with the keys at hand"), "{refusal}");
    check_broken(&deployment, "no valid signature");
}
