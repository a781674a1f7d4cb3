//! Texts in, vectors out, and nothing taken on trust.

use crate::support::{bodies, config, responding, server, soon, status, until};
use model::{Effort, EmbedConfig, ModelError, Models, Provider};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use wiremock::{MockServer, Request, ResponseTemplate};

fn embedder(server: &MockServer) -> Models {
    let embedder = EmbedConfig {
        base_url: Some(format!("{}/v1", server.uri())),
        api_key: Some("key".into()),
        model: None,
    };
    Models::new(config(Provider::OpenAi, "http://127.0.0.1:1"), embedder).unwrap()
}

fn data(items: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({ "data": items }))
}

/// For each text its length and its place in the batch, last text first.
fn backwards(request: &Request) -> ResponseTemplate {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let texts = body["input"].as_array().unwrap();
    let item = |(i, text): (usize, &Value)| json!({ "index": i, "embedding": [text.as_str().unwrap().len() as f64, i as f64] });
    data(&texts.iter().enumerate().map(item).rev().collect())
}

#[tokio::test]
async fn every_text_gets_its_own_vector_across_batches() {
    let server = responding(backwards).await;
    let texts: Vec<String> = (1..=300).map(|n| "x".repeat(n)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder(&server).embed(&texts, Effort::Patient, &until(soon())).await.unwrap();
    let lengths: Vec<usize> = vectors.iter().map(|v| v[0] as usize).collect();
    assert_eq!(lengths, (1..=300).collect::<Vec<_>>());
    let bodies = bodies(&server).await;
    let sizes: Vec<usize> = bodies.iter().map(|b| b["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [128, 128, 44]);
    assert_eq!(bodies[0]["model"], "text-embedding-3-small");
    assert_eq!(bodies[0]["encoding_format"], "float");
    let request = &server.received_requests().await.unwrap()[0];
    assert_eq!(
        (request.url.path(), &request.headers["authorization"]),
        ("/v1/embeddings", &"Bearer key".parse().unwrap())
    );
}

#[tokio::test]
async fn a_long_text_is_embedded_by_its_beginning() {
    let server = responding(backwards).await;
    let long = "ä".repeat(50_000);
    let vectors = embedder(&server).embed(&[&long], Effort::Once, &until(soon())).await.unwrap();
    assert_eq!(vectors[0][0], 8192.0);
}

#[tokio::test]
async fn no_text_needs_no_request() {
    let server = server([status(500)]).await;
    assert_eq!(embedder(&server).embed(&[], Effort::Patient, &until(soon())).await, Ok(Vec::new()));
    assert!(bodies(&server).await.is_empty());
}

#[tokio::test]
async fn vectors_that_cannot_be_right_are_refused() {
    let vector = |index: usize, embedding: Value| json!({ "index": index, "embedding": embedding });
    for wrong in [
        data(&json!([vector(0, json!([1.0]))])),
        data(&json!([vector(0, json!([1.0])), vector(0, json!([2.0]))])),
        data(&json!([vector(0, json!([1.0])), vector(2, json!([2.0]))])),
        data(&json!([vector(0, json!([1.0])), vector(1, json!([2.0, 3.0]))])),
        data(&json!([vector(0, json!([])), vector(1, json!([]))])),
        data(&json!([vector(0, json!([1e300])), vector(1, json!([1.0]))])),
        data(&json!([vector(0, json!(["a"])), vector(1, json!([1.0]))])),
        data(&json!({})),
        ResponseTemplate::new(200).set_body_string("{\"data\":[{\"embedding\":[NaN]},{\"embedding\":[1]}]}"),
        ResponseTemplate::new(200).set_body_raw(vec![0xff, 0xfe], "application/json"),
    ] {
        let server = server([wrong]).await;
        let error = embedder(&server).embed(&["a", "b"], Effort::Once, &until(soon())).await.unwrap_err();
        assert_eq!(error.kind(), "BadReply");
    }
}

#[tokio::test]
async fn an_endpoint_that_gives_no_index_answers_in_order() {
    let server = server([data(&json!([{ "embedding": [1.0] }, { "embedding": [2.0] }]))]).await;
    let vectors = embedder(&server).embed(&["a", "b"], Effort::Once, &until(soon())).await.unwrap();
    assert_eq!(vectors, [[1.0], [2.0]]);
}

#[tokio::test]
async fn only_background_work_is_retried() {
    let answers = || [status(500), data(&json!([{ "embedding": [1.0] }]))];
    let once = server(answers()).await;
    let error = embedder(&once).embed(&["a"], Effort::Once, &until(soon())).await.unwrap_err();
    assert_eq!(error, ModelError::Http { status: 500 });
    assert_eq!(bodies(&once).await.len(), 1);
    let patient = server(answers()).await;
    assert_eq!(embedder(&patient).embed(&["a"], Effort::Patient, &until(soon())).await.unwrap(), [[1.0]]);
}

#[tokio::test]
async fn a_question_waits_at_most_two_seconds_for_its_vector() {
    let server = server([data(&json!([])).set_delay(Duration::from_secs(300))]).await;
    let began = Instant::now();
    let error = embedder(&server).embed(&["a"], Effort::Once, &until(soon())).await.unwrap_err();
    assert_eq!(error, ModelError::Timeout);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn an_embedder_without_key_and_address_is_not_configured() {
    let models = Models::new(config(Provider::OpenAi, "http://127.0.0.1:1"), EmbedConfig::default()).unwrap();
    assert!(!models.embedder_configured());
    assert_eq!(models.embed(&["a"], Effort::Patient, &until(soon())).await, Err(ModelError::NotConfigured));
    assert_eq!(models.probe_embedder().await, Err(ModelError::NotConfigured));
}

#[tokio::test]
async fn a_probe_of_the_embedder_is_one_request() {
    let well = server([data(&json!([{ "index": 0, "embedding": [1.0] }]))]).await;
    assert_eq!(embedder(&well).probe_embedder().await, Ok(()));
    let sick = server([status(503)]).await;
    assert_eq!(embedder(&sick).probe_embedder().await, Err(ModelError::Http { status: 503 }));
    assert_eq!(bodies(&sick).await.len(), 1);
}
