//! Licences that another tool than ours made.

use crate::support::{Deployment, Model};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::Timestamp;
use evidence::Signer;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// The day so many days from now.
fn day(days: u32) -> String {
    Timestamp::now().checked_add(DAY * days).unwrap().to_string()[..10].to_owned()
}

#[test]
fn a_licence_holds_to_the_end_of_its_last_day() {
    let model = Model::start();
    let vendor = Signer::from_seed([7; 32]);
    let (last, end) = (day(1), day(2));
    let json = format!(r#"{{ "edition": "team", "customer": "Acme", "seats": 7, "expires": "{last}" }}"#);
    let body = BASE64_URL_SAFE_NO_PAD.encode(&json);
    let upper = json.to_uppercase();
    for (signed, holds) in [(json.as_str(), true), (body.as_str(), true), (upper.as_str(), false)] {
        let signature = hex::encode(vendor.sign(signed.as_bytes()).bytes);
        let deployment = Deployment::new(&model)
            .with("SVC_VENDOR_PUBKEY", &vendor.public_key().to_hex())
            .with("SVC_LICENSE", &format!("svc_lic_{body}.{signature}"));
        let shown = deployment.svc(&["license", "show"]);
        if holds {
            assert!(shown.starts_with("edition: team\nseats: 7\n"), "{shown}");
            assert!(shown.ends_with(&format!("valid: until {end}T00:00:00Z\n")), "{shown}");
        } else {
            assert!(shown.starts_with("edition: community\nseats: 3\n"), "{shown}");
            assert!(
                shown.contains("licence not in force: the licence was not signed by the vendor's key"),
                "{shown}"
            );
        }
    }
}

#[test]
fn a_minted_licence_is_signed_over_its_json() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    deployment.svc(&["license", "keygen", "vendor.key"]);
    let seed = std::fs::read_to_string(deployment.folder().join("vendor.key")).unwrap();
    let vendor = Signer::from_seed(hex::decode(seed.trim()).unwrap().try_into().unwrap());
    let mint = ["license", "mint", "--key", "vendor.key", "--customer", "Acme", "--seats", "5"];
    let licence = deployment.svc(&mint);
    let (body, signature) = licence.trim().strip_prefix("svc_lic_").unwrap().split_once('.').unwrap();
    let json = BASE64_URL_SAFE_NO_PAD.decode(body).unwrap();
    assert_eq!(signature, hex::encode(vendor.sign(&json).bytes));
    let claims: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&claims["customer"], &claims["seats"]), (&"Acme".into(), &5.into()));
}
