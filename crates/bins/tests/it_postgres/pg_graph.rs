//! Turning the entity graph on while others write.

use crate::support::{InProcess, Model, says};
use domain::Identity;
use reconcile::SlotSchema;
use serde_json::json;
use std::time::Duration;

/// A write that began before the graph was on has left no row for it, so the rebuild must see what it wrote.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn turning_the_graph_on_waits_for_writes_under_way() {
    let model = Model::start();
    let started = InProcess::start(&model, SlotSchema::none(), &[]).await;
    started.call(&Identity::Local, "remember", &json!({ "text": says("city", "Oslo") })).await;
    let writer = started.sql();
    writer.run("BEGIN; UPDATE fact SET version = version");
    let store = started.service.store().clone();
    let turning_on = tokio::spawn(async move { store.graph_turn_on().await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!turning_on.is_finished());
    assert_eq!(started.service.store().graph_state().await.unwrap(), None);
    writer.run("COMMIT");
    turning_on.await.unwrap().unwrap();
    assert!(started.service.store().graph_state().await.unwrap().is_some());
}
