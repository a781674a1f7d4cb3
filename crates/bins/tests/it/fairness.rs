//! One caller at full force does not keep the others waiting. What is asserted is mostly an order, because times depend
//! on the machine.

use crate::support::http::{call, request};
use crate::support::{Deployment, Model, Server, id, says};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A server with a greedy caller and one in another tenant.
struct House {
    server: Server,
    greedy: String,
    modest: String,
    _deployment: Deployment,
}

impl House {
    fn new(deployment: Deployment) -> Self {
        let deployment = deployment.with("SVC_RATE_PER_MIN", "0");
        let (_, greedy) = deployment.principal("greedy", &["--tenant", "acme"]);
        let (_, modest) = deployment.principal("modest", &[]);
        Self { server: deployment.serve(), greedy, modest, _deployment: deployment }
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

    /// Has the greedy caller ask on that many connections at once, so often each, and the modest one do its part
    /// meanwhile. Returns how many of the greedy one's calls had been answered when the modest one was done.
    fn flood(
        &self,
        connections: usize,
        times: usize,
        tool: &str,
        arguments: &Value,
        modest: impl FnOnce(),
    ) -> usize {
        let (begun, answered) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..connections {
                scope.spawn(|| {
                    let mut client = self.server.client(&self.greedy);
                    for _ in 0..times {
                        begun.fetch_add(1, Ordering::SeqCst);
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
    let (connections, times) = (64, 3);
    let answered = house.flood(connections, times, "audit_log", &json!({ "limit": 1000 }), || {
        for _ in 0..10 {
            assert!(modest.call("get_memory", &json!({ "memory_id": number })).contains("8001"));
        }
        assert!(house.is_ready());
    });
    assert!(answered < connections * times / 2, "{answered} of {} heavy reads first", connections * times);
}
