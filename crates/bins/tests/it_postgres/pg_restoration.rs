//! A restoration that several hosts hear of, and backups that change the engine.

use crate::support::{Deployment, Mcp, Model, says};
use serde_json::json;

fn verdict(process: &Mcp) -> String {
    process.call("verify_audit", &json!({}))
}

fn write_one(deployment: &Deployment, subject: &str) {
    let process = deployment.start();
    process.remember(&says(subject, "some value"));
    assert!(process.close().success());
}

/// Has the programs keep their keys and head under another name, as a second host does.
fn on_second_host(deployment: &mut Deployment) {
    for end in ["key", "sign.key"] {
        let file = |host: &str| deployment.folder().join(format!("{host}.db.{end}"));
        std::fs::copy(file("svc"), file("second")).unwrap();
    }
    deployment.set("SVC_DB", "second.db");
}

fn on_first_host(deployment: &mut Deployment) {
    deployment.set("SVC_DB", "svc.db");
}

#[test]
fn other_hosts_accept_only_what_was_confirmed() {
    let mut deployment = Deployment::new(&Model::start());
    write_one(&deployment, "before");
    deployment.svc(&["backup", "copy"]);
    on_second_host(&mut deployment);
    let broken = verdict(&deployment.start());
    assert!(broken.contains("BROKEN") && broken.contains("svc restore --confirm"), "{broken}");
    deployment.svc(&["restore", "--confirm", "the second host joins"]);
    write_one(&deployment, "on the second host");
    on_first_host(&mut deployment);
    write_one(&deployment, "on the first host");
    deployment.svc(&["restore", "copy", "--force", "--confirm", "a mistake"]);

    on_second_host(&mut deployment);
    let process = deployment.start();
    let intact = verdict(&process);
    assert!(intact.contains("INTACT") && intact.contains("entries 2 to 5 are missing"), "{intact}");
    process.remember(&says("after", "some value"));
    assert!(process.close().success());
    on_first_host(&mut deployment);
    let earlier = deployment.copy();
    on_second_host(&mut deployment);
    write_one(&deployment, "to be rolled back");
    deployment.roll_back_database_to(&earlier);
    let broken = verdict(&deployment.start());
    assert!(broken.contains("BROKEN") && broken.contains("rolled back"), "{broken}");
}

#[test]
fn a_backup_of_one_engine_restores_into_the_other() {
    let model = Model::start();
    let on_postgres = Deployment::new(&model);
    write_one(&on_postgres, "before");
    on_postgres.svc(&["backup", "copy"]);
    let before = on_postgres.contents().tables;

    let on_sqlite = Deployment::new(&model).with("SVC_DATABASE_URL", "");
    on_sqlite.take_keys_of(&on_postgres);
    on_sqlite.svc(&["restore", on_postgres.folder().join("copy").to_str().unwrap()]);
    let process = on_sqlite.start();
    process.intact();
    assert!(process.list().contains("• before = some value  (#1)"));
    assert!(process.close().success());

    // And back again: what the file holds now, the other engine holds then.
    write_one(&on_sqlite, "on the way");
    on_sqlite.svc(&["backup", "back"]);
    on_postgres.svc(&["restore", on_sqlite.folder().join("back").to_str().unwrap(), "--force"]);
    assert_ne!(on_postgres.contents().tables, before);
    let process = on_postgres.start();
    process.intact();
    let list = process.list();
    assert!(list.contains("before = some value") && list.contains("on the way = some value"), "{list}");
}
