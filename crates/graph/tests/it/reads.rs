//! Reading.

use crate::{all, empty, key, neo4j, node, put, tenant};
use domain::{FactId, SpaceId, Tenant};
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

#[tokio::test]
async fn a_thing_of_many_facts_is_quick_to_read() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    for batch in 0..50 {
        let facts = (1..=1000).map(|i| batch * 1000 + i);
        let changes: Vec<_> = facts.map(|fact| put("acme", fact, [7, 1000 + fact as u32])).collect();
        graph.apply(1, &changes).await.unwrap();
    }
    let keys = [key(7), key(1001), key(1002)];
    let mut quickest = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        let found = graph.facts_naming(&tenant("acme"), SpaceId(1), &keys, 50, PATIENCE).await.unwrap();
        quickest = quickest.min(start.elapsed());
        assert_eq!(found.iter().map(|(_, facts)| facts.len()).sum::<usize>(), 52);
    }
    println!("the quickest of twenty took {quickest:?}");
    // Going through all 50,000 would take longer.
    assert!(quickest < Duration::from_millis(20), "{quickest:?}");

    let start = Instant::now();
    assert_eq!(all(&graph, "acme").await.len(), 50_000);
    println!("all facts: {:?}", start.elapsed());
}
