//! Making principals, and ending them.

use crate::support::{Deployment, Model, created};
use serde_json::json;

#[test]
fn a_principal_is_made_only_with_a_role() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let refusal = deployment.svc_refuses(&["principal", "create", "alice"]);
    assert!(refusal.contains("--role <admin|member|agent|viewer|auditor>"), "{refusal}");
    let refusal = deployment.svc_refuses(&["principal", "create", "alice", "--role", "king"]);
    assert!(refusal.contains("'king' is none of admin, member, agent, viewer, auditor"), "{refusal}");
    assert!(!deployment.svc(&["principal", "list"]).contains("alice"));
    let made = deployment.svc(&["principal", "create", "alice", "--role", "viewer"]);
    assert!(made.contains("'alice' (role: viewer, kind: human, tenant: default)."), "{made}");
}

#[test]
fn a_scope_that_could_mean_every_space_is_refused() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    for scopes in ["u1,*", ",", " , "] {
        let create = ["principal", "create", "bob", "--role", "agent", "--scopes", scopes];
        let refusal = deployment.svc_refuses(&create);
        assert!(
            refusal.contains(&format!("Argument 'scopes': '{scopes}' is no list of user_ids.")),
            "{refusal}"
        );
        assert!(refusal.contains("give '*' alone for all"), "{refusal}");
    }
    assert!(!deployment.svc(&["principal", "list"]).contains("bob"));
}

#[test]
fn an_erased_principal_is_gone_revoked_or_not() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let make = |name: &str| created(&process.call("create_principal", &json!({ "name": name }))).0;
    let revoke = |id: &str, erase: bool| {
        process.call("revoke_principal", &json!({ "principal_id": id, "erase": erase }))
    };
    let gone = |id: &str| format!("No active principal {id} (unknown or already revoked).");
    let listed = |id: &str| process.call("list_principals", &json!({})).contains(id);
    let (active, before) = (make("active"), make("before"));
    assert_eq!(
        revoke(&active, true),
        format!("Revoked and erased principal {active}. Its key no longer works anywhere.")
    );
    assert_eq!(revoke(&active, true), gone(&active));
    assert!(!listed(&active));

    assert_eq!(
        revoke(&before, false),
        format!("Revoked principal {before}. Its key no longer works anywhere.")
    );
    assert_eq!(revoke(&before, false), gone(&before));
    assert!(listed(&before));
    assert_eq!(revoke(&before, true), format!("Erased principal {before}, which was revoked before."));
    assert_eq!(revoke(&before, true), gone(&before));
    assert!(!listed(&before));
    assert_eq!(revoke("prin_0000000000000000", true), gone("prin_0000000000000000"));
    assert!(process.call("license_status", &json!({})).contains("principals in use: 0 of 3"));
}
