//! The file beside the database that holds the head of the audit log: for its owner alone, and whoever locks it holds
//! nobody up.

use crate::support::http::request;
use crate::support::{Deployment, Model, says};
use serde_json::json;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A call that waited for the lock would wait as long as the test holds it.
const AT_ONCE: Duration = Duration::from_secs(10);

fn head_file(deployment: &Deployment) -> PathBuf {
    deployment.folder().join("svc.db.head")
}

fn mode(deployment: &Deployment) -> u32 {
    std::fs::metadata(head_file(deployment)).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_head_file_is_its_owners_alone() {
    let deployment = Deployment::new(&Model::start());
    assert!(deployment.start().close().success());
    assert_eq!(mode(&deployment), 0o600);
    std::fs::set_permissions(head_file(&deployment), Permissions::from_mode(0o644)).unwrap();
    assert!(deployment.start().close().success());
    assert_eq!(mode(&deployment), 0o600, "a wider one is narrowed");
}

#[test]
fn a_locked_head_file_delays_nothing_but_itself() {
    let deployment = Deployment::new(&Model::start()).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    client.remember(&says("before", "the lock"));

    let stranger = File::open(head_file(&deployment)).unwrap();
    stranger.lock().unwrap();
    let before = std::fs::read(head_file(&deployment)).unwrap();
    let began = Instant::now();
    for n in 0..20 {
        let stored = client.remember(&says(&format!("subject {n}"), "kept"));
        assert!(stored.starts_with("Stored: [ADD]"), "{stored}");
    }
    assert_eq!(server.connect().ask(&request("GET", "/readyz", &[], b"")).unwrap().status, 200);
    let verdict = client.call("verify_audit", &json!({}));
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert_eq!(std::fs::read(head_file(&deployment)).unwrap(), before, "it was written over a lock");
    let mut lines = verdict.lines();
    assert_eq!(lines.next(), Some("✓ Audit chain INTACT — 22 entries verified."));
    let behind = "nothing outside the database vouches for entries after 2";
    assert!(lines.next().is_some_and(|line| line.contains(behind)), "{verdict}");
    let warnings = server.log().iter().filter(|line| line.contains("could not be written to")).count();
    assert_eq!(warnings, 1, "{:?}", server.log());

    drop(stranger);
    client.remember(&says("after", "the lock"));
    assert_ne!(std::fs::read(head_file(&deployment)).unwrap(), before, "the next commit writes it");
    let verdict = client.call("verify_audit", &json!({}));
    assert_eq!(verdict, "✓ Audit chain INTACT — 24 entries verified.");
}
