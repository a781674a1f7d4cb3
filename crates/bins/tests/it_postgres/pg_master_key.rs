//! A new master key on several hosts, each with key files of its own.

use crate::support::{Deployment, Model, says};
use serde_json::json;

#[test]
fn a_host_without_the_new_key_says_which_file_to_copy_and_goes_on_with_it() {
    let model = Model::start();
    let mut deployment = Deployment::new(&model);
    let first = deployment.start();
    first.remember(&says("budget", "forty thousand"));
    let file =
        |deployment: &Deployment, host: &str, end: &str| deployment.folder().join(format!("{host}.db.{end}"));
    for end in ["key", "sign.key"] {
        std::fs::copy(file(&deployment, "svc", end), file(&deployment, "second", end)).unwrap();
    }
    deployment.set("SVC_DB", "second.db");
    let second = deployment.start();
    assert!(second.list().contains("forty thousand"));
    deployment.set("SVC_DB", "svc.db");

    let said = deployment.svc(&["keys", "rotate", "master"]);
    assert!(said.contains("Copy that file to the other hosts"), "{said}");
    second.remember(&says("place", "the old mill"));
    assert!(deployment.svc(&["keys", "rotate", "master"]).starts_with("Rotated"));
    first.remember(&says("tea", "green"));
    let refused = second.reply("remember", &json!({ "text": says("milk", "oat") }));
    assert!(refused.text.starts_with("Svc couldn't"), "{}", refused.text);

    std::fs::copy(file(&deployment, "svc", "key"), file(&deployment, "second", "key")).unwrap();
    second.remember(&says("milk", "oat"));
    for process in [&first, &second] {
        let list = process.list();
        for value in ["forty thousand", "the old mill", "green", "oat"] {
            assert!(list.contains(value), "{list}");
        }
    }
    first.intact();
}
