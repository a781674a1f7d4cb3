//! A log from before it was a tree, each entry of which was signed: it still verifies, and goes on as a tree.

use crate::support::{Deployment, Model, says};
use serde_json::json;
use std::sync::LazyLock;

/// A closed deployment of the version before, with a dozen entries.
static OLD: LazyLock<Deployment> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    for n in 0..12 {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    assert!(process.close().success());
    deployment.back_to_version(5);
    deployment
});

#[track_caller]
fn check_broken(deployment: &Deployment, reason: &str) {
    let verdict = deployment.start().call("verify_audit", &json!({}));
    assert!(verdict.starts_with("⚠ Audit chain BROKEN at seq ") && verdict.contains(reason), "{verdict}");
}

fn signatures(deployment: &Deployment) -> i64 {
    deployment.sql().cell("SELECT count(*) FROM audit_entry WHERE signature IS NOT NULL").integer()
}

#[test]
fn an_old_log_is_intact_and_goes_on() {
    let deployment = OLD.copy();
    let process = deployment.start();
    let verdict = process.call("verify_audit", &json!({}));
    // One more lists the rows that are there.
    assert!(verdict.starts_with("✓ Audit chain INTACT — 13 entries verified."), "{verdict}");
    process.remember(&says("subject 1", "a new value"));
    process.intact();
    assert!(process.close().success());
    assert_eq!(signatures(&deployment), 12, "new entries are signed by the head alone");
    deployment.start().intact();
    deployment.svc(&["backup", "copy"]);
}

#[test]
fn the_signatures_of_old_entries_are_still_checked() {
    for continued in [false, true] {
        for (change, reason) in [
            ("signature = NULL", "the entry has no signature"),
            ("signature = (SELECT signature FROM audit_entry WHERE seq = 6)", "signature does not match"),
            ("action = 'recall'", "edited"),
        ] {
            let deployment = OLD.copy();
            if continued {
                let process = deployment.start();
                process.remember(&says("subject 1", "a new value"));
                assert!(process.close().success());
            }
            deployment.sql().run(&format!("UPDATE audit_entry SET {change} WHERE seq = 5"));
            check_broken(&deployment, reason);
        }
    }
}

#[test]
fn an_old_log_that_is_purged_goes_on() {
    let deployment = OLD.copy();
    let process = deployment.start();
    process.call("purge_expired", &json!({ "older_than_days": 0, "include_audit": true }));
    process.remember(&says("subject 1", "after the purge"));
    process.intact();
    assert!(process.close().success());
    deployment.start().intact();
}
