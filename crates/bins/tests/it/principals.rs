//! Making principals on the command line.

use crate::support::{Deployment, Model};

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
fn scopes_that_could_mean_every_space_by_accident_are_refused() {
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
