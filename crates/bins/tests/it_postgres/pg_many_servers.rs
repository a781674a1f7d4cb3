//! Several servers on one PostgreSQL, each as good as any other.

use crate::support::http::{Client, request, text};
use crate::support::{Cell, Deployment, Model, Seed, Server, amount, says};
use samples::postgres::durable;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SERVERS: usize = 4;
const CLIENTS: usize = 64;
const TENANTS: usize = 5;
/// Of each tenant: fifty spaces in all.
const USERS: usize = 10;
const SUBJECTS: usize = 5;

/// The deployment, and the key of each tenant.
fn deployment(model: &Model, make: impl FnOnce(&Model) -> Deployment) -> (Deployment, Vec<String>) {
    let deployment = make(model).with("SVC_RATE_PER_MIN", "0").with_seats(TENANTS as u32);
    let keys = (0..TENANTS).map(|n| deployment.principal("root", &["--tenant", &format!("tenant-{n}")]).1);
    let keys = keys.collect();
    (deployment, keys)
}

/// A call that is made from its number alone.
fn call(seed: &mut Seed) -> (&'static str, Value) {
    let subject = format!("slot {}", seed.below(SUBJECTS));
    let (tool, mut arguments) = match seed.below(100) {
        0..45 => ("remember", json!({ "text": says(&subject, &format!("value {}", seed.below(1_000_000))) })),
        45..55 => ("list_memories", json!({})),
        55..65 => ("history", json!({ "subject": subject })),
        65..75 => ("recall", json!({ "question": subject })),
        75..80 => ("get_memory", json!({ "memory_id": 1 + seed.below(500) })),
        80..85 => ("check_before_act", json!({ "subject": subject })),
        85..90 => ("attest", json!({ "subject": subject })),
        90..95 => ("update_memory", json!({ "memory_id": 1 + seed.below(500), "new_value": "edited" })),
        95..97 => ("record_decision", json!({ "action_summary": "act", "question": subject })),
        97..99 => ("forget", json!({ "text": says(&subject, "gone") })),
        _ => ("delete", json!({ "subject": subject })),
    };
    arguments["user_id"] = format!("user {}", seed.below(USERS)).into();
    (tool, arguments)
}

/// Makes the calls, spread over the servers, and returns how long that took.
fn make_calls(servers: &[Server], keys: &[String], calls: u64) -> Duration {
    let (next, began) = (AtomicU64::new(0), Instant::now());
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (server, next) = (&servers[client % servers.len()], &next);
            scope.spawn(move || {
                // One connection for all keys: it is never idle for so long that the server would close it.
                let mut client = server.client(&keys[0]);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= calls {
                        break;
                    }
                    let mut seed = Seed::new(number);
                    let (tool, arguments) = call(&mut seed);
                    let answer = client.show(seed.pick::<String>(keys)).ask(tool, &arguments).unwrap();
                    let text = text(&answer).unwrap_or_else(|| panic!("{tool} {arguments}: {answer:?}"));
                    assert!(
                        !text.starts_with("Svc couldn't"),
                        "{tool} {arguments}: {text}\n{:#?}",
                        server.log()
                    );
                }
            });
        }
    });
    began.elapsed()
}

/// One entry a call in one chain, without a gap and without a fork.
fn check_chain(deployment: &Deployment, entries: u64) {
    let rows = deployment.sql().rows("SELECT seq, prev, hash FROM audit_entry ORDER BY seq");
    assert_eq!(rows.len() as u64, entries);
    let mut before = vec![0; 32];
    for (row, seq) in rows.iter().zip(1..) {
        assert_eq!(row[0], Cell::Integer(seq), "a gap");
        assert_eq!(row[1].bytes(), before, "entry {seq} does not follow the one before");
        before = row[2].bytes().to_vec();
    }
}

/// At most one current value in each place.
fn check_slots(client: &mut Client) {
    for user in 0..USERS {
        let list = client.call("list_memories", &json!({ "user_id": format!("user {user}") }));
        let current: Vec<&str> = list
            .lines()
            .filter_map(|line| line.strip_prefix("• ")?.split_once(" = "))
            .map(|(subject, _)| subject)
            .collect();
        assert_eq!(current.iter().collect::<BTreeSet<_>>().len(), current.len(), "{list}");
        assert!(!current.is_empty() && current.len() <= SUBJECTS, "{list}");
    }
}

#[test]
fn four_servers_keep_one_value_a_slot_and_one_chain() {
    let model = Model::start();
    let (deployment, keys) = deployment(&model, Deployment::new);
    let servers: Vec<Server> = (0..SERVERS).map(|_| deployment.serve()).collect();
    let calls = amount(1000, 20_000) as u64;
    make_calls(&servers, &keys, calls);
    check_chain(&deployment, calls + TENANTS as u64);
    for (key, server) in keys.iter().zip(servers.iter().cycle()) {
        let mut client = server.client(key);
        check_slots(&mut client);
        let verdict = client.call("verify_audit", &json!({}));
        assert!(verdict.contains("INTACT"), "{verdict}");
    }
}

#[test]
#[ignore = "prints figures: cargo test --release -p svc --test it_postgres -- --ignored --nocapture figures"]
fn figures_of_one_server_and_of_four() {
    const CALLS: u64 = 20_000;
    let Some(postgres) = durable() else { return };
    for count in [1, SERVERS] {
        let model = Model::start();
        let (deployment, keys) = deployment(&model, |model| Deployment::on(model, &postgres));
        let servers: Vec<Server> = (0..count).map(|_| deployment.serve()).collect();
        let took = make_calls(&servers, &keys, CALLS);
        eprintln!(
            "{count} server(s), {CLIENTS} clients: {:.0} calls a second",
            CALLS as f64 / took.as_secs_f64()
        );
        for (server, number) in servers.iter().zip(1..) {
            let page = server.connect().ask(&request("GET", "/metrics", &[], b"")).unwrap().body;
            for line in page.lines().filter(|line| line.starts_with("svc_audit_append")) {
                eprintln!("  server {number}: {line}");
            }
        }
    }
}
