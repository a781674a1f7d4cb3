//! One caller at full force does not keep the others waiting. What is asserted is mostly an order, because times depend
//! on the machine.

use crate::support::http::{Connection, call, request};
use crate::support::{Deployment, Engine, Model, PATIENCE, Server, id, says};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A server with a greedy caller and one in another tenant.
struct House {
    server: Server,
    greedy: String,
    modest: String,
    deployment: Deployment,
}

impl House {
    fn new(deployment: Deployment) -> Self {
        let deployment = deployment.with("SVC_RATE_PER_MIN", "0");
        let (_, greedy) = deployment.principal("greedy", &["--tenant", "acme"]);
        let (_, modest) = deployment.principal("modest", &[]);
        Self { server: deployment.serve(), greedy, modest, deployment }
    }

    /// So many audit entries.
    fn with_log(self, entries: usize) -> Self {
        const CLIENTS: usize = 16;
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    let mut client = self.server.client(&self.greedy);
                    for _ in 0..entries / CLIENTS {
                        client.call("get_reconcile_policy", &json!({}));
                    }
                });
            }
        });
        self
    }

    fn is_ready(&self) -> bool {
        self.server.connect().ask(&request("GET", "/readyz", &[], b"")).unwrap().status == 200
    }

    /// Has the greedy caller make each of these lists of calls on a connection of its own, all at once, and the modest
    /// one do its part meanwhile. Returns how many of the greedy one's calls had been answered when the modest one was
    /// done.
    fn flood(&self, tool: &str, lists: &[Vec<Value>], modest: impl FnOnce()) -> usize {
        let answered = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for list in lists {
                let answered = &answered;
                scope.spawn(move || {
                    let mut client = self.server.client(&self.greedy);
                    for arguments in list {
                        client.call(tool, arguments);
                        answered.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            while answered.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            modest();
            answered.load(Ordering::SeqCst)
        })
    }
}

#[test]
fn verifications_share_a_verdict_and_keep_nobody_waiting() {
    const MANY: usize = 40;
    let model = Model::start();
    let house = House::new(Deployment::new(&model)).with_log(4000);
    let verify = |key: &str| house.server.client(key).call("verify_audit", &json!({}));
    let began = Instant::now();
    assert!(verify(&house.greedy).contains("INTACT"));
    let alone = began.elapsed();

    let began = Instant::now();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..MANY).map(|_| scope.spawn(|| verify(&house.greedy))).collect();
        for one in all {
            assert!(one.join().unwrap().contains("INTACT"));
        }
    });
    let together = began.elapsed();
    // One that was running when most of them came, and the next one, shared by all the others.
    assert!(together < alone * 8, "{MANY} took {together:?}, one takes {alone:?}");

    let flood: Vec<_> = (0..MANY)
        .map(|_| {
            let mut connection = house.server.connect();
            connection.send(&call(&house.greedy, "verify_audit", &json!({}))).unwrap();
            connection
        })
        .collect();
    assert!(house.is_ready());
    house.server.client(&house.modest).list();
    drop(flood);
    assert!(house.is_ready());
    assert!(verify(&house.modest).contains("INTACT"));
}

#[test]
fn heavy_reads_wait_for_each_other_and_not_the_light_ones_for_them() {
    let model = Model::start();
    let house = House::new(Deployment::new(&model)).with_log(1000);
    let mut modest = house.server.client(&house.modest);
    modest.remember(&says("port", "8001"));
    let number = id(&modest.list());
    let lists = vec![vec![json!({ "limit": 1000 }); 3]; 64];
    let answered = house.flood("audit_log", &lists, || {
        for _ in 0..10 {
            assert!(modest.call("get_memory", &json!({ "memory_id": number })).contains("8001"));
        }
        assert!(house.is_ready());
    });
    assert!(answered < 64 * 3 / 2, "{answered} heavy reads first");
}

/// Keeps every write waiting until it is dropped.
fn hold_writes(deployment: &Deployment) -> impl Drop {
    struct Held(crate::support::Sql);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.run("ROLLBACK");
        }
    }
    let sql = deployment.sql();
    sql.run(match crate::ENGINE {
        Engine::Sqlite => "BEGIN IMMEDIATE",
        Engine::Postgres => "BEGIN; LOCK TABLE audit_entry IN SHARE MODE",
    });
    Held(sql)
}

#[test]
fn a_write_does_not_wait_for_a_flood_of_another_tenant() {
    const FLOOD: usize = 150;
    let model = Model::start();
    let house = House::new(Deployment::new(&model));
    let brought = |n: usize| json!({ "text": format!("told {n}"), "facts": [{ "subject": format!("s{n}"), "value": "v" }] });
    let wait_for = |writes: usize| {
        let began = Instant::now();
        loop {
            let accept = ["Accept: application/openmetrics-text".to_owned()];
            let page = house.server.connect().ask(&request("GET", "/metrics", &accept, b"")).unwrap().body;
            let waiting = page.lines().find_map(|line| line.strip_prefix("svc_writes_waiting ")).unwrap();
            if waiting.parse::<f64>().unwrap() >= writes as f64 {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{waiting} writes wait");
        }
    };
    let send = |key: &str, n: usize| -> Connection {
        let mut connection = house.server.connect();
        connection.send(&call(key, "remember", &brought(n))).unwrap();
        connection
    };
    let held = hold_writes(&house.deployment);
    let mut flood: Vec<Connection> = (0..FLOOD).map(|n| send(&house.greedy, n)).collect();
    wait_for(FLOOD);
    let mut modest = send(&house.modest, FLOOD);
    wait_for(FLOOD + 1);
    drop(held);
    assert_eq!(modest.answer().unwrap().status, 200);
    flood.iter_mut().for_each(|one| assert_eq!(one.answer().unwrap().status, 200));

    let log =
        house.server.client(&house.modest).call("audit_log", &json!({ "limit": 1000, "action": "remember" }));
    let newest_first: Vec<&str> = log.lines().filter(|line| line.contains("  remember  ")).collect();
    assert_eq!(newest_first.len(), FLOOD + 1, "{log}");
    let modest = newest_first.iter().position(|line| !line.contains("tenant=acme")).unwrap();
    let before = FLOOD - modest;
    assert!(before < FLOOD / 2, "{before} of {FLOOD} first");
}

#[test]
fn opening_large_spaces_keeps_nobody_waiting() {
    const SPACES: usize = 6;
    let model = Model::start();
    let mut house = House::new(Deployment::new(&model));
    let value = "word ".repeat(640);
    std::thread::scope(|scope| {
        for space in 0..SPACES {
            let (house, value) = (&house, &value);
            scope.spawn(move || {
                let mut client = house.server.client(&house.greedy);
                for half in 0..2 {
                    let fact = |n: usize| json!({ "subject": format!("s{half} {n}"), "value": value });
                    let facts: Vec<Value> = (0..64).map(fact).collect();
                    let told = json!({ "text": format!("told {half}"), "facts": facts, "user_id": format!("u{space}") });
                    client.call("remember", &told);
                }
            });
        }
    });
    house.server.kill();
    house.server = house.deployment.serve();
    let lists: Vec<Vec<Value>> =
        (0..SPACES).map(|space| vec![json!({ "user_id": format!("u{space}"), "limit": 1 })]).collect();
    let answered = house.flood("list_memories", &lists, || {
        let mut modest = house.server.client(&house.modest);
        assert!(modest.remember(&says("port", "8001")).starts_with("Stored"));
        assert!(house.is_ready());
    });
    assert!(answered < SPACES - 1, "{answered} of {SPACES} spaces first");
}
