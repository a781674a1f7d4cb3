//! The counters are those of the deployment: every process shows the calls of all.

use crate::support::http::{Answer, request};
use crate::support::{BROKEN_WORD, Deployment, Model, Server, says};
use serde_json::json;

/// As Prometheus asks.
const PROMETHEUS: &str =
    "Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

fn scrape(server: &Server, headers: &[&str]) -> Answer {
    let headers: Vec<String> = headers.iter().map(|line| (*line).to_owned()).collect();
    server.connect().ask(&request("GET", "/metrics", &headers, b"")).unwrap()
}

#[test]
fn every_process_counts_the_calls_of_all() {
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

/// The value of the one sample that begins so.
fn sample(page: &str, start: &str) -> f64 {
    let line = page.lines().find(|line| line.starts_with(start));
    let line = line.unwrap_or_else(|| panic!("no {start} in:\n{page}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn histograms_show_durations_and_queues() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, key) = deployment.principal("admin", &["--role", "admin"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    client.remember(&says("city", "Oslo"));
    client.remember(&says("colour", "red"));
    client.list();
    assert_eq!(server.client("svc_sk_wrong").ask("stats", &json!({})).unwrap().status, 401);
    server.wait_for_log("status=401");

    let page = scrape(&server, &[PROMETHEUS]).body;
    let plain = scrape(&server, &[]).body;
    for family in ["svc_tool_seconds", "svc_model_call_seconds", "svc_http_request_seconds"] {
        assert_eq!(page.matches(&format!("# TYPE {family} histogram")).count(), 1, "{page}");
        assert!(!plain.contains(family), "who asks for nothing gets samples with one label: {plain}");
    }
    assert_eq!(sample(&page, r#"svc_tool_seconds_count{tool="remember"}"#), 2.0);
    assert_eq!(sample(&page, r#"svc_tool_seconds_count{tool="list_memories"}"#), 1.0);
    let last = sample(&page, r#"svc_tool_seconds_bucket{le="+Inf",tool="remember"}"#);
    assert_eq!(last, 2.0);
    assert!(sample(&page, r#"svc_tool_seconds_sum{tool="remember"}"#) > 0.0);
    assert_eq!(sample(&page, r#"svc_model_call_seconds_count{call="extract",outcome="ok"}"#), 2.0);
    assert_eq!(sample(&page, r#"svc_http_request_seconds_count{path="/mcp",status="200"}"#), 3.0);
    assert_eq!(sample(&page, r#"svc_http_request_seconds_count{path="/mcp",status="401"}"#), 1.0);
    assert_eq!(sample(&page, "svc_writes_waiting "), 0.0);
    assert!(sample(&page, r#"svc_pool_connections_open{pool="readers"}"#) >= 1.0);
    assert_eq!(sample(&page, r#"svc_pool_waiting{pool="readers"}"#), 0.0);
    assert!(!page.contains("# EOF"), "that is OpenMetrics, and this format is not: {page}");
}

#[test]
fn a_failing_model_is_counted() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_EXTRACT_RETRIES", "0");
    let (_, key) = deployment.principal("admin", &["--role", "admin"]);
    let server = deployment.serve();
    let failed = server.client(&key).remember(BROKEN_WORD);
    assert!(failed.starts_with("Svc couldn't complete that"), "{failed}");
    let page = scrape(&server, &[PROMETHEUS]).body;
    assert_eq!(sample(&page, r#"svc_model_call_seconds_count{call="extract",outcome="failed"}"#), 1.0);
}

#[test]
fn the_access_log_names_the_tool_and_no_caller_text() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (id, key) = deployment.principal("admin", &["--role", "admin"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    client.list();
    let line = server.wait_for_log("tool=\"list_memories\"");
    assert!(line.contains("answered") && line.contains(&id), "{line}");
    client.ask("made_up tool=x", &json!({})).unwrap();
    server.wait_for_log("tool=\"unknown\"");
    assert!(server.log().iter().all(|line| !line.contains("made_up")));
}

#[test]
fn a_metrics_token_is_required_and_no_api_key_replaces_it() {
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
