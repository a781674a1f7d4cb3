//! Who has a key. The last two of these are no tools: only people rotate a key or change a principal.

use crate::stage::{Stage, member_of};
use domain::{Role, Scopes};
use serde_json::json;

/// The id in a reply.
fn id(reply: &str) -> String {
    let start = reply.find("prin_").unwrap();
    reply[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

#[tokio::test]
async fn create_principal() {
    let mut stage = Stage::new().await;
    stage.local("create_principal", json!({ "name": "ana" })).await;
    let more = json!({ "name": " ben ", "role": "viewer", "kind": "human", "scopes": "u1, u2", "tenant": "acme",
        "expires": "90d" });
    stage.local("create_principal", more).await;
    let elsewhere = member_of("elsewhere", Role::Admin, "acme", Scopes::All);
    stage.call(&elsewhere, "create_principal", json!({ "name": "cleo", "tenant": "default" })).await;
    for wrong in [
        json!({ "name": "" }),
        json!({ "name": "x".repeat(300) }),
        json!({ "name": "two\nlines" }),
        json!({ "name": "x", "role": "king" }),
        json!({ "name": "x", "kind": "ghost" }),
        json!({ "name": "x", "scopes": "u1,*" }),
        json!({ "name": "x", "scopes": (0..257).map(|n| n.to_string()).collect::<Vec<_>>().join(",") }),
        json!({ "name": "x", "expires": "soon" }),
        json!({ "name": "x", "expires": "0s" }),
        json!({ "name": "x", "expires": "20y" }),
    ] {
        stage.local("create_principal", wrong).await;
    }
    stage.call(&elsewhere, "create_principal", json!({ "name": "cleo" })).await;
    stage.local("create_principal", json!({ "name": "one too many" })).await;
    stage.check("create_principal").await;
}

#[tokio::test]
async fn list_principals() {
    let mut stage = Stage::new().await;
    stage.local("list_principals", json!({})).await;
    stage.local("create_principal", json!({ "name": "ana", "role": "admin", "scopes": "u1, u2" })).await;
    let ben =
        stage.local("create_principal", json!({ "name": "ben", "tenant": "acme", "expires": "2d" })).await;
    let cleo = stage.local("create_principal", json!({ "name": "cleo", "kind": "service" })).await;
    stage.local("list_principals", json!({})).await;
    let rotate = json!({ "principal_id": id(&ben), "overlap": "36h", "expires": "3d" });
    stage.local("rotate_principal", rotate).await;
    stage.local("revoke_principal", json!({ "principal_id": id(&cleo) })).await;
    stage.local("list_principals", json!({})).await;
    let elsewhere = member_of("elsewhere", Role::Admin, "acme", Scopes::All);
    stage.call(&elsewhere, "list_principals", json!({})).await;
    stage.days_later(5);
    stage.local("list_principals", json!({})).await;
    stage.check("list_principals").await;
}

#[tokio::test]
async fn revoke_principal() {
    let mut stage = Stage::new().await;
    let revoke = |reply: &str, erase: bool| json!({ "principal_id": id(reply), "erase": erase });
    stage.local("revoke_principal", json!({ "principal_id": "prin_nobody" })).await;
    let ana = stage.local("create_principal", json!({ "name": "ana" })).await;
    let ben = stage.local("create_principal", json!({ "name": "ben" })).await;
    let elsewhere = member_of("elsewhere", Role::Admin, "acme", Scopes::All);
    stage.call(&elsewhere, "revoke_principal", revoke(&ana, false)).await;
    stage.local("revoke_principal", revoke(&ana, false)).await;
    stage.local("revoke_principal", revoke(&ana, false)).await;
    stage.local("revoke_principal", revoke(&ana, true)).await;
    stage.local("revoke_principal", revoke(&ben, true)).await;
    stage.local("revoke_principal", json!({ "principal_id": "two\nlines" })).await;
    stage.check("revoke_principal").await;
}

#[tokio::test]
async fn rotate_principal() {
    let mut stage = Stage::new().await;
    let rotate = |reply: &str, overlap: &str, expires: &str| json!({ "principal_id": id(reply), "overlap": overlap, "expires": expires });
    let ana = stage.local("create_principal", json!({ "name": "ana" })).await;
    let ben = stage.local("create_principal", json!({ "name": "ben", "expires": "30d" })).await;
    stage.local("rotate_principal", rotate(&ana, "24h", "")).await;
    stage.local("rotate_principal", rotate(&ana, "0s", "")).await;
    stage.local("rotate_principal", rotate(&ben, "1h", "")).await;
    stage.local("rotate_principal", rotate(&ben, "1h", "60d")).await;
    stage.local("rotate_principal", rotate(&ben, "1h", "never")).await;
    stage.local("rotate_principal", rotate(&ben, "a while", "")).await;
    stage.local("rotate_principal", rotate("prin_nobody", "1h", "")).await;
    stage.check("rotate_principal").await;
}

#[tokio::test]
async fn change_principal() {
    let mut stage = Stage::new().await;
    let ana = stage.local("create_principal", json!({ "name": "ana", "scopes": "u1" })).await;
    let ana = id(&ana);
    let root = stage.local("create_principal", json!({ "name": "root", "role": "admin" })).await;
    for change in [
        json!({ "scopes": "u1, u2", "calls_per_minute": 60, "at_once": "2", "facts": 1000, "bytes": 1_000_000 }),
        json!({ "scopes": "u2, u1" }),
        json!({ "facts": 1000 }),
        json!({ "scopes": "*", "bytes": "none", "at_once": 1 }),
        json!({}),
        json!({ "scopes": "" }),
        json!({ "scopes": "u1,*" }),
        json!({ "scopes": (0..257).map(|n| n.to_string()).collect::<Vec<_>>().join(",") }),
        json!({ "facts": 0 }),
        json!({ "facts": -1 }),
        json!({ "facts": "many" }),
        json!({ "facts": "" }),
        json!({ "facts": 1_000_000_000_000_001_u64 }),
        json!({ "role": "admin" }),
    ] {
        let mut arguments = change;
        arguments["principal_id"] = ana.as_str().into();
        stage.local("change_principal", arguments).await;
    }
    stage.local("change_principal", json!({ "principal_id": id(&root), "scopes": "u1" })).await;
    let elsewhere = member_of("elsewhere", Role::Admin, "acme", Scopes::All);
    stage.call(&elsewhere, "change_principal", json!({ "principal_id": ana, "scopes": "*" })).await;
    stage.local("change_principal", json!({ "principal_id": "prin_nobody", "facts": 1 })).await;
    stage.local("list_principals", json!({})).await;
    stage.check("change_principal").await;
}
