//! How a client without a credential finds the identity provider, where the operator has opened that page.

use crate::support::http::{Answer, request};
use crate::support::{Deployment, Model, Server};

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

fn signed_on(model: &Model) -> Deployment {
    Deployment::new(model)
        .with("SVC_OIDC_ISSUER", "https://id.example")
        .with("SVC_OIDC_AUDIENCE", "https://memory.example/mcp")
        .with("SVC_OIDC_JWKS_URL", "https://id.example/keys")
}

fn ask(server: &Server, method: &str, path: &str) -> Answer {
    server.connect().ask(&request(method, path, &[], b"")).unwrap()
}

#[test]
fn a_refused_client_is_told_where_to_sign_on() {
    let model = Model::start();
    let deployment = signed_on(&model)
        .with("SVC_OIDC_RESOURCE_URL", "https://memory.example/mcp")
        .with("SVC_METRICS_TOKEN", "m");
    let server = deployment.serve();
    let refused = ask(&server, "POST", "/mcp");
    assert_eq!(refused.status, 401);
    assert!(refused.body.contains("unauthorized: send Authorization: Bearer"), "{refused:?}");
    let pointer = format!(r#"Bearer resource_metadata="https://memory.example{WELL_KNOWN}""#);
    assert_eq!(refused.header("www-authenticate"), Some(pointer.as_str()));

    for path in [WELL_KNOWN.to_owned(), format!("{WELL_KNOWN}/mcp")] {
        let page = ask(&server, "GET", &path);
        assert_eq!((page.status, page.header("content-type")), (200, Some("application/json")), "{path}");
        assert_eq!(page.json()["resource"], "https://memory.example/mcp");
        assert_eq!(page.json()["authorization_servers"], serde_json::json!(["https://id.example"]));
        assert!(page.header("x-request-id").is_some());
    }
    // Nothing else is open, and the metrics ask for their own token.
    for (method, path) in [
        ("GET", format!("{WELL_KNOWN}/other")),
        ("POST", WELL_KNOWN.to_owned()),
        ("GET", "/.well-known/oauth-authorization-server".to_owned()),
    ] {
        assert_eq!(ask(&server, method, &path).status, 401, "{method} {path}");
    }
    assert_eq!(ask(&server, "GET", "/metrics").header("www-authenticate"), Some("Bearer"));
}

#[test]
fn without_the_setting_the_path_is_closed() {
    let model = Model::start();
    let deployment = signed_on(&model);
    let server = deployment.serve();
    let closed = ask(&server, "GET", WELL_KNOWN);
    assert_eq!((closed.status, closed.header("www-authenticate")), (401, Some("Bearer")));
}
