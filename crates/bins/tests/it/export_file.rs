//! The file that `svc export` writes.

use crate::support::{Deployment, Model, program, says};
use serde_json::json;
use std::os::unix::fs::{PermissionsExt, symlink};

fn deployment() -> Deployment {
    let deployment = Deployment::new(&Model::start());
    deployment.start().remember(&says("pet", "a cat"));
    deployment
}

#[test]
fn an_export_is_for_its_owner_alone() {
    let deployment = deployment();
    let file = deployment.folder().join("out.jsonl");
    deployment.svc(&["export", "out.jsonl"]);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    deployment.svc(&["export", "--force", "out.jsonl"]);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(deployment.files().iter().all(|name| !name.contains("draft")), "{:?}", deployment.files());
}

#[test]
fn a_link_is_not_followed() {
    let deployment = deployment();
    let elsewhere = deployment.folder().join("elsewhere");
    symlink(&elsewhere, deployment.folder().join("out")).unwrap();
    assert!(deployment.svc_refuses(&["export", "out"]).contains("--force"));
    deployment.svc(&["export", "--force", "out"]);
    assert!(!elsewhere.exists());
    assert!(deployment.svc_refuses(&["export", "--force", "/dev/null"]).contains("not a plain file"));
}

#[test]
fn an_export_that_fails_leaves_the_file_as_it_was() {
    let deployment = deployment();
    deployment.svc(&["export", "out"]);
    let before = std::fs::read(deployment.folder().join("out")).unwrap();
    deployment.sql().run("UPDATE fact SET body = x'00'");
    assert!(deployment.svc_refuses(&["export", "--force", "out"]).contains("svc fsck"));
    assert_eq!(std::fs::read(deployment.folder().join("out")).unwrap(), before);
}

#[test]
fn other_tenants_are_named_as_left_out() {
    let deployment = Deployment::new(&Model::start()).with_seats(3);
    deployment.start().remember(&says("pet", "a cat"));
    let all = || deployment.run(&program("svc"), &["export", "--all"]);
    assert!(!String::from_utf8(all().stderr).unwrap().contains("Left out"));
    let (_, key) = deployment.principal("other", &["--tenant", "acme"]);
    let server = deployment.serve();
    server.client(&key).remember(&says("pet", "a dog"));
    let output = all();
    let (said, aside) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(said.contains("a cat") && !said.contains("a dog"), "{said}");
    assert!(aside.contains("Left out: what 1 other tenant"), "{aside}");
}

#[test]
fn an_address_on_a_page_is_no_link() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let facts = json!([{ "subject": "site", "value": "http://a.example, www.b.example & <i>" }]);
    process.remember(&crate::support::said("the site", &facts));
    let page = deployment.svc(&["export", "--markdown"]);
    assert!(page.contains("http\\://a.example, www\\.b.example \\& \\<i\\>"), "{page}");
}
