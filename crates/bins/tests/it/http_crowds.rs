//! Crowds of strangers at the door: too many requests, too many addresses, too many connections.

use crate::support::http::{Answer, Connection, call, headers, message, request};
use crate::support::{Deployment, Model, Server, allow_open_files};
use serde_json::json;
use std::time::{Duration, Instant};

/// A call from a client behind a proxy, with these further header lines.
fn from(server: &Server, client: &str, key: Option<&str>) -> Answer {
    let mut lines = key.map(headers).unwrap_or_default();
    lines.push(format!("X-Forwarded-For: {client}"));
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    server.connect().ask(&request("POST", "/mcp", &lines, body.as_bytes())).unwrap()
}

fn retry_after(answer: &Answer) -> u64 {
    answer.header("retry-after").unwrap_or_else(|| panic!("no Retry-After: {answer:?}")).parse().unwrap()
}

#[test]
fn a_64_is_one_client_and_a_good_key_has_a_window_of_its_own() {
    let model = Model::start();
    let deployment =
        Deployment::new(&model).with("SVC_RATE_PER_MIN", "5").with("SVC_TRUSTED_PROXY_HOPS", "1");
    let (_, key) = deployment.principal("admin", &[]);
    let (_, second) = deployment.principal("second", &[]);
    let server = deployment.serve();
    let statuses: Vec<u16> =
        (1..9).map(|n| from(&server, &format!("2001:db8:0:1::{n}"), None).status).collect();
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
    assert_eq!(from(&server, "2001:db8:0:2::1", None).status, 401);

    // Strangers have used the address up; each good key is served, as often as the setting says.
    for key in [&key, &second] {
        let answers: Vec<Answer> = (0..7).map(|_| from(&server, "2001:db8:0:1::1", Some(key))).collect();
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [200, 200, 200, 200, 200, 429, 429]);
        assert_eq!(answers[6].json()["error"], "rate limit exceeded");
        assert!((1..=60).contains(&retry_after(&answers[6])), "{:?}", answers[6]);
    }
    let bad = from(&server, "2001:db8:0:1::1", Some("svc_sk_nobody"));
    assert_eq!(bad.status, 429);
    assert!((1..=60).contains(&retry_after(&bad)), "{bad:?}");
}

#[test]
fn thousands_of_silent_connections_delay_nobody() {
    const SILENT: usize = 4200;
    allow_open_files();
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_CONNECTIONS_PER_ADDRESS", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut kept = server.client(&key);
    kept.list();
    let silent: Vec<Connection> = (0..SILENT).map(|_| server.connect()).collect();
    let began = Instant::now();
    assert_eq!(server.connect().ask(&request("GET", "/healthz", &[], b"")).unwrap().status, 200);
    assert_eq!(server.connect().ask(&call(&key, "list_memories", &json!({}))).unwrap().status, 200);
    // The connection from before has had its request: it did not have to make room.
    kept.list();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(5), "with {} silent connections it took {took:?}", silent.len());
}

#[test]
fn an_address_has_its_share_of_connections_and_probes_come_besides() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_CONNECTIONS_PER_ADDRESS", "4");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let whole = call(&key, "list_memories", &json!({}));
    // Idle connections give way, the longest idle first.
    let mut idle: Vec<Connection> = (0..4).map(|_| server.connect()).collect();
    for connection in &mut idle {
        assert_eq!(connection.ask(&whole).unwrap().status, 200);
    }
    let mut newest = server.connect();
    assert_eq!(newest.ask(&whole).unwrap().status, 200);
    assert!(idle[0].ask(&whole).is_err(), "the longest idle connection is still open");
    assert_eq!(idle[1].ask(&whole).unwrap().status, 200);

    // Requests under way do not. The server asks for the body once it has the head.
    let body = message("list_memories", &json!({}));
    let lines = [headers(&key), vec!["Expect: 100-continue".to_owned()]].concat();
    let head = request("POST", "/mcp", &lines, body.as_bytes());
    let head = &head[..head.len() - body.len()];
    let mut busy = [&mut newest].into_iter().chain(&mut idle[1..]).collect::<Vec<_>>();
    for connection in &mut busy {
        connection.send(head).unwrap();
        assert_eq!(connection.line().unwrap(), "HTTP/1.1 100 Continue");
        connection.line().unwrap();
    }
    let refused = server.connect().ask(&whole).unwrap();
    assert_eq!((refused.status, refused.header("connection")), (429, Some("close")));
    assert_eq!(retry_after(&refused), 1);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.connect().ask(&request("GET", path, &[], b"")).unwrap().status, 200, "{path}");
    }
    let mut elsewhere = Connection::open_from([127, 0, 0, 2], server.address()).unwrap();
    assert_eq!(elsewhere.ask(&whole).unwrap().status, 200);
    for connection in &mut busy {
        connection.send(body.as_bytes()).unwrap();
        assert_eq!(connection.answer().unwrap().status, 200);
    }
}
