//! Reading.

use crate::{empty, key, neo4j, node, put, tenant};
use domain::{FactId, SpaceId, Tenant};
use graph::Graph;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn facts_are_found_by_what_they_name() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    graph.apply(1, &[put("acme", 1, [1, 2]), put("acme", 2, [2]), put("acme", 3, [2, 3])]).await.unwrap();
    let naming = async |space, most| {
        let keys = [key(1), key(2), key(9)];
        let mut found = graph.facts_naming(&tenant("acme"), space, &keys, most, PATIENCE).await.unwrap();
        found.sort_unstable();
        found
    };
    let facts = |numbers: &[i64]| numbers.iter().map(|number| FactId(*number)).collect::<Vec<_>>();
    assert_eq!(naming(SpaceId(1), 9).await, [(key(1), facts(&[1])), (key(2), facts(&[1, 2, 3]))]);
    assert_eq!(naming(SpaceId(1), 2).await[1].1.len(), 2);
    assert!(naming(SpaceId(2), 9).await.is_empty());
}

#[tokio::test]
async fn pages_go_by_the_numbers_of_facts() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    graph
        .apply(
            1,
            &[put("acme", 30, [3, 1, 2]), put("acme", 4, [1]), put("acme", 200, []), put("bob", 5, [1])],
        )
        .await
        .unwrap();
    let first = graph.page(&tenant("acme"), FactId(0), 2).await.unwrap();
    assert_eq!(first, [node("acme", 4, [1]), node("acme", 30, [1, 2, 3])]);
    let second = graph.page(&tenant("acme"), FactId(30), 2).await.unwrap();
    assert_eq!(second, [node("acme", 200, [])]);
    assert!(graph.page(&tenant("acme"), FactId(200), 2).await.unwrap().is_empty());
    let mut tenants = graph.tenants().await.unwrap();
    tenants.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
    assert_eq!(tenants, [Tenant::new("acme"), Tenant::new("bob")]);
    assert!(empty(server).await.tenants().await.unwrap().is_empty());
}

/// The quickest of many, so that whatever else the machine does counts little.
async fn time_to_read(graph: &Graph, thing: u32) -> Duration {
    let mut quickest = Duration::MAX;
    for _ in 0..50 {
        let start = Instant::now();
        let found =
            graph.facts_naming(&tenant("acme"), SpaceId(1), &[key(thing)], 50, PATIENCE).await.unwrap();
        quickest = quickest.min(start.elapsed());
        assert_eq!(found[0].1.len(), 50);
    }
    quickest
}

#[tokio::test]
async fn a_thing_of_many_facts_is_as_quick_to_read_as_one_of_few() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    let (many, few) = (7, 8);
    for batch in 0..50 {
        let facts = (1..=1000).map(|i| batch * 1000 + i);
        let names = |fact: i64| if fact <= 50 { vec![many, few] } else { vec![many] };
        let changes: Vec<_> = facts.map(|fact| put("acme", fact, names(fact))).collect();
        graph.apply(1, &changes).await.unwrap();
    }
    time_to_read(&graph, few).await;
    let (few, many) = (time_to_read(&graph, few).await, time_to_read(&graph, many).await);
    println!("50 of 50 facts took {few:?}, 50 of 50,000 took {many:?}");
    assert!(many < few * 5, "{many:?}, {few:?}");
}
