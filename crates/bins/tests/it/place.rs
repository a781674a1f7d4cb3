//! One place for a person's own memory, whichever folder and program they use.

use crate::support::Deployment;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A person with a home folder, who works in another one.
fn person() -> (Deployment, tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let deployment = Deployment::bare().with("HOME", home.path().to_str().unwrap());
    let data = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    let own = home.path().join(data).join("svc/svc.db");
    (deployment, home, own)
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn the_memory_is_in_the_data_folder() {
    let (deployment, _home, own) = person();
    deployment.svc(&["remember", "Our database is MySQL."]);
    assert!(deployment.files().is_empty(), "{:?}", deployment.files());
    assert!(own.exists() && own.with_added_extension("key").exists());
    assert_eq!(mode(own.parent().unwrap()), 0o700);
    assert!(deployment.svc(&[]).contains(&format!("kept in {}\n", own.display())));

    // Every program comes to the same memory.
    let client = deployment.start();
    assert!(client.call("history", &json!({ "subject": "database" })).contains("MySQL"));
    assert!(client.close().success());
    assert!(deployment.svc(&["backup", "copy"]).contains(own.with_added_extension("key").to_str().unwrap()));
    let connected = deployment.svc(&["connect", "cursor"]);
    assert!(connected.contains(own.to_str().unwrap()), "{connected}");
}

#[test]
fn the_first_key_makes_the_data_folder() {
    let (deployment, _home, own) = person();
    deployment.svc(&["principal", "create", "alice", "--role", "admin"]);
    assert!(own.exists());
}

#[test]
fn a_database_in_the_current_folder_is_found() {
    let (deployment, _home, own) = person();
    deployment.svc(&["remember", "Our database is MySQL."]);
    let here = deployment.folder().join("svc.db");
    let there = deployment.copy().with("SVC_DB", here.to_str().unwrap());
    there.svc(&["remember", "Our cat is Tom."]);

    let said = deployment.svc(&[]);
    assert!(said.contains(&format!("kept in {}\n", here.display())), "{said}");
    assert!(said.contains(&format!("{}.\n", own.display())), "{said}");
    assert!(deployment.svc(&["list"]).contains("Tom"));
    assert!(deployment.svc(&["connect", "cursor"]).contains(here.to_str().unwrap()));
}

#[test]
fn keys_alone_show_where_the_database_belongs() {
    let (deployment, _home, own) = person();
    std::fs::write(deployment.folder().join("svc.db.sign.key"), "").unwrap();
    deployment.svc_refuses(&["list"]);
    assert!(!own.exists());
}

#[test]
fn xdg_moves_the_folder_and_svc_db_the_file() {
    let (deployment, home, own) = person();
    let xdg = deployment.copy().with("XDG_DATA_HOME", home.path().join("data").to_str().unwrap());
    xdg.svc(&["list"]);
    assert!(home.path().join("data/svc/svc.db").exists());
    let relative = deployment.copy().with("XDG_DATA_HOME", "data");
    relative.svc(&["list"]);
    assert!(own.exists() && relative.files().is_empty());
    let named = deployment.copy().with("SVC_DB", "memory.db");
    named.svc(&["list"]);
    assert!(named.files().contains(&"memory.db".to_owned()));
}
