//! Writing.

use crate::{all, begin, connect, empty, neo4j, new_projection, node, put, remove};
use domain::ProjectionId;
use graph::GraphError;
use samples::neo4j::Neo4j;

#[tokio::test]
async fn applying_twice_is_applying_once() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    let changes = [put("acme", 1, [1, 2]), put("acme", 2, [2, 3]), remove("acme", 9)];
    for _ in 0..2 {
        graph.apply(1, &changes).await.unwrap();
        assert_eq!(all(&graph, "acme").await, [node("acme", 1, [1, 2]), node("acme", 2, [2, 3])]);
    }
}

#[tokio::test]
async fn a_put_replaces_the_names_of_a_fact() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    graph.apply(1, &[put("acme", 1, [1, 2]), put("acme", 2, [2])]).await.unwrap();
    graph.apply(1, &[put("acme", 1, [3])]).await.unwrap();
    assert_eq!(all(&graph, "acme").await, [node("acme", 1, [3]), node("acme", 2, [2])]);
    graph.apply(1, &[put("acme", 1, [])]).await.unwrap();
    assert_eq!(all(&graph, "acme").await, [node("acme", 1, []), node("acme", 2, [2])]);
}

#[tokio::test]
async fn a_put_into_another_space_leaves_the_old_one() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    graph.apply(1, &[put("acme", 1, [1, 2])]).await.unwrap();
    let moved = graph::FactNode { space: domain::SpaceId(2), ..node("acme", 1, [1, 2]) };
    graph.apply(1, &[graph::Change::Put(moved.clone())]).await.unwrap();
    assert_eq!(all(&graph, "acme").await, [moved]);
}

#[tokio::test]
async fn the_later_of_two_changes_to_a_fact_counts() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    let changes = [put("acme", 1, [1]), put("acme", 1, [2]), put("acme", 2, [2]), remove("acme", 2)];
    graph.apply(1, &changes).await.unwrap();
    assert_eq!(all(&graph, "acme").await, [node("acme", 1, [2])]);
}

/// How many things the projection has, whether or not a fact names them.
async fn entities(server: &Neo4j, projection: ProjectionId) -> i64 {
    let statement = "MATCH (e:MemoryEntity {projection: $projection}) RETURN count(e) AS entities";
    let rows = server.cypher(statement, &hex::encode(projection.0)).await;
    rows[0].get("entities").unwrap()
}

#[tokio::test]
async fn things_that_no_fact_names_vanish() {
    let Some(server) = neo4j::shared() else { return };
    let projection = new_projection();
    let graph = connect(server, projection);
    begin(&graph).await;
    graph.apply(1, &[put("acme", 1, [1, 2]), put("acme", 2, [2, 3])]).await.unwrap();
    assert_eq!(entities(server, projection).await, 3);
    // The second change takes up what the first one let go of.
    graph.apply(1, &[remove("acme", 1), put("acme", 2, [1])]).await.unwrap();
    assert_eq!(all(&graph, "acme").await, [node("acme", 2, [1])]);
    assert_eq!(entities(server, projection).await, 1);
    graph.apply(1, &[remove("acme", 2)]).await.unwrap();
    assert_eq!(entities(server, projection).await, 0);
    assert!(all(&graph, "acme").await.is_empty());
}

#[tokio::test]
async fn whoever_has_a_lower_fence_writes_nothing() {
    let Some(server) = neo4j::shared() else { return };
    let graph = empty(server).await;
    graph.apply(5, &[put("acme", 1, [1])]).await.unwrap();
    assert_eq!(graph.apply(4, &[remove("acme", 1)]).await, Err(GraphError::Fenced));
    assert_eq!(graph.wipe(4, 10).await, Err(GraphError::Fenced));
    assert_eq!(all(&graph, "acme").await, [node("acme", 1, [1])]);
    graph.apply(5, &[put("acme", 2, [1])]).await.unwrap();
    assert_eq!(graph.wipe(6, 10).await, Ok(3));
    assert_eq!(graph.apply(5, &[put("acme", 2, [1])]).await, Err(GraphError::Fenced));
    assert!(all(&graph, "acme").await.is_empty());
}

#[tokio::test]
async fn a_fence_that_rises_meanwhile_is_seen() {
    let Some(server) = neo4j::shared() else { return };
    let projection = new_projection();
    let graph = connect(server, projection);
    begin(&graph).await;
    graph.apply(1, &[put("acme", 1, [1])]).await.unwrap();

    let driver = neo4rs::Graph::new(&server.uri, &server.user, &server.password).unwrap();
    let mut other = driver.start_txn().await.unwrap();
    let rise = neo4rs::query("MATCH (p:MemoryProjection {projection: $projection}) SET p.fence = 2");
    other.run(rise.param("projection", hex::encode(projection.0))).await.unwrap();
    let late = tokio::spawn(async move { (graph.apply(1, &[put("acme", 1, [2])]).await, graph) });
    // The late one comes to the lock, and waits there.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(!late.is_finished());
    other.commit().await.unwrap();

    let (applied, graph) = late.await.unwrap();
    assert_eq!(applied, Err(GraphError::Fenced));
    assert_eq!(all(&graph, "acme").await, [node("acme", 1, [1])]);
}

#[tokio::test]
async fn a_wipe_goes_on_until_nothing_is_left() {
    let Some(server) = neo4j::shared() else { return };
    let (graph, other) = (empty(server).await, empty(server).await);
    let facts: Vec<_> = (1..=20).map(|fact| put("acme", fact, [fact as u32, 100])).collect();
    graph.apply(1, &facts).await.unwrap();
    other.apply(1, &facts).await.unwrap();
    let mut removed = Vec::new();
    loop {
        removed.push(graph.wipe(1, 15).await.unwrap());
        if removed.last() == Some(&0) {
            break;
        }
    }
    assert_eq!(removed, [15, 15, 11, 0]);
    assert_eq!(all(&other, "acme").await.len(), 20);
}

#[tokio::test]
async fn a_change_is_not_applied_to_a_neo4j_that_was_never_filled() {
    let Some(server) = neo4j::shared() else { return };
    let graph = connect(server, new_projection());
    graph.prepare().await.unwrap();
    assert_eq!(graph.is_there().await, Ok(false));
    assert_eq!(graph.apply(1, &[put("acme", 1, [1])]).await, Err(GraphError::Missing));
    assert!(all(&graph, "acme").await.is_empty());
    begin(&graph).await;
    assert_eq!(graph.is_there().await, Ok(true));
    graph.apply(1, &[put("acme", 1, [1])]).await.unwrap();
}
