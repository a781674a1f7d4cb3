//! A server that answers by a script, and questions to ask it.

use domain::{Account, RawFact, Timestamp};
use model::{Answer, ChatConfig, EmbedConfig, Extract, Intent, ModelError, Models, Order, Provider};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

pub const FACT: &str = r#"{"facts":[{"subject":"city","value":"Oslo","action":"ADD"}]}"#;

/// Gives its answers in order, and the last one for ever.
struct Script(Mutex<VecDeque<ResponseTemplate>>);

impl Respond for Script {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let mut answers = self.0.lock().unwrap();
        let next = answers.pop_front().unwrap();
        if answers.is_empty() {
            answers.push_back(next.clone());
        }
        next
    }
}

pub async fn server(answers: impl IntoIterator<Item = ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let script = Script(Mutex::new(answers.into_iter().collect()));
    Mock::given(any()).respond_with(script).mount(&server).await;
    server
}

pub async fn responding(respond: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(respond).mount(&server).await;
    server
}

pub async fn bodies(server: &MockServer) -> Vec<Value> {
    let requests = server.received_requests().await.unwrap();
    requests.iter().map(|r| serde_json::from_slice(&r.body).unwrap()).collect()
}

pub fn status(code: u16) -> ResponseTemplate {
    ResponseTemplate::new(code).set_body_json(json!({ "error": { "message": "SECRET-ECHO" } }))
}

/// A chat completion that says this.
pub fn says(text: &str) -> ResponseTemplate {
    let message = json!({ "role": "assistant", "content": text });
    ResponseTemplate::new(200)
        .set_body_json(json!({ "choices": [{ "index": 0, "finish_reason": "stop", "message": message }] }))
}

pub fn config(provider: Provider, base_url: &str) -> ChatConfig {
    ChatConfig {
        provider,
        base_url: Some(base_url.to_owned()),
        api_key: Some(SecretString::from("top-secret-key")),
        model: None,
        read_model: None,
        timeout: Duration::from_secs(5),
        extract_retries: 2,
    }
}

pub fn models(chat: ChatConfig) -> Models {
    Models::new(chat, EmbedConfig::default()).unwrap()
}

/// An OpenAI-compatible model at this server.
pub fn openai(server: &MockServer) -> Models {
    models(config(Provider::OpenAi, &format!("{}/v1", server.uri())))
}

pub fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

pub fn until(deadline: Instant) -> Order {
    Order { account: Account::of_deployment(), deadline }
}

pub async fn extract_until(models: &Models, deadline: Instant) -> Result<Vec<RawFact>, ModelError> {
    let ask = Extract {
        source: None,
        statement: "I moved to Oslo.",
        intent: Intent::Remember,
        held: &[],
        slots: &[],
        now: Timestamp::UNIX_EPOCH,
        notice: None,
    };
    models.extract(&ask, &until(deadline)).await
}

/// The subjects of what was extracted.
pub async fn extract(models: &Models) -> Result<Vec<String>, ModelError> {
    let facts = extract_until(models, soon()).await?;
    Ok(facts.into_iter().filter_map(|f| f.subject).collect())
}

pub async fn answer(models: &Models) -> Result<String, ModelError> {
    let ask = Answer {
        question: "Where do I live?",
        facts: &[],
        paths: &[],
        now: Timestamp::UNIX_EPOCH,
        notice: None,
    };
    models.answer(&ask, &until(soon())).await
}
