//! Which keys open a database, and what is said to somebody who lost theirs.

use crate::support::{Deployment, Engine, Model, says};

fn filled(deployment: Deployment) -> Deployment {
    let process = deployment.start();
    process.remember(&says("budget", "forty thousand"));
    assert!(process.close().success());
    deployment
}

fn check_refused(deployment: &Deployment, words: &[&str]) {
    let refusal = deployment.refusal();
    for word in words {
        assert!(refusal.contains(word), "'{word}' is missing in: {refusal}");
    }
}

#[test]
fn a_passphrase_opens_the_database_again_and_stores_no_key_in_clear() {
    let model = Model::start();
    let mut deployment = filled(Deployment::new(&model).with("SVC_KEY", "correct horse battery staple"));
    let process = deployment.start();
    assert!(process.list().contains("• budget = forty thousand"));
    process.intact();
    assert!(process.close().success());
    let keys: Vec<String> =
        deployment.files().into_iter().filter(|name| name.starts_with("svc.db.")).collect();
    let users = match crate::ENGINE {
        Engine::Sqlite => Some("svc.db.users.key"),
        Engine::Postgres => None,
    };
    assert_eq!(keys, ["svc.db.head", "svc.db.salt"].into_iter().chain(users).collect::<Vec<_>>());

    deployment.set("SVC_KEY", "incorrect horse battery staple");
    check_refused(&deployment, &["SVC_KEY"]);
    deployment.set("SVC_KEY", "");
    check_refused(&deployment, &["svc.db"]);
}

#[test]
fn a_passphrase_of_a_word_or_two_is_refused_for_a_new_database() {
    let model = Model::start();
    for weak in ["password", "Password123!", "correct horse", "hunter2hunter2"] {
        let mut deployment = Deployment::new(&model).with("SVC_KEY", weak);
        check_refused(&deployment, &["SVC_KEY", "too easy to guess", "openssl rand -hex 32"]);
        deployment.set("SVC_KEY", "correct horse battery staple");
        assert!(filled(deployment).start().list().contains("forty thousand"), "{weak}");
    }
}

#[test]
fn key_files_are_private_and_required() {
    use std::os::unix::fs::PermissionsExt;
    let model = Model::start();
    let deployment = filled(Deployment::new(&model));
    for name in ["svc.db.key", "svc.db.sign.key"] {
        let mode = std::fs::metadata(deployment.folder().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
        let without = deployment.copy();
        std::fs::remove_file(without.folder().join(name)).unwrap();
        check_refused(&without, &[name]);
        assert!(!without.folder().join(name).exists(), "a new {name} was made for an old database");
    }
    assert!(deployment.start().list().contains("forty thousand"));
}

#[test]
fn the_keys_of_another_deployment_are_refused() {
    let model = Model::start();
    let (mine, other) = (filled(Deployment::new(&model)), filled(Deployment::new(&model)));
    for name in ["svc.db.key", "svc.db.sign.key"] {
        let mixed = mine.copy();
        std::fs::copy(other.folder().join(name), mixed.folder().join(name)).unwrap();
        check_refused(&mixed, &["another key"]);
    }
}

#[test]
fn sealing_and_signing_cannot_be_switched_on_an_existing_database() {
    let model = Model::start();
    for (variable, made, asked) in [
        ("SVC_ENCRYPT", "on", "off"),
        ("SVC_ENCRYPT", "off", "on"),
        ("SVC_SIGN", "on", "off"),
        ("SVC_SIGN", "off", "on"),
    ] {
        let mut deployment = filled(Deployment::new(&model).with(variable, made));
        deployment.set(variable, asked);
        check_refused(&deployment, &[variable]);
        deployment.set(variable, made);
        assert!(deployment.start().list().contains("forty thousand"), "{variable}={made}");
    }
}

#[test]
fn sealed_values_are_nowhere_in_clear() {
    let model = Model::start();
    for (encrypt, in_clear) in [("on", false), ("off", true)] {
        let deployment = filled(Deployment::new(&model).with("SVC_ENCRYPT", encrypt));
        assert_eq!(deployment.holds(b"forty thousand"), in_clear, "SVC_ENCRYPT={encrypt}");
    }
}

#[test]
fn a_schema_from_the_future_is_refused() {
    let model = Model::start();
    let deployment = filled(Deployment::new(&model));
    deployment.sql().run("INSERT INTO schema_migration VALUES (9999, 'later', 'later')");
    check_refused(&deployment, &["v9999", "newer"]);
    let status = deployment.run(env!("CARGO_BIN_EXE_svc-migrate"), &["status"]);
    assert!(!status.status.success());
}
