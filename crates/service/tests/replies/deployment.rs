//! How the deployment fares, and under which licence.

use crate::stage::{Chat, Stage, member_of};
use domain::{Role, Scopes};
use evidence::{Claims, Signer, mint_licence};
use serde_json::json;
use service::Licence;
use store::keys::Switch;

fn licence(features: &[&str], expires: &str) -> Licence {
    let vendor = Signer::from_seed([42; 32]);
    let claims = Claims {
        customer: "Acme".to_owned(),
        edition: "team".to_owned(),
        seats: 7,
        features: features.iter().map(|feature| (*feature).to_owned()).collect(),
        issued: Some("2025-12-01T00:00:00Z".parse().unwrap()),
        expires: expires.parse().unwrap(),
    };
    let text = Some(mint_licence(&claims, &vendor).unwrap());
    Licence { text, vendor_public_key: Some(vendor.public_key()) }
}

#[tokio::test]
async fn license_status() {
    let mut stage = Stage::new().await;
    stage.local("license_status", json!({})).await;
    stage.local("create_principal", json!({ "name": "ana" })).await;
    for set in [
        licence(&["sso", "audit"], "2027-01-01T00:00:00Z"),
        licence(&[], "2027-01-01T00:00:00Z"),
        licence(&[], "2025-12-31T00:00:00Z"),
        Licence { vendor_public_key: None, ..licence(&[], "2027-01-01T00:00:00Z") },
    ] {
        stage.set(|options| options.licence = set);
        stage.local("license_status", json!({})).await;
    }
    stage.check("license_status").await;
}

#[tokio::test]
async fn stats() {
    let mut stage = Stage::new().await;
    stage.local("stats", json!({})).await;
    stage.local("remember", json!({ "text": "database = MySQL; cache = Redis" })).await;
    stage.local("remember", json!({ "text": "SUPERSEDE database = Postgres" })).await;
    stage.local("remember", json!({ "text": "" })).await;
    stage.local("stats", json!({})).await;
    let elsewhere = member_of("elsewhere", Role::Admin, "acme", Scopes::All);
    stage.call(&elsewhere, "stats", json!({})).await;
    stage.check("stats").await;
}

#[tokio::test]
async fn health() {
    let mut stage = Stage::new().await;
    stage.local("health", json!({})).await;
    stage.set(|options| options.licence = licence(&[], "2027-01-01T00:00:00Z"));
    stage.local("health", json!({})).await;
    let mut lacking = Stage::with(Chat::NoKey, Switch::Off).await;
    lacking.aloud(stage.silently());
    lacking.note("without a key for the model, and with signing off");
    lacking.local("health", json!({})).await;
    lacking.check("health").await;
}
