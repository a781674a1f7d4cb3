//! Keys in a key service, against a real one.

use crate::support::{Deployment, Model, says};
use samples::openbao::{OpenBao, at_hand};

fn deployment(model: &Model, vault: &OpenBao) -> Deployment {
    Deployment::new(model)
        .with("SVC_KMS", "vault")
        .with("VAULT_ADDR", &vault.address())
        .with("VAULT_TOKEN", vault.root_token())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vault_keeps_the_key_off_the_disk() {
    if !at_hand() {
        return;
    }
    let (model, vault) = (Model::start(), OpenBao::with_transit("transit", "svc").await);
    let deployment = deployment(&model, &vault);
    let process = deployment.start();
    process.remember(&says("budget", "forty thousand"));
    assert!(process.close().success());

    let process = deployment.start();
    assert!(process.list().contains("• budget = forty thousand"), "{}", process.list());
    process.intact();
    assert!(process.close().success());
    for name in ["svc.db.key", "svc.db.sign.key"] {
        let text = std::fs::read_to_string(deployment.folder().join(name)).unwrap();
        assert!(text.contains("vault:v1:"), "{name}: {text}");
    }
    assert!(!deployment.holds(b"forty thousand"), "the value is in clear");
    let without_vault = deployment.copy().with("SVC_KMS", "file");
    let refusal = without_vault.refusal();
    assert!(refusal.to_lowercase().contains("vault"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_vault_stops_startup() {
    if !at_hand() {
        return;
    }
    let (model, vault) = (Model::start(), OpenBao::with_transit("transit", "svc").await);
    let stranger = deployment(&model, &vault).with("VAULT_TOKEN", "no-token-of-this-vault");
    let refusal = stranger.refusal();
    assert!(refusal.contains("VAULT_TOKEN") || refusal.contains("token"), "{refusal}");
    assert!(!refusal.contains("no-token-of-this-vault"), "the token is in the log: {refusal}");

    let deployment = deployment(&model, &vault);
    assert!(deployment.start().close().success());
    drop(vault);
    let refusal = deployment.refusal();
    assert!(refusal.contains("Vault") || refusal.contains("VAULT_ADDR"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_move_into_vault_and_back() {
    if !at_hand() {
        return;
    }
    let (model, vault) = (Model::start(), OpenBao::with_transit("transit", "svc").await);
    let in_files = Deployment::new(&model);
    let process = in_files.start();
    process.remember(&says("budget", "forty thousand"));
    assert!(process.close().success());
    in_files.svc(&["keys", "rotate", "signing"]);
    // Where the database is shared, the file takes a rotated key at the next start.
    assert!(in_files.start().close().success());
    let text = |name: &str| std::fs::read_to_string(in_files.folder().join(name)).unwrap();
    let before = ["svc.db.key", "svc.db.sign.key"].map(text);

    assert!(in_files.svc_refuses(&["keys", "move", "--to", "vault"]).contains("SVC_KMS=vault"));
    let mut moved = in_files;
    for (name, value) in
        [("SVC_KMS", "vault"), ("VAULT_ADDR", &*vault.address()), ("VAULT_TOKEN", "no-token-of-this-vault")]
    {
        moved.set(name, value);
    }
    moved.svc_refuses(&["keys", "move", "--to", "vault"]);
    moved.set("SVC_DB", "elsewhere.db");
    assert!(moved.svc_refuses(&["keys", "move", "--to", "vault"]).contains("no key file beside"));
    moved.set("SVC_DB", "svc.db");
    let text = |name: &str| std::fs::read_to_string(moved.folder().join(name)).unwrap();
    assert_eq!(["svc.db.key", "svc.db.sign.key"].map(text), before, "a move that failed changed a file");
    moved.set("VAULT_TOKEN", vault.root_token());
    for _ in 0..2 {
        moved.svc(&["keys", "move", "--to", "vault"]);
        let text = |name: &str| std::fs::read_to_string(moved.folder().join(name)).unwrap();
        assert!(text("svc.db.key").contains("vault:v1:"));
        let process = moved.start();
        assert!(process.list().contains("• budget = forty thousand"), "{}", process.list());
        process.intact();
        assert!(process.close().success());
    }
    moved.svc(&["keys", "move", "--to", "files"]);
    let text = |name: &str| std::fs::read_to_string(moved.folder().join(name)).unwrap();
    assert_eq!(["svc.db.key", "svc.db.sign.key"].map(text), before);
    drop(vault);
    moved.set("SVC_KMS", "file");
    let process = moved.start();
    process.intact();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_master_key_is_wrapped_and_reaches_running_processes() {
    if !at_hand() {
        return;
    }
    let (model, vault) = (Model::start(), OpenBao::with_transit("transit", "svc").await);
    let deployment = deployment(&model, &vault);
    let process = deployment.start();
    process.remember(&says("budget", "forty thousand"));
    deployment.svc(&["keys", "rotate", "master"]);
    let text = std::fs::read_to_string(deployment.folder().join("svc.db.key")).unwrap();
    assert_eq!(text.matches(" vault:v1:").count(), 2, "{text}");
    process.remember(&says("place", "the old mill"));
    for process in [process, deployment.start()] {
        let list = process.list();
        assert!(list.contains("forty thousand") && list.contains("the old mill"), "{list}");
        process.intact();
    }
}
