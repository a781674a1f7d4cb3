//! Servers that are away, refuse, hang or come back.

use crate::{all, becomes_ready, begin, connect, empty, key, neo4j, new_projection, node, put, tenant};
use domain::SpaceId;
use graph::{Graph, GraphError, GraphSettings};
use std::net::TcpListener;
use std::time::{Duration, Instant};

fn graph(uri: &str, password: &str) -> Graph {
    let settings = GraphSettings { uri: uri.to_owned(), user: "neo4j".to_owned(), password: password.into() };
    Graph::new(&settings, new_projection()).unwrap()
}

#[tokio::test]
async fn no_server_is_a_connect_error() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for scheme in ["bolt", "neo4j", "bolt+ssc", "neo4j+ssc"] {
        let away = graph(&format!("{scheme}://127.0.0.1:{port}"), "hidden");
        for failure in [away.ready().await, away.apply(1, &[]).await, away.prepare().await] {
            let error = failure.unwrap_err();
            assert_eq!(error.kind(), "ConnectError", "{scheme}: {error}");
        }
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    let graph = graph(&format!("bolt://{}", silent.local_addr().unwrap()), "hidden");
    assert_eq!(graph.ready().await, Err(GraphError::Timeout));
    let within = Duration::from_millis(200);
    let found = graph.facts_naming(&tenant("acme"), SpaceId(1), &[key(1)], 9, within).await;
    assert_eq!(found, Err(GraphError::Timeout));
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_wrong_password_is_an_auth_error() {
    let Some(server) = neo4j::shared() else { return };
    for uri in [server.uri.clone(), server.uri.replace("bolt://", "neo4j://")] {
        let error = graph(&uri, "wrong-and-hidden").ready().await.unwrap_err();
        assert_eq!(error.kind(), "AuthError", "{uri}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("hidden"));
    }
}

/// These need a server of their own: one that is new, and that may be stopped.
#[tokio::test]
async fn a_new_server_is_prepared_by_many_at_once_and_used_again_when_it_comes_back() {
    let Some(server) = neo4j::own() else { return };
    let prepare = || async { connect(&server, new_projection()).prepare().await };
    let prepared = tokio::join!(prepare(), prepare(), prepare(), prepare());
    assert_eq!(prepared, (Ok(()), Ok(()), Ok(()), Ok(())));

    let routed = graph(&server.uri.replace("bolt://", "neo4j://"), &server.password);
    let graph = empty(&server).await;
    graph.apply(1, &[put("acme", 1, [1])]).await.unwrap();
    becomes_ready(&routed).await;
    for end in [neo4j::Neo4j::stop, neo4j::Neo4j::kill] {
        end(&server);
        assert_eq!(graph.ready().await.unwrap_err().kind(), "ConnectError");
        assert_eq!(graph.apply(1, &[]).await.unwrap_err().kind(), "ConnectError");
        assert_eq!(routed.ready().await.unwrap_err().kind(), "ConnectError");
        server.start();
        becomes_ready(&graph).await;
        becomes_ready(&routed).await;
        assert_eq!(all(&graph, "acme").await, [node("acme", 1, [1])]);
    }
}

#[tokio::test]
async fn a_call_that_was_given_up_does_not_disturb_the_next() {
    let Some(server) = neo4j::shared() else { return };
    let graph = connect(server, new_projection());
    begin(&graph).await;
    graph.apply(1, &[put("acme", 1, [1, 2])]).await.unwrap();
    for microseconds in (0..3000).step_by(50) {
        let within = Duration::from_micros(microseconds);
        match graph.facts_naming(&tenant("acme"), SpaceId(1), &[key(1), key(2)], 9, within).await {
            Ok(found) => assert_eq!(found.len(), 2),
            Err(error) => assert_eq!(error, GraphError::Timeout),
        }
        assert_eq!(all(&graph, "acme").await, [node("acme", 1, [1, 2])]);
    }
}
