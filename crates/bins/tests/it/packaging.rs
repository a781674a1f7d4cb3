//! What is packed is this version, and names settings that exist.

use crate::support::documents::root;
use serde_json::Value;
use svc::settings::Settings;

fn json(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root().join(path)).unwrap()).unwrap()
}

#[test]
fn the_packages_have_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let server = json("packaging/server.json");
    assert_eq!(server["version"], version);
    assert_eq!(server["packages"][0]["version"], version);
    assert!(server["packages"][0]["identifier"].as_str().unwrap().contains(&format!("svc-{version}-")));
    assert_eq!(json("packaging/mcpb/manifest.json")["version"], version);
    let compose = std::fs::read_to_string(root().join("packaging/compose/compose.yaml")).unwrap();
    assert!(compose.contains(&format!("\n  image: localhost/svc:{version}\n")));
}

#[test]
fn the_packages_use_documented_settings() {
    let settings = std::fs::read_to_string(root().join("docs/settings.md")).unwrap();
    let server = json("packaging/server.json");
    let listed = server["packages"][0]["environmentVariables"].as_array().unwrap();
    let manifest = json("packaging/mcpb/manifest.json");
    let passed = manifest["server"]["mcp_config"]["env"].as_object().unwrap();
    let names: Vec<&str> = listed.iter().map(|variable| variable["name"].as_str().unwrap()).collect();
    assert_eq!(names, passed.keys().collect::<Vec<_>>());
    for name in names {
        assert!(settings.contains(&format!("`{name}`")), "{name}");
    }
    let slots = manifest["user_config"]["slots"]["default"].as_str().unwrap().to_owned();
    assert!(Settings::from_variables([("SVC_SLOT_SCHEMA".to_owned(), slots)]).is_ok());
}
