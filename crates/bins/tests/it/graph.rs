//! The entity graph, on a real Neo4j.

use crate::support::http::request;
use crate::support::{Deployment, Mcp, Model, amount, ids, random};
use samples::neo4j::{self, Neo4j};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

fn with_graph(model: &Model, server: &Neo4j) -> Deployment {
    Deployment::new(model)
        .with("SVC_GRAPH", "on")
        .with("NEO4J_URI", &server.uri)
        .with("NEO4J_USER", &server.user)
        .with("NEO4J_PASSWORD", &server.password)
}

fn fact(subject: &str, value: &str) -> Value {
    json!({ "text": format!("The {subject} is {value}."), "facts": [{ "subject": subject, "value": value }] })
}

fn tell(process: &Mcp, facts: &[(&str, &str)]) {
    for (subject, value) in facts {
        process.call("remember", &fact(subject, value));
    }
}

fn related(process: &Mcp, question: &str) -> String {
    process.call("recall_related", &json!({ "question": question, "explain": true }))
}

/// The lines of the paths, without their numbers.
fn paths(reply: &str) -> Vec<String> {
    let listed = reply.split("\n\nAlong these paths:\n").nth(1).unwrap_or_default();
    let listed = listed.split("\n\n").next().unwrap_or_default();
    let bare = |step: &str| {
        step.trim_start_matches(['#', ' ', '•']).split_once(' ').map(|(_, rest)| rest.to_owned())
    };
    let steps = |line: &str| line.split(" → ").filter_map(bare).collect::<Vec<_>>().join(" → ");
    listed.lines().map(steps).collect()
}

fn graph(deployment: &Deployment, command: &str) -> Output {
    deployment.run(env!("CARGO_BIN_EXE_svc"), &["graph", command])
}

fn is_equal(deployment: &Deployment) {
    let output = graph(deployment, "check");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.starts_with("Equal: "), "{out}{err}");
}

/// A server of its own that has just started may need longer than one attempt.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn cypher(server: &Neo4j, statement: &str) -> i64 {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rows = runtime.block_on(server.cypher(statement, ""));
    rows.first().map_or(0, |row| row.get("n").unwrap())
}

/// A server for a test that stops or damages it. They take turns: a machine has room for few.
fn alone() -> Option<MutexGuard<'static, Neo4j>> {
    static SERVER: LazyLock<Option<Mutex<Neo4j>>> = LazyLock::new(|| neo4j::own().map(Mutex::new));
    let server = SERVER.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
    server.start();
    cypher(&server, "MATCH (n) DETACH DELETE n RETURN 1 AS n");
    Some(server)
}

const SOFTWARE: [(&str, &str); 9] = [
    ("payments database", "ledger-pg"),
    ("ledger-pg region", "Dublin"),
    ("ledger-pg region", "Frankfurt"),
    ("Frankfurt failover region", "Zurich"),
    ("Dublin failover region", "Cork"),
    ("Greta Lindqvist manager", "Nadia Petrova"),
    ("Ruth Feldman manager", "Nadia Petrova"),
    ("Trust team lead", "Greta Lindqvist"),
    ("office plants", "ferns"),
];

#[test]
fn a_question_is_answered_along_the_facts_that_lead_to_it() {
    let Some(server) = neo4j::shared() else { return };
    let model = Model::start();
    let deployment = with_graph(&model, server);
    let process = deployment.start();
    tell(&process, &SOFTWARE);
    is_equal(&deployment);
    assert!(process.call("health", &json!({})).ends_with("\ngraph: ok"));

    let failover =
        related(&process, "If we lose the region where payments keeps its data, where do we fail over to?");
    let whole =
        "payments database = ledger-pg → ledger-pg region = Frankfurt → Frankfurt failover region = Zurich";
    assert!(paths(&failover).iter().any(|path| path == whole), "{failover}");
    assert!(!failover.contains("ledger-pg region = Dublin"), "{failover}");

    let reports = related(&process, "Who reports to Nadia Petrova?");
    for report in ["Greta Lindqvist manager = Nadia Petrova", "Ruth Feldman manager = Nadia Petrova"] {
        assert!(paths(&reports).iter().any(|path| path.contains(report)), "{reports}");
    }
    let common = related(&process, "What do Greta and Ruth have in common?");
    assert!(
        paths(&common)
            .iter()
            .any(|path| path.contains("Greta Lindqvist manager") && path.contains("Ruth Feldman")),
        "{common}"
    );
    let short =
        process.call("recall_related", &json!({ "question": "Who is the boss of the Trust team lead?" }));
    assert!(!short.contains("Along these paths"), "{short}");
}

#[test]
fn a_question_that_no_path_answers_is_recalled() {
    let Some(server) = neo4j::shared() else { return };
    let model = Model::start();
    let deployment = with_graph(&model, server);
    let process = deployment.start();
    is_equal(&deployment);
    let empty = process.call("recall_related", &json!({ "question": "Who runs the harbour?" }));
    assert!(
        empty.ends_with("(The entity graph has no path for this, so this is recall's answer.)"),
        "{empty}"
    );
    let nonsense = process.call("recall_related", &json!({ "question": "b ".repeat(32_000) }));
    assert!(nonsense.contains("recall's answer"), "{nonsense}");
    let deployment = Deployment::new(&model);
    let plain = deployment.start();
    tell(&plain, &SOFTWARE[..1]);
    let reply = plain.call("recall_related", &json!({ "question": "Where does payments keep its data?" }));
    assert!(!reply.contains("graph"), "{reply}");
    assert!(plain.call("health", &json!({})).ends_with("\ngraph: disabled"));
}

#[test]
fn a_neo4j_that_is_away_delays_nothing_and_loses_nothing() {
    let Some(server) = alone() else { return };
    let model = Model::start();
    let deployment = with_graph(&model, &server);
    server.stop();
    let process = deployment.start();
    tell(&process, &SOFTWARE);
    process.call("delete", &json!({ "subject": "office plants" }));
    let reply = related(&process, "Which region does payments keep its data in?");
    assert!(
        reply.contains("(The entity graph does not answer, ConnectError, so this is recall's answer.)"),
        "{reply}"
    );
    assert!(process.call("health", &json!({})).ends_with("\ngraph: FAIL (ConnectError)"));
    let status = graph(&deployment, "status");
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains("could not be reached") && status.contains("waiting"), "{status}");

    server.start();
    until("the graph does not catch up", || {
        paths(&related(&process, "Which region does payments keep its data in?"))
            .iter()
            .any(|path| path.contains('→'))
    });
    is_equal(&deployment);
    process.intact();
}

#[test]
fn twin_tenants_share_no_node_and_no_answer() {
    let Some(server) = neo4j::shared() else { return };
    let model = Model::start();
    let deployment = with_graph(&model, server).with_seats(10);
    let tenants = ["north", "south"].map(|side| format!("{side}-{:x}", random(u64::MAX)));
    let service = deployment.serve();
    let mut clients: Vec<_> = tenants
        .iter()
        .map(|tenant| service.client(&deployment.principal("root", &["--tenant", tenant]).1))
        .collect();
    for (client, city) in clients.iter_mut().zip(["Oslo", "Lisbon"]) {
        for (subject, value) in [("payments database", "ledger-pg"), ("ledger-pg region", city)] {
            client.call("remember", &fact(subject, value));
        }
    }
    for (client, (own, other)) in clients.iter_mut().zip([("Oslo", "Lisbon"), ("Lisbon", "Oslo")]) {
        let asked = json!({ "question": "In which region does payments keep its data?", "explain": true });
        let mut reply = String::new();
        until("no path", || {
            reply = client.call("recall_related", &asked);
            paths(&reply).iter().any(|path| path.contains("ledger-pg → ledger-pg region"))
        });
        assert!(reply.contains(own) && !reply.contains(other), "{reply}");
    }
    is_equal(&deployment);
    let [north, south] = &tenants;
    let nodes =
        |tenant: &str| cypher(server, &format!("MATCH (n {{tenant: '{tenant}'}}) RETURN count(n) AS n"));
    assert!(nodes(north) > 4 && nodes(north) == nodes(south), "{} {}", nodes(north), nodes(south));
    let between = "MATCH (a)-[r]-(b) WHERE a.tenant <> b.tenant OR r.tenant <> a.tenant RETURN count(*) AS n";
    assert_eq!(cypher(server, between), 0);
}

/// Whether any file below the folder holds these bytes.
fn holds(folder: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => holds(&path, bytes),
            false => {
                std::fs::read(&path).unwrap_or_default().windows(bytes.len()).any(|window| window == bytes)
            }
        }
    })
}

#[test]
fn an_erasure_reaches_the_graph_and_is_proven_twice() {
    let Some(server) = alone() else { return };
    let model = Model::start();
    let deployment = with_graph(&model, &server);
    let process = deployment.start();
    let erasures = amount(10, 500);
    process.call("remember", &fact("harbour pilot", "Ada Brink"));
    for n in 0..erasures {
        process.call("remember", &fact(&format!("canary{n} cage"), &format!("Kanarienvogel {n}")));
    }
    is_equal(&deployment);
    let mut pending = Vec::new();
    for n in 0..erasures {
        let reply = process.call("delete", &json!({ "subject": format!("canary{n} cage") }));
        assert!(reply.contains("graph"), "{reply}");
        let receipt = *ids(&reply).last().unwrap();
        let shown = process.call("verify_receipt", &json!({ "receipt_id": receipt }));
        assert!(shown.contains("VALID") && shown.contains("graph"), "{shown}");
        pending.push(receipt);
    }
    is_equal(&deployment);
    let log = process.call("audit_log", &json!({ "limit": 1000, "action": "graph_erasure" }));
    assert_eq!(log.matches("is gone from the graph").count(), erasures, "{log}");
    let second = ids(log.lines().find(|line| line.contains("is gone from the graph")).unwrap());
    let shown = process.call("verify_receipt", &json!({ "receipt_id": second.last().unwrap() }));
    assert!(
        shown.contains("VALID") && shown.contains(&format!("receipt #{}", pending.last().unwrap())),
        "{shown}"
    );
    assert_eq!(cypher(&server, "MATCH (f:MemoryFact) RETURN count(f) AS n"), 1);
    process.intact();
    drop(process);
    server.stop();
    for word in ["canary0", "Kanarienvogel", "Ada Brink", "harbour"] {
        assert!(!holds(server.folder(), word.as_bytes()), "{word} is in Neo4j's files");
    }
}

/// Tells the writers to end, also where the test fails, which would wait for them otherwise.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes as long as it is told to, through processes that are killed now and then.
fn write(deployment: &Deployment, writer: usize, kills: usize, ended: &AtomicBool) {
    let user = format!("writer {writer}");
    for life in 0.. {
        let process = deployment.start();
        let calls = if life < kills { 3 + random(6) } else { u64::MAX };
        for n in 0..calls {
            if ended.load(Ordering::Relaxed) && life >= kills {
                return;
            }
            let mut arguments = fact(&format!("item {} owner", n % 7), &format!("person {}", random(50)));
            arguments["user_id"] = user.as_str().into();
            process.call("remember", &arguments);
            if n % 5 == 4 {
                process
                    .call("delete", &json!({ "subject": format!("item {} owner", n % 7), "user_id": user }));
            }
        }
        process.kill();
    }
}

#[test]
fn stops_and_kills_leave_both_sides_equal() {
    const WRITERS: usize = 8;
    let Some(server) = alone() else { return };
    let model = Model::start();
    let deployment = with_graph(&model, &server);
    deployment.start().call("remember", &fact("harbour pilot", "Ada Brink"));
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (deployment, ended) = (&deployment, &ended);
            scope.spawn(move || write(deployment, writer, amount(1, 3), ended));
        }
        let _end = End(&ended);
        for round in 0..amount(1, 20) {
            if round % 2 == 0 {
                server.stop()
            } else {
                server.kill()
            }
            server.start();
        }
    });
    is_equal(&deployment);
    let process = deployment.start();
    process.intact();
    assert!(process.call("health", &json!({})).ends_with("\ngraph: ok"));
}

#[test]
fn a_damaged_graph_is_found_and_rebuilt() {
    let Some(server) = alone() else { return };
    let model = Model::start();
    let deployment = with_graph(&model, &server);
    let process = deployment.start();
    tell(&process, &SOFTWARE);
    is_equal(&deployment);
    for damage in [
        "MATCH (f:MemoryFact) WITH f LIMIT 2 DETACH DELETE f RETURN 1 AS n",
        "MATCH (f:MemoryFact)-[r:NAMES]->() WITH r LIMIT 1 DELETE r RETURN 1 AS n",
        "MATCH (f:MemoryFact) WITH f LIMIT 1 
         CREATE (:MemoryFact {projection: f.projection, tenant: f.tenant, space: f.space, fact: 999}) RETURN 1 AS n",
    ] {
        cypher(&server, damage);
        let found = graph(&deployment, "check");
        let said = String::from_utf8(found.stderr).unwrap();
        assert!(!found.status.success() && said.contains("differ"), "{said}");
        let rebuilt = graph(&deployment, "rebuild");
        let said = String::from_utf8(rebuilt.stdout).unwrap();
        assert!(rebuilt.status.success() && said == "Rebuilt: 8 facts in the graph.\n", "{said}");
        is_equal(&deployment);
    }
    // Another Neo4j, which is empty: noticed by the next write.
    cypher(&server, "MATCH (n) DETACH DELETE n RETURN 1 AS n");
    process.call("remember", &fact("harbour pilot", "Ada Brink"));
    until("an empty Neo4j is not filled", || graph(&deployment, "check").status.success());
    assert_eq!(cypher(&server, "MATCH (f:MemoryFact) RETURN count(f) AS n"), 9);
    // Relationships that others made do not keep a fact from going.
    cypher(&server, "MATCH (f:MemoryFact) CREATE (:Alien)-[:LIKES]->(f) RETURN 1 AS n");
    process.call("delete", &json!({ "subject": "harbour pilot" }));
    is_equal(&deployment);
    // Dropped and made again while a process runs, which goes on with it.
    for _ in 0..2 {
        let dropped = graph(&deployment, "drop");
        assert!(dropped.status.success(), "{}", String::from_utf8_lossy(&dropped.stderr));
    }
    assert!(graph(&deployment, "rebuild").status.success());
    process.call("remember", &fact("harbour pilot", "Bo Lund"));
    until("the process has given up", || {
        paths(&related(&process, "Who is the harbour pilot?")).iter().any(|path| path.contains("Bo Lund"))
    });
    drop(process);
    let dropped = graph(&deployment, "drop");
    assert!(dropped.status.success(), "{}", String::from_utf8_lossy(&dropped.stderr));
    let left = "MATCH (n) WHERE n:MemoryFact OR n:MemoryEntity RETURN count(n) AS n";
    assert_eq!(cypher(&server, left), 0);
    let plain = deployment.with("SVC_GRAPH", "off");
    let reply = plain.start().call("delete", &json!({ "subject": "office plants" }));
    assert!(!reply.contains("graph"), "{reply}");
}

#[test]
fn the_lag_is_on_the_page_of_the_metrics() {
    let Some(server) = neo4j::shared() else { return };
    let model = Model::start();
    let deployment = with_graph(&model, server);
    let page = |deployment: &Deployment| {
        let server = deployment.serve();
        let answer = server.connect().ask(&request("GET", "/metrics", &[], b"")).unwrap();
        (answer.body, server)
    };
    let (shown, running) = page(&deployment);
    assert!(
        shown.contains("\nsvc_graph_waiting 0\n") && shown.contains("\nsvc_graph_lag_seconds 0.000\n"),
        "{shown}"
    );
    let warned = running.wait_for_log("Neo4j holds no name and no value");
    assert!(warned.contains("docs/security.md"), "{warned}");
    let (shown, _) = page(&Deployment::new(&model));
    assert!(!shown.contains("svc_graph"), "{shown}");
}

#[test]
fn a_wrong_setting_of_the_graph_stops_startup() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_GRAPH", "on");
    assert!(deployment.refusal().contains("NEO4J_PASSWORD is not set"));
    let deployment = deployment.with("NEO4J_PASSWORD", "x").with("NEO4J_URI", "ftp://localhost");
    let refusal = deployment.refusal();
    assert!(refusal.contains("NEO4J_URI") && !refusal.contains("NEO4J_PASSWORD"), "{refusal}");
}
