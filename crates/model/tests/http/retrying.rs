//! Faults that pass, and faults that do not.

use crate::support::{
    FACT, answer, bodies, config, extract, extract_until, models, openai, says, server, status,
};
use model::{ChatConfig, ModelError, Provider};
use std::time::{Duration, Instant};

#[tokio::test]
async fn an_overloaded_endpoint_is_asked_again() {
    for code in [500, 429, 529] {
        let server = server([status(code), says(FACT)]).await;
        assert_eq!(extract(&openai(&server)).await.unwrap(), ["city"]);
        assert_eq!(bodies(&server).await.len(), 2);
    }
}

#[tokio::test]
async fn the_wished_pause_is_kept() {
    let server = server([status(429).insert_header("retry-after", "2"), says("In Oslo.")]).await;
    let began = Instant::now();
    assert_eq!(answer(&openai(&server)).await.unwrap(), "In Oslo.");
    assert!(began.elapsed() >= Duration::from_secs(2));
}

#[tokio::test]
async fn a_pause_past_the_deadline_is_not_waited_for() {
    let server = server([status(429).insert_header("retry-after", "30")]).await;
    let began = Instant::now();
    assert_eq!(extract(&openai(&server)).await, Err(ModelError::RateLimited));
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(bodies(&server).await.len(), 1);
}

#[tokio::test]
async fn a_refused_request_is_not_sent_again() {
    for code in [401, 403, 404, 413] {
        let server = server([status(code), says(FACT)]).await;
        let error = extract(&openai(&server)).await.unwrap_err();
        assert_eq!((error.kind(), error), ("HttpError", ModelError::Http { status: code }));
        assert_eq!(bodies(&server).await.len(), 1);
    }
}

#[tokio::test]
async fn a_hanging_endpoint_ends_at_the_deadline() {
    let server = server([says(FACT).set_delay(Duration::from_secs(300))]).await;
    let began = Instant::now();
    let deadline = began + Duration::from_millis(700);
    assert_eq!(extract_until(&openai(&server), deadline).await, Err(ModelError::Timeout));
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn an_attempt_that_hangs_is_given_up_for_another() {
    let server = server([says(FACT).set_delay(Duration::from_secs(300)), says(FACT)]).await;
    let timeout = Duration::from_millis(500);
    let chat = ChatConfig { timeout, ..config(Provider::OpenAi, &server.uri()) };
    assert_eq!(extract(&models(chat)).await.unwrap(), ["city"]);
}

#[tokio::test]
async fn nothing_is_sent_after_the_deadline() {
    let server = server([says(FACT)]).await;
    assert_eq!(extract_until(&openai(&server), Instant::now()).await, Err(ModelError::Timeout));
    assert!(bodies(&server).await.is_empty());
}

#[tokio::test]
async fn an_unreachable_endpoint_is_a_connection_fault() {
    let nowhere = models(config(Provider::OpenAi, "http://127.0.0.1:1/v1"));
    let deadline = Instant::now() + Duration::from_secs(1);
    assert_eq!(extract_until(&nowhere, deadline).await.unwrap_err().kind(), "ConnectError");
    assert_eq!(nowhere.probe_chat().await.unwrap_err().kind(), "ConnectError");
}
