//! The counters are those of the deployment: every process shows the calls of all.

use crate::support::http::{Answer, request};
use crate::support::{Deployment, Model, Server, says};
use serde_json::json;

fn scrape(server: &Server, headers: &[&str]) -> Answer {
    let headers: Vec<String> = headers.iter().map(|line| (*line).to_owned()).collect();
    server.connect().ask(&request("GET", "/metrics", &headers, b"")).unwrap()
}

#[test]
fn every_process_shows_the_calls_of_all_those_over_stdio_too() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, admin) = deployment.principal("admin", &[]);
    let (_, viewer) = deployment.principal("reader", &["--role", "viewer"]);
    let (one, other, local) = (deployment.serve(), deployment.serve(), deployment.start());

    one.client(&admin).remember(&says("city", "Oslo"));
    other.client(&admin).remember(&says("city", "Bergen"));
    local.remember(&says("colour", "red"));
    local.list();
    other.client(&viewer).list();
    let denied = one.client(&viewer).call("remember", &json!({ "text": "x" }));
    assert!(denied.starts_with("Access denied: 'remember' requires the 'write' capability"), "{denied}");
    local.refused("get_memory", &json!({ "memory_id": "x" }));

    for server in [&one, &other] {
        let page = scrape(server, &[]);
        assert_eq!(page.status, 200);
        assert_eq!(page.header("content-type"), Some("text/plain; version=0.0.4"));
        for line in [
            "# TYPE svc_tool_calls_total counter",
            r#"svc_tool_calls_total{tool="remember"} 4"#,
            r#"svc_tool_errors_total{tool="remember"} 1"#,
            r#"svc_tool_calls_total{tool="list_memories"} 2"#,
            r#"svc_tool_errors_total{tool="list_memories"} 0"#,
            r#"svc_tool_errors_total{tool="get_memory"} 1"#,
            r#"svc_tool_calls_total{tool="create_principal"} 2"#,
            r#"svc_action_total{action="ADD"} 2"#,
            r#"svc_action_total{action="SUPERSEDE"} 1"#,
            "svc_principals_active 2",
            r#"svc_license_edition_info{edition="community"} 1"#,
        ] {
            assert!(page.body.lines().any(|shown| shown == line), "{line} is not in:\n{}", page.body);
        }
        assert!(page.body.contains(r#"svc_tool_latency_avg_ms{tool="remember"} "#), "{}", page.body);
    }
}

#[test]
fn a_metrics_token_is_asked_for_where_one_is_set_and_an_api_key_is_none() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_METRICS_TOKEN", "scrape-me");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    assert_eq!(scrape(&server, &["Authorization: Bearer scrape-me"]).status, 200);
    let api_key = format!("Authorization: Bearer {key}");
    let twice = ["Authorization: Bearer scrape-me", "Authorization: Bearer scrape-me"];
    for lines in [
        &[][..],
        &[api_key.as_str()],
        &["Authorization: Bearer scrape-m"],
        &["Authorization: scrape-me"],
        &twice,
    ] {
        let answer = scrape(&server, lines);
        assert_eq!((answer.status, answer.body.as_str()), (401, "unauthorized"), "{lines:?}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    // And the token opens nothing else.
    assert_eq!(server.client("scrape-me").ask("stats", &json!({})).unwrap().status, 401);
}
