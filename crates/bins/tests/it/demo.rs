//! `svc demo` shows what it says it shows.

use std::process::Command;

#[test]
fn every_step_of_the_demo_is_real() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
    // Whatever the shell is set to, the demo touches nothing of it.
    command.env_clear().env("SVC_DB", folder.path().join("mine.db")).current_dir(folder.path());
    let output = command.arg("demo").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(!said.contains('\u{1b}'), "no colour where there is no terminal");
    let mut rest = said.as_str();
    for step in [
        "[ADD] database = MySQL",
        "[SUPERSEDE] database = Postgres",
        "1. MySQL  [SUPERSEDED]",
        "2. Postgres  [ACTIVE]",
        "[ADD] code_owner = Dana",
        "[RETRACT] code_owner = Dana",
        "[ADD] deploy_target = Heroku",
        "[FLAG] deploy_target = Fly.io",
        "REPLACE deploy_target: 'Heroku' → 'Fly.io'",
        "Access denied: 'confirm_change' requires the 'approve' capability",
        "Approved #",
        "Fly.io",
        "Based on these facts:",
        "Decision #1 recorded",
        "action: Renewed the database support contract",
        "database = Postgres",
        "✓ receipt verified (record intact)",
        "✓ Audit chain INTACT",
        "⚠ Audit chain BROKEN at seq 5",
    ] {
        let at =
            rest.find(step).unwrap_or_else(|| panic!("'{step}' is missing, or not in its place:\n{said}"));
        rest = &rest[at + step.len()..];
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it left something behind");
}
