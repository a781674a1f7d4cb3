//! An endpoint that is away, and one that only had a bad moment.

use crate::support::{FACT, bodies, config, extract, extract_until, models, openai, says, server, status};
use domain::RawFact;
use model::{ModelError, Models, Provider};
use std::time::{Duration, Instant};

const AT_ONCE: Duration = Duration::from_secs(1);

/// As long as clients wait for a call.
async fn extract_patiently(models: &Models) -> Result<Vec<RawFact>, ModelError> {
    extract_until(models, Instant::now() + Duration::from_secs(60)).await
}

fn is_away(error: &ModelError) -> bool {
    matches!(error, ModelError::Away { .. })
}

#[tokio::test]
async fn an_endpoint_that_keeps_failing_is_away_and_is_asked_no_more() {
    let nowhere = models(config(Provider::OpenAi, "http://127.0.0.1:1/v1"));
    let began = Instant::now();
    let error = extract_patiently(&nowhere).await.unwrap_err();
    assert!(is_away(&error), "{error}");
    let took = began.elapsed();
    assert!((44..60).contains(&took.as_secs()), "{took:?}");
    let began = Instant::now();
    assert!(is_away(&extract(&nowhere).await.unwrap_err()));
    assert!(began.elapsed() < AT_ONCE);
}

#[tokio::test]
async fn an_endpoint_that_answers_again_is_used_again() {
    let mut answers = vec![status(503); 26];
    answers.push(says(FACT));
    let server = server(answers).await;
    let models = openai(&server);
    assert!(is_away(&extract_patiently(&models).await.unwrap_err()));
    let began = Instant::now();
    while extract_until(&models, Instant::now() + AT_ONCE).await.is_err() {
        assert!(began.elapsed() < Duration::from_secs(120), "it stays away");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(extract(&models).await.unwrap(), ["city"]);
}

#[tokio::test]
async fn an_endpoint_that_asks_for_a_pause_is_not_away() {
    let mut answers = vec![status(429).insert_header("retry-after", "1"); 5];
    answers.push(says(FACT));
    let server = server(answers).await;
    assert_eq!(extract(&openai(&server)).await.unwrap(), ["city"]);
    assert_eq!(bodies(&server).await.len(), 6);
}

#[tokio::test]
async fn trying_it_out_finds_it_whatever_was_thought_of_it() {
    let mut answers = vec![status(503); 7];
    answers.push(says(FACT));
    let server = server(answers).await;
    let models = openai(&server);
    let _ = extract(&models).await;
    let began = Instant::now();
    while models.probe_chat().await.is_err() {
        assert!(began.elapsed() < Duration::from_secs(60), "it stays away");
    }
    assert_eq!(extract(&models).await.unwrap(), ["city"]);
}
