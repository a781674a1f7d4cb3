//! A database that dies and comes back, and servers that die, while clients go on writing.

use crate::support::http::{Client, request, text};
use crate::support::{Deployment, Model, PATIENCE, Seed, Server, amount, says};
use samples::postgres::{Postgres, durable};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const SERVERS: usize = 2;
const WRITERS: usize = 8;
/// Writes that are acknowledged between two faults.
const BETWEEN: usize = 40;
/// A server says within this time that its database is gone.
const SOON: Duration = Duration::from_secs(1);
/// What `health` promises, and what a busy machine adds.
const HEALTH_TIME: Duration = Duration::from_millis(2500);

enum Fault {
    DatabaseStops,
    ServerDies(usize),
}

/// What writers and the one who breaks things share.
struct Field {
    addresses: Mutex<Vec<SocketAddr>>,
    acknowledged: AtomicUsize,
    done: AtomicBool,
}

/// Ends the writers' work, also where the one who breaks things has found a fault and gives up.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes until told to stop; returns the subjects of the writes that were acknowledged.
fn write(field: &Field, writer: usize, key: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut client: Option<Client> = None;
    for n in 0.. {
        if field.done.load(Ordering::Relaxed) {
            break;
        }
        let address = field.addresses.lock().unwrap()[writer % SERVERS];
        let mut trying = client.take().unwrap_or_else(|| Client::new(address, key));
        let subject = format!("item {writer}-{n}");
        let arguments = json!({ "text": says(&subject, "kept"), "user_id": format!("writer {writer}") });
        let said = trying.ask("remember", &arguments).ok().and_then(|answer| text(&answer));
        if said.is_some_and(|said| said.starts_with("Stored: [ADD]")) {
            kept.push(subject);
            field.acknowledged.fetch_add(1, Ordering::Relaxed);
            client = Some(trying);
        } else {
            // Whether it was written is open. The next one goes over a new connection, a moment later.
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    kept
}

fn readiness(server: &Server) -> u16 {
    let answer = server.connect().ask(&request("GET", "/readyz", &[], b"")).unwrap();
    let said = match answer.status {
        200 => json!({ "status": "ready" }),
        _ => json!({ "status": "not-ready" }),
    };
    assert_eq!(answer.json(), said);
    answer.status
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn stop_and_start(postgres: &Postgres, servers: &[Server], key: &str) {
    postgres.stop_immediate();
    for server in servers {
        let began = Instant::now();
        assert_eq!(readiness(server), 503);
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
        let began = Instant::now();
        let said = server.client(key).call("health", &json!({}));
        assert!(said.contains("\ndb: FAIL (PostgresError)\n"), "{said}");
        assert!(began.elapsed() < HEALTH_TIME, "{:?}", began.elapsed());
    }
    postgres.start();
    for server in servers {
        wait_for("a server does not find its database again", || readiness(server) == 200);
    }
}

/// The two kinds of fault in an order that looks random.
fn faults() -> Vec<Fault> {
    let (mut stops, mut deaths) = (amount(3, 20), amount(6, 50));
    let mut seed = Seed::new(1);
    let mut faults = Vec::new();
    while stops + deaths > 0 {
        if seed.below(stops + deaths) < stops {
            stops -= 1;
            faults.push(Fault::DatabaseStops);
        } else {
            deaths -= 1;
            faults.push(Fault::ServerDies(seed.below(SERVERS)));
        }
    }
    faults
}

/// Has the faults happen among the writers' work; returns what was acknowledged to each.
fn run(deployment: &Deployment, postgres: &Postgres, servers: &mut [Server], key: &str) -> Vec<Vec<String>> {
    let field = Field {
        addresses: Mutex::new(servers.iter().map(Server::address).collect()),
        acknowledged: AtomicUsize::new(0),
        done: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let field = &field;
        let writers: Vec<_> = (0..WRITERS).map(|n| scope.spawn(move || write(field, n, key))).collect();
        let ending = Ending(&field.done);
        let progress = || {
            let enough = field.acknowledged.load(Ordering::Relaxed) + BETWEEN;
            wait_for("writes are no longer taken", || field.acknowledged.load(Ordering::Relaxed) >= enough);
        };
        for fault in faults() {
            progress();
            match fault {
                Fault::DatabaseStops => stop_and_start(postgres, servers, key),
                Fault::ServerDies(which) => {
                    servers[which].kill();
                    servers[which] = deployment.serve();
                    field.addresses.lock().unwrap()[which] = servers[which].address();
                }
            }
        }
        progress();
        drop(ending);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    })
}

/// What was acknowledged is there, and what is there has the one entry of its write.
fn check(client: &mut Client, writer: usize, acknowledged: &[String]) {
    let export = client.call("export_memory", &json!({ "user_id": format!("writer {writer}") }));
    let export: Value = serde_json::from_str(&export).unwrap();
    let mut entries = BTreeMap::<&str, usize>::new();
    for entry in export["audit"].as_array().unwrap().iter().filter(|entry| entry["action"] == "remember") {
        *entries.entry(entry["detail"].as_str().unwrap_or_default()).or_default() += 1;
    }
    let stored: Vec<&str> =
        export["records"].as_array().unwrap().iter().map(|fact| fact["subject"].as_str().unwrap()).collect();
    for subject in acknowledged {
        assert!(stored.contains(&subject.as_str()), "{subject} was acknowledged and is lost");
    }
    for subject in &stored {
        let count = entries.remove(format!("ADD {subject}").as_str());
        assert_eq!(count, Some(1), "{subject} has not the one audit entry of its write");
    }
    let unfounded: Vec<_> = entries.keys().filter(|detail| detail.starts_with("ADD ")).collect();
    assert!(unfounded.is_empty(), "entries without their fact: {unfounded:?}");
}

#[test]
fn crashes_lose_no_acknowledged_write_or_audit_entry() {
    let Some(postgres) = durable() else { return };
    let model = Model::start();
    let deployment = Deployment::on(&model, &postgres).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let mut servers: Vec<Server> = (0..SERVERS).map(|_| deployment.serve()).collect();
    let acknowledged = run(&deployment, &postgres, &mut servers, &key);
    let mut client = servers[0].client(&key);
    for (writer, acknowledged) in acknowledged.iter().enumerate() {
        check(&mut client, writer, acknowledged);
    }
    let verdict = client.call("verify_audit", &json!({}));
    assert!(verdict.contains("INTACT"), "{verdict}");
}
