//! A database file that is gone while its keys and its head are there: no program begins a new one in its place.

use crate::support::{Deployment, Model, says};
use serde_json::json;

const PROGRAMS: [(&str, &[&str]); 5] = [
    (env!("CARGO_BIN_EXE_svc-mcp"), &[]),
    (env!("CARGO_BIN_EXE_svc-server"), &[]),
    (env!("CARGO_BIN_EXE_svc"), &["list"]),
    (env!("CARGO_BIN_EXE_svc-migrate"), &["status"]),
    (env!("CARGO_BIN_EXE_svc-migrate"), &["up"]),
];

fn check_refused(deployment: &Deployment) {
    for (program, arguments) in PROGRAMS {
        let output = deployment.run(program, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{program} {arguments:?} started");
        let advice = ["it held 1 audit entries", "svc restore FILE", "move svc.db.head and the key files"];
        assert!(advice.iter().all(|words| said.contains(words)), "{program} {arguments:?}: {said}");
    }
}

#[test]
fn a_missing_or_emptied_database_stops_startup_with_what_to_do() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("subject", "kept"));
    assert!(process.close().success());
    deployment.svc(&["backup", "copy"]);
    let database = deployment.folder().join("svc.db");

    std::fs::remove_file(&database).unwrap();
    check_refused(&deployment);
    assert!(!database.exists(), "a new one was begun");
    std::fs::write(&database, "").unwrap();
    check_refused(&deployment);

    // The head file is gone as well, and the keys are not.
    let head = deployment.folder().join("svc.db.head");
    let kept = std::fs::read(&head).unwrap();
    std::fs::remove_file(&head).unwrap();
    let refusal = deployment.refusal();
    assert!(refusal.contains("svc.db.key") && refusal.contains("svc restore FILE"), "{refusal}");
    std::fs::write(&head, kept).unwrap();

    deployment.svc(&["restore", "copy"]);
    let process = deployment.start();
    assert!(process.list().contains("kept"));
    process.intact();
    assert!(process.close().success());

    for name in deployment.files().iter().filter(|name| name.starts_with("svc.db")) {
        std::fs::remove_file(deployment.folder().join(name)).unwrap();
    }
    let process = deployment.start();
    assert!(!process.list().contains("kept"), "it begins anew once the head and the keys are gone too");
    assert!(process.call("verify_audit", &json!({})).contains("INTACT"));
}

#[test]
fn a_database_that_no_longer_says_how_it_was_made_is_told() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("subject", "kept"));
    assert!(process.close().success());
    deployment.sql().run("DELETE FROM deployment WHERE name = 'encryption'");
    let refusal = deployment.refusal();
    assert!(refusal.contains("SVC_DB") && refusal.contains("svc restore FILE"), "{refusal}");
}
