//! What the entity graph is told of changed facts, who may apply it, and the second receipt of an erasure.

use crate::support::{Deployment, InProcess, Model, caller, principal, said, says};
use domain::{FactId, Identity, ReceiptId, Role, Space, SpaceKey, Tenant, Timestamp};
use reconcile::SlotSchema;
use serde_json::{Value, json};
use std::time::Duration;
use store::{Lease, OutboxRow, Rebuild, Store};

const MANY: usize = 1000;

struct Started {
    _model: Model,
    process: InProcess,
}

impl Started {
    async fn new() -> Self {
        let model = Model::start();
        let process = InProcess::start(&model, SlotSchema::none(), &[]).await;
        Self { _model: model, process }
    }

    /// The same with its graph on, and whoever applies it.
    async fn with_graph() -> (Self, Lease) {
        let started = Self::new().await;
        started.store().graph_turn_on().await.unwrap();
        let lease = started.lease("worker", 0).await.unwrap();
        (started, lease)
    }

    fn store(&self) -> &Store {
        self.process.service.store()
    }

    async fn call(&self, tool: &str, arguments: Value) -> String {
        self.process.call(&Identity::Local, tool, &arguments).await
    }

    async fn remember(&self, subject: &str, value: &str) {
        self.call("remember", json!({ "text": says(subject, value) })).await;
    }

    async fn waiting(&self) -> Vec<OutboxRow> {
        self.store().graph_waiting(MANY).await.unwrap()
    }

    /// The numbers of the facts that wait, sorted.
    async fn facts_waiting(&self) -> Vec<i64> {
        let mut facts: Vec<i64> = self.waiting().await.iter().map(|row| row.fact.0).collect();
        facts.sort_unstable();
        facts
    }

    /// Asks for the lease for ten seconds, so many seconds from the start.
    async fn lease(&self, holder: &str, seconds: u64) -> Option<Lease> {
        let now = START.parse::<Timestamp>().unwrap() + Duration::from_secs(seconds);
        self.store().graph_lease(holder, now, now + Duration::from_secs(10)).await.unwrap()
    }

    async fn applied(&self, lease: &Lease, rows: &[OutboxRow]) -> bool {
        self.store().graph_applied(lease, &Tenant::default(), rows, Timestamp::now()).await.unwrap()
    }

    async fn receipt(&self, id: i64) -> String {
        self.call("verify_receipt", json!({ "receipt_id": id })).await
    }
}

const START: &str = "2026-11-01T12:00:00Z";

fn of_acme() -> Identity {
    let mut acme = principal("acme", Role::Admin);
    if let Identity::Principal(principal) = &mut acme {
        principal.tenant = Tenant::new("acme");
    }
    acme
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_graph_there_is_no_row() {
    let started = Started::new().await;
    started.remember("city", "Oslo").await;
    let reply = started.call("delete", json!({ "subject": "city" })).await;
    assert!(reply.ends_with("The erasure is proven by receipt #1."), "{reply}");
    assert!(!started.receipt(1).await.contains("graph"));
    assert_eq!(started.waiting().await, []);
    assert_eq!(started.store().graph_state().await.unwrap(), None);
    assert_eq!(started.lease("worker", 0).await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_of_a_fact_leaves_a_row() {
    let (started, lease) = Started::with_graph().await;
    let state = started.store().graph_state().await.unwrap().unwrap();
    assert_eq!((state.waiting, state.oldest, state.rebuild), (0, None, Some(Rebuild::Wiping)));
    let before = Timestamp::now();
    started.remember("city", "Oslo").await;
    assert_eq!(started.facts_waiting().await, [1]);
    // The same words change nothing.
    started.remember("city", "Oslo").await;
    assert_eq!(started.facts_waiting().await, [1]);
    let changed = json!([{ "subject": "city", "value": "Rome", "action": "SUPERSEDE", "target_id": 1 }]);
    started.call("remember", json!({ "text": said("they moved", &changed) })).await;
    assert_eq!(started.facts_waiting().await, [1, 1, 2]);
    started.call("update_memory", json!({ "memory_id": 2, "new_value": "Turin" })).await;
    assert_eq!(started.facts_waiting().await, [1, 1, 2, 2, 3]);
    let rows = started.waiting().await;
    assert!(rows.windows(2).all(|pair| pair[0].seq < pair[1].seq), "{rows:?}");
    assert!(rows.iter().all(|row| row.receipt.is_none() && row.tenant.is_default()), "{rows:?}");
    let state = started.store().graph_state().await.unwrap().unwrap();
    assert_eq!(state.waiting, 5);
    let oldest = state.oldest.unwrap();
    assert!(before <= oldest + Duration::from_millis(1) && oldest <= Timestamp::now(), "{oldest}");

    assert!(started.applied(&lease, &rows[1..3]).await);
    assert_eq!(started.waiting().await, [&rows[..1], &rows[3..]].concat());
    assert!(started.applied(&lease, &rows).await);
    started.remember("river", "Po").await;
    let next = started.waiting().await;
    assert!(next[0].seq > rows[4].seq, "a number was given out twice: {next:?}");
}

#[test]
fn a_failed_call_leaves_no_row() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.list();
    let sql = deployment.sql();
    sql.run("INSERT INTO graph_projection (id, fence) VALUES (1, 0)");
    sql.run("ALTER TABLE action_counter RENAME TO hidden");
    let reply = process.reply("remember", &json!({ "text": says("city", "Oslo") }));
    assert!(reply.text.contains("couldn't complete"), "{}", reply.text);
    sql.run("ALTER TABLE hidden RENAME TO action_counter");
    let count = |table: &str| sql.cell(&format!("SELECT count(*) FROM {table}")).integer();
    assert_eq!((count("fact"), count("graph_outbox")), (0, 0));
    process.remember(&says("city", "Oslo"));
    assert_eq!((count("fact"), count("graph_outbox")), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_has_one_holder_and_its_fence_rises() {
    let (started, first) = Started::with_graph().await;
    started.remember("city", "Oslo").await;
    let rows = started.waiting().await;
    assert_eq!(started.lease("other", 9).await, None);
    let prolonged = started.lease("worker", 9).await.unwrap();
    assert_eq!(prolonged.fence, first.fence);
    assert_eq!(started.lease("other", 18).await, None);
    let state = started.store().graph_state().await.unwrap().unwrap();
    assert_eq!(state.lease, Some(prolonged));

    let second = started.lease("other", 19).await.unwrap();
    assert!(second.fence > first.fence, "{second:?}");
    assert!(!started.applied(&first, &rows).await);
    assert!(!started.store().graph_rebuild_at(&first, None).await.unwrap());
    started.store().graph_release(first).await.unwrap();
    assert_eq!(started.waiting().await, rows);
    assert_eq!(started.lease("worker", 20).await, None);

    started.store().graph_release(second.clone()).await.unwrap();
    assert!(!started.applied(&second, &rows).await);
    let third = started.lease("worker", 20).await.unwrap();
    assert!(third.fence > second.fence, "{third:?}");
    assert!(started.applied(&third, &rows).await);
    assert_eq!(started.waiting().await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rebuild_is_noted_and_asking_for_one_ends_the_lease() {
    let (started, lease) = Started::with_graph().await;
    let store = started.store();
    let rebuild = async || store.graph_state().await.unwrap().unwrap().rebuild;
    let walking = Rebuild::Walking { tenant: Tenant::new("acme"), fact: FactId(7), done: 7, total: 9 };
    assert!(store.graph_rebuild_at(&lease, Some(walking.clone())).await.unwrap());
    store.graph_turn_on().await.unwrap();
    assert_eq!(rebuild().await, Some(walking.clone()));
    assert!(store.graph_rebuild_at(&lease, None).await.unwrap());
    assert_eq!(rebuild().await, None);

    store.graph_rebuild_ask().await.unwrap();
    assert_eq!(rebuild().await, Some(Rebuild::Wiping));
    assert!(!store.graph_rebuild_at(&lease, Some(walking)).await.unwrap());
    let next = started.lease("worker", 0).await.unwrap();
    assert!(next.fence > lease.fence);
    assert_eq!(rebuild().await, Some(Rebuild::Wiping));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_has_one_second_receipt() {
    let (started, lease) = Started::with_graph().await;
    for value in ["Oslo", "Rome", "Turin"] {
        let change = json!([{ "subject": "city", "value": value, "action": "SUPERSEDE" }]);
        started.call("remember", json!({ "text": said(value, &change) })).await;
    }
    assert!(started.applied(&lease, &started.waiting().await).await);
    let reply = started.call("delete", json!({ "subject": "city" })).await;
    let follows = "by receipt #1. The removal from the graph follows, with a receipt of its own.";
    assert!(reply.ends_with(follows), "{reply}");
    let first = started.receipt(1).await;
    assert!(
        first.contains("3 fact(s); the removal from the graph was still to come, with a receipt of its own"),
        "{first}"
    );
    assert!(first.contains("✓ VALID"), "{first}");

    let rows = started.waiting().await;
    assert_eq!(started.facts_waiting().await, [1, 2, 3]);
    assert!(rows.iter().all(|row| row.receipt == Some(ReceiptId(1))), "{rows:?}");
    for row in &rows {
        assert_eq!(started.receipt(2).await, "No receipt #2.");
        assert!(started.applied(&lease, std::slice::from_ref(row)).await);
    }
    assert!(started.applied(&lease, &rows).await);
    let second = started.receipt(2).await;
    assert!(second.contains("[erasure_receipt] — erased from the graph what receipt #1 erased: 3 fact(s)"));
    assert!(second.contains("✓ VALID"), "{second}");
    assert_eq!(started.receipt(3).await, "No receipt #3.");
    let log = started.call("audit_log", json!({ "action": "graph_erasure" })).await;
    assert!(log.contains("what receipt #1 erased is gone from the graph, receipt #2"), "{log}");
    assert_eq!(log.lines().count(), 1, "{log}");
    let verdict = started.call("verify_audit", json!({})).await;
    assert!(verdict.contains("INTACT"), "{verdict}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_of_several_spaces_waits_for_all_of_them() {
    let (started, lease) = Started::with_graph().await;
    for agent in ["", "coder", "writer"] {
        let told = json!({ "text": says("city", "Oslo"), "user_id": "ann", "agent_id": agent });
        started.call("remember", told).await;
    }
    started.call("delete_all", json!({ "user_id": "ann" })).await;
    let rows = started.waiting().await;
    assert_eq!(rows.len(), 6);
    assert!(started.applied(&lease, &rows[..5]).await);
    assert_eq!(started.receipt(2).await, "No receipt #2.");
    assert!(started.applied(&lease, &rows[5..]).await);
    let second = started.receipt(2).await;
    assert!(second.contains("what receipt #1 erased: 3 fact(s)") && second.contains("✓ VALID"), "{second}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turning_the_graph_off_keeps_what_a_receipt_promised() {
    let (started, _) = Started::with_graph().await;
    started.remember("city", "Oslo").await;
    started.remember("river", "Po").await;
    started.call("delete", json!({ "subject": "city" })).await;
    started.store().graph_turn_off().await.unwrap();
    assert_eq!(started.store().graph_state().await.unwrap(), None);
    started.remember("lake", "Como").await;
    assert_eq!(started.facts_waiting().await, [1]);
    started.store().graph_turn_on().await.unwrap();
    let state = started.store().graph_state().await.unwrap().unwrap();
    assert_eq!((state.waiting, state.rebuild), (1, Some(Rebuild::Wiping)));
    let lease = started.lease("worker", 0).await.unwrap();
    assert!(started.applied(&lease, &started.waiting().await).await);
    assert!(started.receipt(2).await.contains("✓ VALID"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tenants_have_rows_facts_and_keys_of_their_own() {
    let (started, lease) = Started::with_graph().await;
    let (acme, ours) = (Tenant::new("acme"), Tenant::default());
    started.remember("city", "Oslo").await;
    let theirs = json!({ "text": says("city", "Rome") });
    started.process.call(&of_acme(), "remember", &theirs).await;
    let store = started.store();
    assert_eq!(store.tenants().await.unwrap(), [acme.clone(), ours.clone()]);
    let rows = started.waiting().await;
    let named: Vec<_> = rows.iter().map(|row| (row.tenant.as_str(), row.fact.0)).collect();
    assert_eq!(named, [("default", 1), ("acme", 1)]);
    // The rows of both, handed over as those of one: the other keeps its own.
    assert!(store.graph_applied(&lease, &acme, &rows, Timestamp::now()).await.unwrap());
    assert_eq!(started.waiting().await, rows[..1]);

    let value = async |tenant: &Tenant| {
        let [(space, fact)] = store.facts_active(tenant, vec![FactId(1)]).await.unwrap().try_into().unwrap();
        (space, fact.value)
    };
    let (space, value_here) = value(&ours).await;
    let (space_there, value_there) = value(&acme).await;
    assert_eq!((value_here.as_str(), value_there.as_str(), space), ("Oslo", "Rome", space_there));
    let here = Space::new("default", "", "");
    assert_eq!(store.space_id(&caller(Identity::Local), &here).await.unwrap(), Some(space));
    let key = |tenant| store.entity_key(SpaceKey { tenant, id: space }, "city");
    assert_eq!(key(&ours), key(&ours));
    assert_ne!(key(&ours), key(&acme));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deployments_that_share_a_neo4j_are_told_apart() {
    let (one, other) = (Started::new().await, Started::new().await);
    let id = async |started: &Started| started.store().graph_projection().await.unwrap();
    assert_eq!(id(&one).await, id(&one).await);
    assert_ne!(id(&one).await, id(&other).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn active_facts_are_read_page_by_page() {
    let started = Started::new().await;
    for n in 1..=5 {
        let told =
            json!({ "text": says(&format!("subject {n}"), "kept"), "user_id": format!("user {}", n % 2) });
        started.call("remember", told).await;
    }
    started.call("delete", json!({ "subject": "subject 2", "user_id": "user 0" })).await;
    let forgotten = json!([{ "subject": "subject 3", "value": "kept", "action": "RETRACT", "target_id": 3 }]);
    started.call("forget", json!({ "text": said("", &forgotten), "user_id": "user 1" })).await;
    let (store, tenant) = (started.store(), Tenant::default());
    let numbers = |facts: Vec<(domain::SpaceId, domain::Fact)>| -> Vec<i64> {
        facts.iter().map(|(_, fact)| fact.id.0).collect()
    };
    let page = async |after: i64| numbers(store.facts_active_page(&tenant, FactId(after), 2).await.unwrap());
    assert_eq!((page(0).await, page(4).await, page(5).await), (vec![1, 4], vec![5], vec![]));
    assert_eq!(store.facts_active_count(&tenant).await.unwrap(), 3);
    let asked = [5, 3, 2, 1, 99].map(FactId).to_vec();
    assert_eq!(numbers(store.facts_active(&tenant, asked).await.unwrap()), [1, 5]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fact_that_does_not_open_keeps_no_other_from_the_graph() {
    let started = Started::new().await;
    started.remember("city", "Oslo").await;
    started.remember("river", "Po").await;
    started.process.sql().run("UPDATE fact SET body = (SELECT body FROM fact WHERE id = 2) WHERE id = 1");
    let facts = started.store().facts_active_page(&Tenant::default(), FactId(0), 10).await.unwrap();
    assert_eq!(facts.iter().map(|(_, fact)| fact.id.0).collect::<Vec<_>>(), [2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_receipt_follows_one_that_was_changed() {
    let (started, lease) = Started::with_graph().await;
    started.remember("city", "Oslo").await;
    started.call("delete", json!({ "subject": "city" })).await;
    started.process.sql().run("UPDATE receipt SET created = created + 1");
    assert!(started.applied(&lease, &started.waiting().await).await);
    assert_eq!((started.waiting().await, started.receipt(2).await.as_str()), (vec![], "No receipt #2."));
}

#[test]
fn a_copy_has_its_graph_off_and_keeps_the_promised_receipt() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.list();
    deployment.sql().run("INSERT INTO graph_projection (id, fence) VALUES (1, 5)");
    process.remember(&says("city", "Oslo"));
    process.call("delete", &json!({ "subject": "city" }));
    assert!(process.close().success());
    deployment.svc(&["backup", "copy"]);
    let elsewhere = Deployment::new(&model);
    elsewhere.take_keys_of(&deployment);
    elsewhere.svc(&["restore", deployment.folder().join("copy").to_str().unwrap()]);
    let rows = "SELECT * FROM graph_outbox ORDER BY seq";
    let (before, after) = (deployment.sql().rows(rows), elsewhere.sql().rows(rows));
    assert_eq!((before.len(), &before), (2, &after));
    assert_eq!(elsewhere.sql().cell("SELECT count(*) FROM graph_projection").integer(), 0);
    let process = elsewhere.start();
    process.list();
    elsewhere.sql().run("INSERT INTO graph_projection (id, fence) VALUES (1, 5)");
    process.remember(&says("river", "Po"));
    let last = elsewhere.sql().cell("SELECT max(seq) FROM graph_outbox").integer();
    assert!(last > before[1][0].integer(), "a number was given out twice");
    process.intact();

    // Over a deployment that has a graph of its own.
    assert!(process.close().success());
    elsewhere.svc(&["restore", deployment.folder().join("copy").to_str().unwrap(), "--force"]);
    assert_eq!(elsewhere.sql().cell("SELECT count(*) FROM graph_projection").integer(), 0);
    assert_eq!(elsewhere.sql().rows(rows), before);
}

#[test]
fn a_deployment_of_the_previous_version_is_backed_up_and_upgraded() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    assert!(process.close().success());
    deployment.back_to_version(2);
    let status = deployment.run(env!("CARGO_BIN_EXE_svc-migrate"), &["status"]);
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.starts_with("schema: v2 ") && status.contains("PENDING v3"), "{status}");
    deployment.svc(&["backup", "before.db"]);
    assert!(deployment.run(env!("CARGO_BIN_EXE_svc-migrate"), &["up"]).status.success());
    deployment.svc(&["restore", "before.db", "--force"]);
    let process = deployment.start();
    assert!(process.list().contains("• city = Oslo  (#1)"), "{}", process.list());
    process.intact();
    deployment.sql().run("INSERT INTO graph_projection (id, fence) VALUES (1, 0)");
    process.remember(&says("river", "Po"));
    assert_eq!(deployment.sql().cell("SELECT count(*) FROM graph_outbox").integer(), 1);
}
