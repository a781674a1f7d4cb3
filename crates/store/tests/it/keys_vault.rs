//! Keys that Vault wraps, against a real OpenBao server.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use samples::openbao::{OpenBao, at_hand};
use serde_json::json;
use store::keys::{Database, KeySettings, KeySource, Keys, Switch, VaultSettings, load};
use tempfile::TempDir;

fn settings(folder: &Path, address: &str, token: &str) -> KeySettings {
    KeySettings {
        beside: folder.join("svc.db"),
        source: KeySource::Vault(VaultSettings {
            address: address.to_owned(),
            token: token.to_owned().into(),
            mount: "transit".to_owned(),
            key: "svc".to_owned(),
        }),
        encrypt: Switch::On,
        sign: Switch::On,
    }
}

fn seed(keys: &Keys) -> [u8; 32] {
    **keys.signing.as_ref().expect("signing is on").secrets.first().expect("a secret")
}

async fn refusal(settings: &KeySettings, database: Database) -> String {
    load(settings, database).await.expect_err("the keys must not load").to_string()
}

#[tokio::test]
async fn wrapped_keys_load_again_and_their_files_hold_no_secret() {
    if !at_hand() {
        return;
    }
    let (vault, folder) = (OpenBao::with_transit("transit", "svc").await, TempDir::new().unwrap());
    let settings = settings(folder.path(), &vault.address(), vault.root_token());
    let first = load(&settings, Database::New).await.unwrap();
    let sealed = first.sealer.seal(b"row", b"the budget is 40k").unwrap();

    let again = load(&settings, Database::Existing).await.unwrap();
    assert_eq!(again.sealer.open(b"row", &sealed).unwrap().as_slice(), b"the budget is 40k");
    assert_eq!(again.blind.blind("subject", &["acme"]), first.blind.blind("subject", &["acme"]));
    assert_eq!(seed(&again), seed(&first));

    let key_file = fs::read_to_string(folder.path().join("svc.db.key")).unwrap();
    let sign_file = fs::read_to_string(folder.path().join("svc.db.sign.key")).unwrap();
    let id = first.sealer.key_ids()[0];
    assert!(key_file.starts_with(&format!("svc-key-v1 {id} vault:v1:")), "{key_file}");
    assert!(sign_file.starts_with("svc-sign-v1 secret vault:v1:"), "{sign_file}");
    assert!(!sign_file.contains(&hex::encode(seed(&first))));
    assert!(!folder.path().join("svc.db.salt").exists());
}

#[tokio::test]
async fn what_vault_wrapped_survives_a_rotation_of_the_transit_key() {
    if !at_hand() {
        return;
    }
    let (vault, folder) = (OpenBao::with_transit("transit", "svc").await, TempDir::new().unwrap());
    let settings = settings(folder.path(), &vault.address(), vault.root_token());
    let before = load(&settings, Database::New).await.unwrap();
    let (status, _) = vault.call("POST", "transit/keys/svc/rotate", &json!({})).await;
    assert_eq!(status, 200);
    let after = load(&settings, Database::Existing).await.unwrap();
    assert_eq!(after.sealer.key_ids(), before.sealer.key_ids());
}

#[tokio::test]
async fn processes_that_start_at_once_agree_on_one_wrapped_key() {
    if !at_hand() {
        return;
    }
    let (vault, folder) = (OpenBao::with_transit("transit", "svc").await, TempDir::new().unwrap());
    let settings = settings(folder.path(), &vault.address(), vault.root_token());
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let settings = settings.clone();
            tokio::spawn(async move { load(&settings, Database::New).await.unwrap() })
        })
        .collect();
    let mut seen = Vec::new();
    for task in tasks {
        let keys = task.await.unwrap();
        seen.push((keys.sealer.key_ids(), seed(&keys)));
    }
    assert!(seen.iter().all(|keys| *keys == seen[0]));
}

#[tokio::test]
async fn a_missing_mount_or_key_is_named_with_the_command_and_never_made() {
    if !at_hand() {
        return;
    }
    let (vault, folder) = (OpenBao::start().await, TempDir::new().unwrap());
    let settings = settings(folder.path(), &vault.address(), vault.root_token());

    let message = refusal(&settings, Database::New).await;
    assert!(message.contains("vault secrets enable -path=transit transit"), "{message}");

    vault.enable_transit("transit").await;
    let message = refusal(&settings, Database::New).await;
    assert!(message.contains("vault write -f transit/keys/svc"), "{message}");
    assert_eq!(vault.call("GET", "transit/keys/svc", &json!({})).await.0, 404);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[tokio::test]
async fn a_denied_token_and_a_sealed_vault_say_what_to_do_without_the_token() {
    if !at_hand() {
        return;
    }
    let (vault, folder) = (OpenBao::with_transit("transit", "svc").await, TempDir::new().unwrap());
    let good = settings(folder.path(), &vault.address(), vault.root_token());
    load(&good, Database::New).await.unwrap();

    let message = refusal(&settings(folder.path(), &vault.address(), "s.not-a-token"), Database::New).await;
    assert!(message.contains("denies transit/decrypt/svc"), "{message}");
    assert!(!message.contains("s.not-a-token"), "{message}");

    vault.seal().await;
    let message = refusal(&good, Database::Existing).await;
    assert!(message.contains("vault operator unseal"), "{message}");
    assert!(!message.contains(vault.root_token()), "{message}");
}

#[tokio::test]
async fn a_key_wrapped_elsewhere_or_put_in_by_hand_is_refused() {
    if !at_hand() {
        return;
    }
    let (vault, folder) = (OpenBao::with_transit("transit", "svc").await, TempDir::new().unwrap());
    let settings = settings(folder.path(), &vault.address(), vault.root_token());
    load(&settings, Database::New).await.unwrap();

    // The sign file's wrapped secret opens, but it is not the secret that the key id was made from.
    let (key, sign) = (folder.path().join("svc.db.key"), folder.path().join("svc.db.sign.key"));
    let good = fs::read_to_string(&key).unwrap();
    let id = good.split(' ').nth(1).unwrap();
    let foreign = fs::read_to_string(&sign).unwrap();
    fs::write(&key, format!("svc-key-v1 {id} {}", foreign.split(' ').nth(2).unwrap())).unwrap();
    let message = refusal(&settings, Database::Existing).await;
    assert!(message.contains("is damaged"), "{message}");

    fs::write(&key, format!("svc-key-v1 {id} vault:v1:AAAA\n")).unwrap();
    let message = refusal(&settings, Database::Existing).await;
    assert!(message.contains("refuses the wrapped key"), "{message}");

    fs::write(&key, format!("svc-key-v1 {id} {}\n", "aa".repeat(32))).unwrap();
    let message = refusal(&settings, Database::Existing).await;
    assert!(message.contains("unset SVC_KMS"), "{message}");

    fs::write(&key, good).unwrap();
    let message = refusal(&KeySettings { source: KeySource::File, ..settings }, Database::Existing).await;
    assert!(message.contains("set SVC_KMS=vault"), "{message}");
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_named_without_its_password() {
    let folder = TempDir::new().unwrap();
    // Bound but not listening for long: once the listener is gone, the port refuses.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("http://user:hunter2@127.0.0.1:{port}");
    let message = refusal(&settings(folder.path(), &address, "s.secret"), Database::New).await;
    assert!(message.contains(&format!("http://127.0.0.1:{port} does not answer")), "{message}");
    assert!(!message.contains("hunter2") && !message.contains("s.secret"), "{message}");

    for address in ["", "vault:8200", "ftp://vault"] {
        let message = refusal(&settings(folder.path(), address, "s.secret"), Database::New).await;
        assert!(message.contains("VAULT_ADDR"), "{message}");
    }
    let message =
        refusal(&settings(folder.path(), "http://127.0.0.1:1", "broken\ntoken"), Database::New).await;
    assert!(message.contains("VAULT_TOKEN") && !message.contains("broken"), "{message}");
}

#[tokio::test]
async fn a_token_that_may_only_make_and_unwrap_keys_is_enough() {
    if !at_hand() {
        return;
    }
    let (vault, folder) = (OpenBao::with_transit("transit", "svc").await, TempDir::new().unwrap());
    let policy = "path \"transit/datakey/plaintext/svc\" { capabilities = [\"update\"] }
                  path \"transit/decrypt/svc\" { capabilities = [\"update\"] }";
    assert_eq!(vault.call("PUT", "sys/policies/acl/svc", &json!({ "policy": policy })).await.0, 204);
    let (_, answer) = vault.call("POST", "auth/token/create", &json!({ "policies": ["svc"] })).await;
    let token = answer["auth"]["client_token"].as_str().expect("a token");

    let settings = settings(folder.path(), &vault.address(), token);
    let made = load(&settings, Database::New).await.unwrap();
    let again = load(&settings, Database::Existing).await.unwrap();
    assert_eq!(made.sealer.key_ids(), again.sealer.key_ids());
}

/// A server that gives every caller the same answer, the request's own words at its end.
fn stranger(head: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = vec![0; 4096];
            let Ok(read) = stream.read(&mut request) else { return };
            let _ = stream.write_all(&[head.as_bytes(), request.get(..read).unwrap_or_default()].concat());
        }
    });
    address
}

#[tokio::test]
async fn what_is_not_vault_is_refused_and_never_quoted() {
    let folder = TempDir::new().unwrap();
    for (head, expected) in [
        ("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", "is not Vault's"),
        ("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n", "with status 400"),
        ("HTTP/1.1 500 Oops\r\nconnection: close\r\n\r\n", "with status 500"),
        ("HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:1/\r\nconnection: close\r\n\r\n", "active node"),
        ("nonsense\r\n\r\n", "does not answer"),
    ] {
        let message = refusal(&settings(folder.path(), &stranger(head), "s.secret"), Database::New).await;
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains("s.secret"), "{message}");
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_on() {
    let folder = TempDir::new().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let message = refusal(&settings(folder.path(), &address, "s.secret"), Database::New).await;
    assert!(message.contains("no answer within 5 seconds"), "{message}");
}
