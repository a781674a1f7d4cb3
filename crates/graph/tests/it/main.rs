//! The projection, on a real Neo4j.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod faults;
mod projection;
mod reads;
mod tls;
mod twins;

use domain::{EntityKey, FactId, ProjectionId, SpaceId, Tenant};
use graph::{Change, FactNode, Graph, GraphSettings};
use samples::neo4j::{self, Neo4j};
use std::time::{Duration, Instant};

fn connect(server: &Neo4j, projection: ProjectionId) -> Graph {
    let settings = GraphSettings {
        uri: server.uri.clone(),
        user: server.user.clone(),
        password: server.password.as_str().into(),
    };
    Graph::new(&settings, projection).unwrap()
}

fn new_projection() -> ProjectionId {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).unwrap();
    ProjectionId(bytes)
}

/// An empty projection, ready for use.
async fn empty(server: &Neo4j) -> Graph {
    let graph = connect(server, new_projection());
    begin(&graph).await;
    graph
}

/// Makes the projection's node, as a rebuild does.
async fn begin(graph: &Graph) {
    graph.prepare().await.unwrap();
    assert_eq!(graph.wipe(0, 1).await, Ok(0));
}

fn tenant(name: &str) -> Tenant {
    Tenant::new(name)
}

fn key(number: u32) -> EntityKey {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    EntityKey(bytes)
}

fn node(of: &str, fact: i64, names: impl IntoIterator<Item = u32>) -> FactNode {
    let names = names.into_iter().map(key).collect();
    FactNode { tenant: tenant(of), space: SpaceId(1), fact: FactId(fact), names }
}

fn put(of: &str, fact: i64, names: impl IntoIterator<Item = u32>) -> Change {
    Change::Put(node(of, fact, names))
}

fn remove(of: &str, fact: i64) -> Change {
    Change::Remove { tenant: tenant(of), fact: FactId(fact) }
}

/// A server that has just started may need longer than one attempt.
async fn becomes_ready(graph: &Graph) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while let Err(error) = graph.ready().await {
        assert!(Instant::now() < deadline, "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn all(graph: &Graph, of: &str) -> Vec<FactNode> {
    graph.page(&tenant(of), FactId(0), 100_000).await.unwrap()
}
