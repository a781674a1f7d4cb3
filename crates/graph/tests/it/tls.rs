//! Every way to write an address: with routing or without, encrypted or not.

use crate::{all, becomes_ready, begin, key, neo4j, new_projection, node, put, tenant};
use domain::SpaceId;
use graph::{Graph, GraphSettings};
use samples::neo4j::Neo4j;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

fn graph(server: &Neo4j, scheme: &str) -> Graph {
    let uri = server.uri.replace("bolt://", &format!("{scheme}://"));
    let settings =
        GraphSettings { uri, user: server.user.clone(), password: server.password.as_str().into() };
    Graph::new(&settings, new_projection()).unwrap()
}

async fn works(graph: &Graph) {
    becomes_ready(graph).await;
    begin(graph).await;
    graph.apply(1, &[put("acme", 1, [1])]).await.unwrap();
    assert_eq!(all(graph, "acme").await, [node("acme", 1, [1])]);
    let within = Duration::from_secs(20);
    let found = graph.facts_naming(&tenant("acme"), SpaceId(1), &[key(1)], 9, within).await.unwrap();
    assert_eq!(found.len(), 1);
}

/// A server that was given to us may speak no TLS.
fn with_certificate() -> Option<(&'static Neo4j, PathBuf)> {
    let server = neo4j::shared()?;
    Some((server, server.certificate()?))
}

#[tokio::test]
async fn a_routing_address_works() {
    let Some(server) = neo4j::shared() else { return };
    works(&graph(server, "neo4j")).await;
}

#[tokio::test]
async fn ssc_takes_any_certificate() {
    let Some((server, _)) = with_certificate() else { return };
    for scheme in ["bolt+ssc", "neo4j+ssc"] {
        works(&graph(server, scheme)).await;
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_refused() {
    let Some((server, _)) = with_certificate() else { return };
    for scheme in ["bolt+s", "neo4j+s"] {
        let error = graph(server, scheme).ready().await.unwrap_err();
        assert_eq!(error.kind(), "ConnectError");
        assert!(error.to_string().contains("certificate"), "{error}");
    }
}

/// Which certificates a process trusts is settled when it starts, so another one tries.
#[test]
fn a_certificate_that_the_system_trusts_is_taken() {
    let Some((server, certificate)) = with_certificate() else { return };
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--exact", "tls::in_a_process_that_trusts_it", "--ignored"]);
    other.env("SSL_CERT_FILE", certificate).env("SVC_TEST_NEO4J_URL", &server.uri);
    let output = other.env("SVC_TEST_NEO4J_PASSWORD", &server.password).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "run by the test above"]
async fn in_a_process_that_trusts_it() {
    let Some(server) = neo4j::shared() else { return };
    for scheme in ["bolt+s", "neo4j+s"] {
        works(&graph(server, scheme)).await;
    }
}
