//! Two tenants, or two deployments, with the same things.

use crate::{all, begin, connect, neo4j, new_projection, node, put, remove};

#[tokio::test]
async fn twins_share_no_node_and_no_edge() {
    let Some(server) = neo4j::shared() else { return };
    let (here, there) = (new_projection(), new_projection());
    let (graph, other) = (connect(server, here), connect(server, there));
    begin(&graph).await;
    begin(&other).await;
    let facts =
        [put("acme", 1, [1, 2]), put("acme", 2, [2, 3]), put("bob", 1, [1, 2]), put("bob", 2, [2, 3])];
    graph.apply(1, &facts).await.unwrap();
    other.apply(1, &facts).await.unwrap();

    let count = async |statement: &str| -> i64 {
        server.cypher(statement, &hex::encode(here.0)).await[0].get("found").unwrap()
    };
    assert_eq!(
        count("MATCH (n {projection: $projection}) WHERE n.tenant IS NOT NULL RETURN count(n) AS found")
            .await,
        10
    );
    assert_eq!(
        count("MATCH (f:MemoryFact {projection: $projection})-->() RETURN count(*) AS found").await,
        8
    );
    let crossing = "MATCH (a {projection: $projection})-[n]-(b)
        WHERE a.projection <> b.projection OR a.tenant <> b.tenant OR a.space <> b.space
           OR n.tenant <> a.tenant OR n.space <> a.space OR n.fact <> coalesce(a.fact, b.fact)
        RETURN count(*) AS found";
    assert_eq!(count(crossing).await, 0);

    // What one loses, the others keep.
    graph.apply(1, &[remove("acme", 1), put("acme", 2, [9])]).await.unwrap();
    assert_eq!(all(&graph, "acme").await, [node("acme", 2, [9])]);
    assert_eq!(all(&graph, "bob").await, [node("bob", 1, [1, 2]), node("bob", 2, [2, 3])]);
    assert_eq!(all(&other, "acme").await, [node("acme", 1, [1, 2]), node("acme", 2, [2, 3])]);
}
