//! Who gets in over HTTP, how far, and how many.

use crate::support::http::{Answer, headers, message, request};
use crate::support::{Deployment, Model, Server, created, id, ids, says};
use serde_json::json;

fn ask(server: &Server, method: &str, path: &str, lines: &[String]) -> Answer {
    let body = message("list_memories", &json!({}));
    server.connect().ask(&request(method, path, lines, body.as_bytes())).unwrap()
}

/// The headers of a call, with this in place of its authorization.
fn with_authorization(lines: &[String]) -> Vec<String> {
    let others = headers("").split_off(1);
    lines.iter().cloned().chain(others).collect()
}

#[test]
fn every_path_needs_exactly_one_good_key() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, key) = deployment.principal("admin", &[]);
    let (revoked_id, revoked) = deployment.principal("gone", &[]);
    let server = deployment.serve();
    server.client(&key).call("revoke_principal", &json!({ "principal_id": revoked_id }));
    let good = format!("Authorization: Bearer {key}");
    let bad: Vec<Vec<String>> = vec![
        vec![],
        vec!["Authorization:".to_owned()],
        vec!["Authorization: Bearer".to_owned()],
        vec![format!("Authorization: {key}")],
        vec![format!("Authorization: Basic {key}")],
        vec![format!("Authorization: Bearer {revoked}")],
        vec![format!("Authorization: Bearer {key}0")],
        vec![format!("Authorization: Bearer {}", &key[..key.len() - 1])],
        vec![format!("Authorization: Bearer {}", key.to_uppercase())],
        vec![format!("Authorization: Bearer {key} {key}")],
        vec!["Authorization: Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.".to_owned()],
        vec![good.clone(), good],
        vec![format!("X-Api-Key: {key}"), format!("Cookie: key={key}")],
    ];
    for lines in &bad {
        for (method, path) in
            [("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/nothing"), ("GET", "/openapi.json")]
        {
            let answer = ask(&server, method, path, &with_authorization(lines));
            assert_eq!(answer.status, 401, "{method} {path} {lines:?}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            assert_eq!(answer.header("content-type"), Some("application/json"));
            assert_eq!(
                answer.json(),
                json!({ "error": "unauthorized: send Authorization: Bearer svc_sk_..." })
            );
            assert!(answer.header("x-request-id").is_some());
        }
    }
    let query = ask(&server, "POST", &format!("/mcp?key={key}"), &with_authorization(&[]));
    assert_eq!(query.status, 401);
    for (method, path, status) in
        [("POST", "/mcp", 200), ("GET", "/mcp", 405), ("GET", "/nothing", 404), ("GET", "/openapi.json", 200)]
    {
        let lines = with_authorization(&[format!("authorization: bEARER {key}")]);
        assert_eq!(ask(&server, method, path, &lines).status, status, "{method} {path}");
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(ask(&server, "GET", path, &[]).status, 200, "{path}");
    }
}

#[test]
fn role_and_scopes_limit_a_key() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, admin) = deployment.principal("admin", &[]);
    let (_, agent) = deployment.principal("agent", &["--role", "agent", "--scopes", "alice,carol"]);
    let server = deployment.serve();
    let (mut admin, mut agent) = (server.client(&admin), server.client(&agent));
    let said = |user: &str| json!({ "text": says("city", user), "user_id": user });
    admin.call("remember", &said("bob-the-secret"));
    assert!(agent.call("remember", &said("alice")).starts_with("Stored: [ADD]"));

    let outside = "targets a memory space outside your assigned scope.";
    for (tool, arguments) in [
        ("list_memories", json!({ "user_id": "bob-the-secret" })),
        ("list_memories", json!({})),
        ("recall", json!({ "question": "Where?", "user_id": "bob-the-secret" })),
        ("remember", said("bob-the-secret")),
        ("export_memory", json!({ "user_id": "alice,carol" })),
        ("audit_log", json!({ "user_id": "bob-the-secret" })),
    ] {
        let reply = agent.call(tool, &arguments);
        assert_eq!(reply, format!("Access denied: '{tool}' {outside}"), "{arguments}");
    }
    for (tool, capability, arguments) in [
        ("delete", "delete", json!({ "subject": "city", "user_id": "alice" })),
        ("confirm_change", "approve", json!({ "memory_id": 1, "user_id": "alice" })),
        ("delete_all", "admin", json!({ "user_id": "alice" })),
        ("create_principal", "admin", json!({ "name": "x" })),
        ("list_principals", "admin", json!({})),
    ] {
        let reply = agent.call(tool, &arguments);
        let start = format!("Access denied: '{tool}' requires the '{capability}' capability; your role(s) [");
        assert!(reply.starts_with(&start) && reply.contains("agent"), "{reply}");
    }
    let log = admin.call("audit_log", &json!({ "limit": 1000 }));
    assert_eq!(log.matches("  access_denied  ").count(), 11, "{log}");
    let list = admin.call("list_memories", &json!({ "user_id": "bob-the-secret" }));
    assert_eq!(list.lines().count(), 1, "{list}");
}

#[test]
fn what_the_parser_refuses_has_a_request_id_too() {
    let server = Deployment::new(&Model::start()).serve();
    let long = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "a".repeat(400_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(500));
    for (status, sent) in
        [(400, "nonsense\r\n\r\n"), (400, "GET / HTTP/1.1\r\nb@d header\r\n\r\n"), (431, &long), (431, &many)]
    {
        let answer = server.connect().ask(sent.as_bytes()).unwrap();
        assert_eq!(answer.status, status);
        let id = answer.header("x-request-id").unwrap_or_default();
        assert!(id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit()), "{answer:?}");
        server.wait_for_log(id);
    }
}

#[test]
fn tenants_with_the_same_user_ids_are_apart() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, operator) = deployment.principal("operator", &[]);
    let (acme_id, acme) = deployment.principal("root", &["--tenant", "acme"]);
    let (_, globex) = deployment.principal("root", &["--tenant", "globex"]);
    let server = deployment.serve();
    let mut acme = server.client(&acme);
    let mut globex = server.client(&globex);
    // Each tenant has its own numbers, so only one that the other tenant has not reached proves anything.
    acme.remember(&says("colour", "red"));
    acme.remember(&says("city", "Oslo"));
    globex.remember(&says("city", "Rome"));
    let (ours, theirs) = (acme.list(), globex.list());
    assert!(ours.contains("• city = Oslo  (#") && ours.lines().count() == 2, "{ours}");
    assert!(theirs.starts_with("• city = Rome  (#") && theirs.lines().count() == 1, "{theirs}");
    let decision =
        acme.call("record_decision", &json!({ "action_summary": "go", "question": "Which city?" }));
    let receipt = acme.call("attest", &json!({ "subject": "city" }));

    let memory = *ids(&ours).iter().max().unwrap();
    for (tool, arguments, reply) in [
        ("get_memory", json!({ "memory_id": memory }), format!("No memory with id #{memory}.")),
        (
            "update_memory",
            json!({ "memory_id": memory, "new_value": "x" }),
            format!("No memory with id #{memory}."),
        ),
        (
            "explain_decision",
            json!({ "decision_id": id(&decision) }),
            format!("No decision #{} in this scope.", id(&decision)),
        ),
        ("verify_receipt", json!({ "receipt_id": id(&receipt) }), format!("No receipt #{}.", id(&receipt))),
        (
            "revoke_principal",
            json!({ "principal_id": acme_id }),
            format!("No active principal {acme_id} (unknown or already revoked)."),
        ),
        (
            "create_principal",
            json!({ "name": "spy", "tenant": "acme" }),
            "Access denied: you can only create principals in your own tenant.".to_owned(),
        ),
    ] {
        assert_eq!(globex.call(tool, &arguments), reply, "{tool} {arguments}");
    }
    assert!(globex.call("stats", &json!({})).starts_with("Access denied: stats are deployment-wide"));
    let purge = json!({ "older_than_days": 0, "include_audit": true });
    assert!(
        globex
            .call("purge_expired", &purge)
            .starts_with("Access denied: the audit log is shared by every tenant")
    );
    let log = globex.call("audit_log", &json!({ "limit": 1000 }));
    assert!(!log.contains("acme") && !log.contains("Oslo"), "{log}");
    assert!(!globex.call("list_principals", &json!({})).contains("acme"));
    globex.call("delete_all", &json!({}));

    assert_eq!(acme.list(), ours);
    assert!(acme.call("verify_receipt", &json!({ "receipt_id": id(&receipt) })).contains("✓ VALID"));
    let all = server.client(&operator).call("audit_log", &json!({ "limit": 1000 }));
    assert!(all.contains("tenant=acme") && all.contains("tenant=globex"), "{all}");
}

#[test]
fn there_are_three_seats_or_what_the_licence_says() {
    let model = Model::start();
    let mut deployment = Deployment::new(&model);
    let (_, key) = deployment.principal("admin", &[]);
    let fill = |deployment: &Deployment, seats: usize| {
        let server = deployment.serve();
        let mut admin = server.client(&key);
        let mut last = String::new();
        for n in 1..seats {
            last = admin
                .call("create_principal", &json!({ "name": format!("p{n}"), "tenant": format!("t{n}") }));
            assert!(last.starts_with("Created principal"), "seat {} of {seats}: {last}", n + 1);
        }
        let refused = admin.call("create_principal", &json!({ "name": "one too many" }));
        let status = admin.call("license_status", &json!({}));
        assert!(status.contains(&format!("principals in use: {seats} of {seats}")), "{status}");
        // A seat that is given up is free again.
        admin.call("revoke_principal", &json!({ "principal_id": created(&last).0 }));
        let again = created(&admin.call("create_principal", &json!({ "name": "successor" })));
        admin.call("revoke_principal", &json!({ "principal_id": again.0 }));
        for line in admin.call("list_principals", &json!({})).lines().filter(|line| line.ends_with("active"))
        {
            let other = line.split_whitespace().next().unwrap();
            if !line.contains("  admin  ") {
                admin.call("revoke_principal", &json!({ "principal_id": other }));
            }
        }
        refused
    };
    let refused = fill(&deployment, 3);
    assert!(
        refused.starts_with("Seat limit reached: 3 active principal(s) allowed on the community edition."),
        "{refused}"
    );

    let svc = |arguments: &[&str]| {
        let output = deployment.run(env!("CARGO_BIN_EXE_svc"), arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let vendor = svc(&["license", "keygen", "vendor.key"]).replace("SVC_VENDOR_PUBKEY=", "");
    let mint =
        ["license", "mint", "--key", "vendor.key", "--customer", "Acme", "--edition", "team", "--seats", "5"];
    let licence = svc(&mint);
    let stranger = svc(&["license", "keygen", "stranger.key"]).replace("SVC_VENDOR_PUBKEY=", "");
    deployment.set("SVC_LICENSE", &licence);
    deployment.set("SVC_VENDOR_PUBKEY", &vendor);
    let refused = fill(&deployment, 5);
    assert!(
        refused.starts_with("Seat limit reached: 5 active principal(s) allowed on the team edition."),
        "{refused}"
    );

    deployment.set("SVC_VENDOR_PUBKEY", &stranger);
    let refused = fill(&deployment, 3);
    assert!(refused.contains("the community edition"), "a licence of another vendor counted: {refused}");
}
