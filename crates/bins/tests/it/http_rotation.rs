//! Keys that end by themselves, and keys that are replaced while they are in use.

use crate::support::{Deployment, Model, PATIENCE, Server, created};
use serde_json::json;
use std::time::{Duration, Instant};

fn status(server: &Server, key: &str) -> u16 {
    server.client(key).ask("list_memories", &json!({})).unwrap().status
}

fn rotate(deployment: &Deployment, id: &str, more: &[&str]) -> (String, String) {
    let all: Vec<&str> = ["principal", "rotate", id].iter().chain(more).copied().collect();
    let said = deployment.svc(&all);
    (created(&said).1, said)
}

#[test]
fn after_a_rotation_both_keys_work_until_the_overlap_ends() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (id, first) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let (second, said) = rotate(&deployment, &id, &[]);
    assert!(
        said.contains(&id) && said.contains("'ana'") && said.contains("The old key works until 20"),
        "{said}"
    );
    assert_ne!(first, second);
    assert_eq!((status(&server, &first), status(&server, &second)), (200, 200));
    let list = deployment.svc(&["principal", "list"]);
    assert_eq!(list.lines().count(), 1, "the principal is the same one: {list}");
    assert!(list.contains("active, old key works until 20"), "{list}");

    // The next rotation leaves one key beside the new one, and the first of all has ended.
    let (third, _) = rotate(&deployment, &id, &["--overlap", "7d"]);
    let statuses = [&first, &second, &third].map(|key| status(&server, key));
    assert_eq!(statuses, [401, 200, 200]);
    let (fourth, said) = rotate(&deployment, &id, &["--overlap", "0s"]);
    assert!(said.contains("The old key no longer works."), "{said}");
    let statuses = [&second, &third, &fourth].map(|key| status(&server, key));
    assert_eq!(statuses, [401, 401, 200]);

    deployment.svc(&["principal", "revoke", &id]);
    assert_eq!(status(&server, &fourth), 401);
    let refused = deployment.svc_refuses(&["principal", "rotate", &id]);
    assert!(refused.contains(&format!("No active principal {id}")), "{refused}");
    let log = deployment.start().call("audit_log", &json!({}));
    assert_eq!(log.matches("rotate_principal").count(), 4, "{log}");
    assert!([first, second, third, fourth].iter().all(|key| !log.contains(key.as_str())));
}

#[test]
fn revoking_ends_the_old_key_of_an_overlap_too() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (id, first) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let (second, _) = rotate(&deployment, &id, &[]);
    assert_eq!((status(&server, &first), status(&server, &second)), (200, 200));
    deployment.svc(&["principal", "revoke", &id]);
    assert_eq!((status(&server, &first), status(&server, &second)), (401, 401));
}

#[test]
fn a_key_expires_and_its_successor_needs_a_term() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (lasting, key) = deployment.principal("lasting", &["--role", "member", "--expires", "90d"]);
    let (brief, gone) = deployment.principal("brief", &["--role", "member", "--expires", "1s"]);
    let server = deployment.serve();
    assert_eq!(status(&server, &key), 200);
    let until = Instant::now() + PATIENCE;
    while status(&server, &gone) != 401 {
        assert!(Instant::now() < until, "the key does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    let list = deployment.svc(&["principal", "list"]);
    assert!(list.contains("active, key expires 20") && list.contains("active, key expired 20"), "{list}");

    let refused = deployment.svc_refuses(&["principal", "rotate", &lasting]);
    assert!(refused.contains("--expires 90d") && refused.contains("--expires never"), "{refused}");
    assert_eq!(status(&server, &key), 200, "a refused rotation changes nothing");
    let (next, said) = rotate(&deployment, &lasting, &["--expires", "30d", "--overlap", "365d"]);
    assert!(said.contains("works until 20"), "{said}");
    assert_eq!((status(&server, &key), status(&server, &next)), (200, 200));
    // An overlap gives an expired key no second life.
    let (fresh, said) = rotate(&deployment, &brief, &["--expires", "never"]);
    assert!(said.contains("The old key no longer works."), "{said}");
    assert_eq!((status(&server, &gone), status(&server, &fresh)), (401, 200));
}

#[test]
fn a_senseless_term_is_refused() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    for time in ["soon", "0s", "-1d", "900y", "5"] {
        let expires = format!("--expires={time}");
        let refused = deployment.svc_refuses(&["principal", "create", "ana", "--role", "member", &expires]);
        assert!(refused.contains("'expires'") && refused.contains("90d"), "{time}: {refused}");
    }
    assert!(deployment.svc(&["principal", "list"]).contains("No principals yet"));
    let (id, key) = deployment.principal("ana", &["--role", "member"]);
    let refused = deployment.svc_refuses(&["principal", "rotate", &id, "--overlap=forever"]);
    assert!(refused.contains("'overlap'") && refused.contains("12h"), "{refused}");
    assert_eq!(status(&deployment.serve(), &key), 200);
}

#[test]
fn a_key_with_a_forged_expiry_does_not_work() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (id, key) = deployment.principal("ana", &["--role", "member", "--expires", "1h"]);
    rotate(&deployment, &id, &["--expires", "1h", "--overlap", "30m"]);
    let server = deployment.serve();
    assert_eq!(status(&server, &key), 200);
    deployment.sql().run("UPDATE principal SET former_until = former_until + 1000000000");
    assert_ne!(status(&server, &key), 200);
    deployment.sql().run("UPDATE principal SET former_until = former_until - 1000000000");
    assert_eq!(status(&server, &key), 200);
    deployment.sql().run("UPDATE principal SET expires = NULL");
    assert_ne!(status(&server, &key), 200);
}

#[test]
fn no_client_is_offered_rotation() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let refused = process.refused("rotate_principal", &json!({ "principal_id": "prin_1", "overlap": "1h" }));
    assert!(refused.starts_with("Unknown tool"), "{refused}");
}

#[test]
fn keys_of_the_previous_version_still_work() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (id, key) = deployment.principal("ana", &["--role", "member"]);
    let (_, other) = deployment.principal("ben", &["--role", "member"]);
    deployment.back_to_version(1);
    let status_of = deployment.run(env!("CARGO_BIN_EXE_svc-migrate"), &["status"]);
    let status_of = String::from_utf8(status_of.stdout).unwrap();
    assert!(status_of.starts_with("schema: v1 ") && status_of.contains("PENDING v2"), "{status_of}");
    // A backup is made before the upgrade, and by the new program, since that is in place already.
    deployment.svc(&["backup", "before.db"]);
    assert!(deployment.run(env!("CARGO_BIN_EXE_svc-migrate"), &["up"]).status.success());
    deployment.svc(&["restore", "before.db", "--force"]);

    let server = deployment.serve();
    assert_eq!((status(&server, &key), status(&server, &other)), (200, 200));
    let (next, _) = rotate(&deployment, &id, &["--overlap", "0s"]);
    let statuses = [&key, &next, &other].map(|key| status(&server, key));
    assert_eq!(statuses, [401, 200, 200]);
    deployment.start().intact();
}
