//! What a call costs follows the work, not the size of the memory.

use crate::support::{InProcess, Model, caller, principal, says};
use domain::{Action, Caller, Identity, Proposer, RawFact, Space, Tenant, Timestamp};
use reconcile::{SlotSchema, Trust};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use store::{Arrival, Brought, Call, Import, Intent, Reached, Record, Said, StorageLimits, Store};

async fn fill(store: &Store, facts: usize) {
    let space = Space::new("default", "", "");
    let numbers: Vec<usize> = (0..facts).collect();
    for chunk in numbers.chunks(domain::limits::FACTS_PER_STATEMENT) {
        let fact = |n: &usize| RawFact {
            subject: Some(format!("subject {n}")),
            value: Some(format!("value {n}")),
            action: Some("ADD".to_owned()),
            confidence: Some(0.9),
            ..RawFact::default()
        };
        let said = Said {
            intent: Intent::Remember,
            text: format!("statement {chunk:?}").into(),
            source: None,
            trust: Trust::Ordinary,
            metadata: domain::Metadata::new(),
            proposer: Proposer::Model,
            facts: chunk.iter().map(|n| fact(n).into()).collect(),
            said: None,
            due: Vec::new(),
            limits: StorageLimits::default(),
            once: None,
        };
        let call = Call::new(caller(Identity::Local), "remember", Some(space.clone()));
        let slots = Arc::new(SlotSchema::none());
        let reached = store.statement_commit(call, space.clone(), slots, said).await;
        let Reached::Plan(plan) = reached.unwrap().unwrap() else { panic!("it was told before") };
        assert_eq!(plan.outcomes.len(), chunk.len());
    }
}

/// The steps of each call in a space of that many facts, with an outbox of as many rows.
async fn steps(model: &Model, facts: usize) -> Vec<(&'static str, u64)> {
    let started = InProcess::start(model, SlotSchema::none(), &[]).await;
    started.service.store().graph_turn_on().await.unwrap();
    fill(started.service.store(), facts).await;
    let mut counted = Vec::new();
    for (tool, warm_up, arguments) in [
        ("get_memory", json!({ "memory_id": 7 }), json!({ "memory_id": 70 })),
        ("history", json!({ "subject": "subject 7" }), json!({ "subject": "subject 70" })),
        ("check_before_act", json!({ "subject": "subject 7" }), json!({ "subject": "subject 70" })),
        (
            "update_memory",
            json!({ "memory_id": 7, "new_value": "x" }),
            json!({ "memory_id": 70, "new_value": "y" }),
        ),
        ("attest", json!({ "subject": "subject 7" }), json!({ "subject": "subject 70" })),
        (
            "remember",
            json!({ "text": says("subject 8", "new") }),
            json!({ "text": says("subject 80", "new") }),
        ),
    ] {
        started.call(&Identity::Local, tool, &warm_up).await;
        let before = started.meter.steps();
        let text = started.call(&Identity::Local, tool, &arguments).await;
        counted.push((tool, started.meter.steps() - before));
        assert!(text.contains("70") || text.contains("80"), "{tool}: {text}");
    }
    let store = started.service.store();
    let lease = store.graph_lease("worker", Timestamp::now(), Timestamp::MAX).await.unwrap().unwrap();
    for (what, value) in [("import", "brought"), ("import of a record that has changed", "brought later")] {
        bring(store, 9, value).await;
        let before = started.meter.steps();
        bring(store, 90, value).await;
        counted.push((what, started.meter.steps() - before));
    }
    let before = started.meter.steps();
    let rows = store.graph_waiting(10).await.unwrap();
    counted.push(("graph_waiting", started.meter.steps() - before));
    let before = started.meter.steps();
    assert!(store.graph_applied(&lease, &Tenant::default(), &rows, Timestamp::now()).await.unwrap());
    counted.push(("graph_applied", started.meter.steps() - before));
    counted
}

/// Brings a record of another memory, which takes the place of the value that is held.
async fn bring(store: &Store, subject: usize, value: &str) {
    let fact = RawFact {
        subject: Some(format!("subject {subject}")),
        value: Some(value.to_owned()),
        action: Some("ADD".to_owned()),
        confidence: Some(0.9),
        ..RawFact::default()
    };
    let record = Brought {
        name: subject.to_string(),
        digest: value.to_owned(),
        is_last: true,
        text: format!("subject {subject} is {value}").into(),
        source: None,
        metadata: domain::Metadata::new(),
        facts: vec![fact.into()],
        proposer: Proposer::Caller,
        said: None,
        said_again: None,
        as_is: None,
    };
    let import = Import {
        from: "jsonl".to_owned(),
        records: vec![record],
        slots: Arc::new(SlotSchema::none()),
        trust: Trust::Ordinary,
        limits: StorageLimits::default(),
    };
    let space = Space::new("default", "", "");
    let call = Call::new(caller(Identity::Local), "import_records", Some(space.clone()));
    let arrivals = store.import_commit(call, space, import).await.unwrap();
    assert!(
        matches!(&arrivals[..], [Arrival::New(plan)] if plan.outcomes[0].action == Action::Supersede),
        "{arrivals:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cost_of_a_call_does_not_grow_with_the_space() {
    let model = Model::start();
    let (few, many) = (steps(&model, 100).await, steps(&model, 5000).await);
    for ((tool, few), (_, many)) in few.into_iter().zip(many) {
        assert!(few > 0, "{tool}: nothing was counted");
        assert!(many * 2 <= few * 3, "{tool}: {few} steps among 100 facts, {many} among 5000");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_space_is_read_once_however_many_ask_for_it() {
    let model = Model::start();
    let mut counted = Vec::new();
    for callers in [1, 16] {
        let started = InProcess::start(&model, SlotSchema::none(), &[]).await;
        fill(started.service.store(), 1000).await;
        let before = started.meter.steps();
        let arguments = json!({ "limit": 5 });
        let calls = (0..callers).map(|_| started.call(&Identity::Local, "list_memories", &arguments));
        let texts = futures_util::future::join_all(calls).await;
        assert!(texts.iter().all(|text| text.contains("subject 1 = value 1")), "{texts:?}");
        counted.push(started.meter.steps() - before);
    }
    assert!(matches!(counted[..], [one, many] if many < one * 2), "{counted:?}");
}

/// The steps of each way to pick a few entries out of a log that has so many more, of two tenants.
async fn steps_in_log(model: &Model, entries: usize) -> Vec<(String, u64)> {
    let started = InProcess::start(model, SlotSchema::none(), &[]).await;
    let record = |days: u32, tool: &'static str, who: &Identity| {
        let now = Timestamp::now().checked_sub(Duration::from_secs(24 * 3600) * days).unwrap();
        let caller = Caller { now, ..caller(who.clone()) };
        started.service.store().call_record(Call::new(caller, tool, None), Record::done("it was done"))
    };
    let mut acme = principal("acme", domain::Role::Admin);
    if let Identity::Principal(principal) = &mut acme {
        principal.tenant = Tenant::new("acme");
    }
    let rare = principal("rare", domain::Role::Admin);
    for who in [&Identity::Local, &acme] {
        record(20, "delete", who).await.unwrap();
    }
    record(20, "recall", &rare).await.unwrap();
    let common = (0..entries).map(|n| record(10, "recall", [&Identity::Local, &acme][n % 2]));
    futures_util::future::try_join_all(common).await.unwrap();
    let mut counted = Vec::new();
    for (who, arguments, found) in [
        (&Identity::Local, json!({ "action": "delete" }), 2),
        (&acme, json!({ "action": "delete" }), 1),
        (&Identity::Local, json!({ "caller": "prin_rare" }), 1),
        (&acme, json!({ "caller": "prin_rare" }), 0),
        (&Identity::Local, json!({ "until": day(15) }), 3),
        (&acme, json!({ "until": day(15) }), 1),
        (&Identity::Local, json!({ "since": day(21), "until": day(19), "caller": "prin_rare" }), 1),
    ] {
        started.call(who, "audit_log", &arguments).await;
        let before = started.meter.steps();
        let text = started.call(who, "audit_log", &arguments).await;
        counted.push((format!("{} {arguments}", caller(who.clone()).id()), started.meter.steps() - before));
        assert_eq!(
            text.lines().filter(|line| line.contains("it was done")).count(),
            found,
            "{arguments}: {text}"
        );
    }
    counted
}

/// The day so many days ago.
fn day(days: u32) -> String {
    let then = Timestamp::now().checked_sub(Duration::from_secs(24 * 3600) * days).unwrap();
    then.to_string()[..10].to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cost_of_a_log_filter_does_not_grow_with_the_log() {
    let model = Model::start();
    let (few, many) = (steps_in_log(&model, 100).await, steps_in_log(&model, 3000).await);
    for ((what, few), (_, many)) in few.into_iter().zip(many) {
        assert!(few > 0, "{what}: nothing was counted");
        assert!(many * 2 <= few * 3, "{what}: {few} steps in a log of 100, {many} in one of 3000");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_check_of_the_log_walks_what_is_new() {
    let model = Model::start();
    let started = InProcess::start(&model, SlotSchema::none(), &[]).await;
    for n in 0..300 {
        started.call(&Identity::Local, "get_memory", &json!({ "memory_id": n })).await;
    }
    let check = async || {
        let before = started.meter.steps();
        let verdict = started.call(&Identity::Local, "verify_audit", &json!({})).await;
        (started.meter.steps() - before, verdict)
    };
    let (all, verdict) = check().await;
    assert!(verdict.contains("INTACT — 300 entries"), "{verdict}");
    let (new, verdict) = check().await;
    assert!(verdict.contains("INTACT — 301 entries"), "{verdict}");
    assert!(new < all / 3, "{new} steps after {all}");
    // What somebody else has written is looked at again, however old the entry is.
    started.sql().run("UPDATE audit_entry SET caller = 'mallory' WHERE seq = 7");
    let (_, verdict) = check().await;
    assert!(verdict.contains("BROKEN at seq 7"), "{verdict}");
}
