//! A language model behind HTTP: statements become facts, questions become answers.

use crate::chat_client::{self, ChatClient};
use crate::completion::{Ended, Want};
use crate::config::{ChatConfig, LONGEST_PROBE, Provider, address};
use crate::dialect::REPLY_TOKENS;
use crate::error::ModelError;
use crate::http::Endpoint;
use crate::presence::Watched;
use crate::prompt::{self, Reminder};
use crate::reply::{self, Reply};
use crate::request::{Answer, Extract};
use crate::retry::RetryPolicy;
use domain::{Fault, RawFact};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use secrecy::{ExposeSecret, SecretString};
use std::time::{Duration, Instant};

/// Several times the longest reply that the length limit lets a model write.
const REPLY_BYTES: usize = 4 * 1024 * 1024;
/// An entry of some 150 tokens for every fifty letters.
const REPLY_TOKENS_PER_BYTE: u32 = 3;
/// Room for a handful of entries, however short the statement.
const REPLY_TOKENS_LEAST: u32 = 1024;
const ANTHROPIC_VERSION: &str = "2023-06-01";

pub(crate) struct Chat {
    provider: Provider,
    model: String,
    /// None when the provider's key is missing.
    clients: Option<Clients>,
    timeout: Duration,
    retries: u32,
}

struct Clients {
    extractor: ChatClient,
    answerer: ChatClient,
}

impl Chat {
    pub fn new(config: ChatConfig, http: Client) -> Result<Self, Fault> {
        let provider = config.provider;
        let model = config.model.unwrap_or_else(|| provider.default_model().to_owned());
        let base = config.base_url.as_deref();
        let clients = if config.api_key.is_some() || provider.works_without_key(base) {
            let endpoint = Endpoint {
                client: http,
                url: chat_address(provider, base)?,
                headers: headers(provider, config.api_key.as_ref())?,
                reply_bytes: REPLY_BYTES,
            };
            let endpoint = Watched::new(endpoint, chat_client::first_ping(provider, &model));
            let read_model = config.read_model.unwrap_or_else(|| model.clone());
            Some(Clients {
                extractor: ChatClient::new(provider, endpoint.clone(), model.clone()),
                answerer: ChatClient::new(provider, endpoint, read_model),
            })
        } else {
            None
        };
        Ok(Self { provider, model, clients, timeout: config.timeout, retries: config.extract_retries })
    }

    pub fn provider(&self) -> Provider {
        self.provider
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    pub fn attempt_time(&self) -> Duration {
        self.timeout
    }

    fn clients(&self) -> Result<&Clients, ModelError> {
        self.clients.as_ref().ok_or(ModelError::MissingKey { variable: self.provider.key_variable() })
    }

    /// A broken reply is asked for again; the facts that can be rescued from it are the second choice.
    pub async fn extract(&self, ask: &Extract<'_>, deadline: Instant) -> Result<Vec<RawFact>, ModelError> {
        let client = &self.clients()?.extractor;
        let policy = RetryPolicy::retrying(self.timeout, deadline).saying_so(ask.notice);
        let mut rescued: Vec<RawFact> = Vec::new();
        let mut trouble = ModelError::BadReply { detail: "it holds no list of facts" };
        for attempt in 0..=self.retries {
            let reminder = if attempt == 0 { Reminder::None } else { Reminder::JsonOnly };
            let prompt = prompt::extraction(ask, reminder)?;
            // A model that thinks aloud before it replies gets the full length when it is asked again.
            let tokens = if attempt == 0 { reply_tokens(ask.statement) } else { REPLY_TOKENS };
            let completion = match client.complete(&prompt, Want::Facts { tokens }, &policy).await {
                Ok(completion) => completion,
                Err(error @ ModelError::BadReply { .. }) => {
                    trouble = error;
                    continue;
                }
                Err(error) => {
                    trouble = error;
                    break;
                }
            };
            match reply::facts(&completion.text) {
                Reply::Whole(facts) => return Ok(facts),
                Reply::Broken { salvaged } => {
                    tracing::debug!(attempt, salvaged = salvaged.len(), "the model's reply is broken");
                    if salvaged.len() > rescued.len() {
                        rescued = salvaged;
                    }
                    // Asked again, it would be cut off again.
                    if completion.ended == Ended::AtLimit && !rescued.is_empty() {
                        break;
                    }
                }
            }
        }
        if rescued.is_empty() { Err(trouble) } else { Ok(rescued) }
    }

    pub async fn answer(&self, ask: &Answer<'_>, deadline: Instant) -> Result<String, ModelError> {
        let client = &self.clients()?.answerer;
        let policy = RetryPolicy::retrying(self.timeout, deadline).saying_so(ask.notice);
        let prompt = prompt::answer(ask)?;
        let mut trouble = ModelError::BadReply { detail: "it is empty" };
        for _ in 0..=self.retries {
            match client.complete(&prompt, Want::Text, &policy).await {
                Ok(completion) => {
                    let text = reply::without_thinking(&completion.text);
                    if !text.is_empty() {
                        return Ok(text.to_owned());
                    }
                }
                Err(error @ ModelError::BadReply { .. }) => trouble = error,
                Err(error) => return Err(error),
            }
        }
        Err(trouble)
    }

    pub async fn probe(&self) -> Result<(), ModelError> {
        self.clients()?.extractor.ping(self.timeout.min(LONGEST_PROBE)).await
    }
}

/// Enough tokens for the facts of a statement, and no more: a model that loses the thread uses up whatever it is given.
fn reply_tokens(statement: &str) -> u32 {
    let length = u32::try_from(statement.len()).unwrap_or(u32::MAX);
    length.saturating_mul(REPLY_TOKENS_PER_BYTE).saturating_add(REPLY_TOKENS_LEAST).min(REPLY_TOKENS)
}

fn chat_address(provider: Provider, base: Option<&str>) -> Result<Url, Fault> {
    let base = base.unwrap_or(provider.default_base_url()).trim().trim_end_matches('/');
    let setting = provider.base_url_variable();
    match provider {
        Provider::OpenAi | Provider::Groq => address(base, &["chat", "completions"], setting),
        Provider::Anthropic => {
            address(base.strip_suffix("/v1").unwrap_or(base), &["v1", "messages"], setting)
        }
    }
}

fn headers(provider: Provider, key: Option<&SecretString>) -> Result<HeaderMap, Fault> {
    let Some(key) = key else {
        return Ok(HeaderMap::new());
    };
    let variable = provider.key_variable();
    match provider {
        Provider::OpenAi | Provider::Groq => bearer(key, variable),
        Provider::Anthropic => {
            let version =
                (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(ANTHROPIC_VERSION));
            let key = (HeaderName::from_static("x-api-key"), secret_value(key.expose_secret(), variable)?);
            Ok(HeaderMap::from_iter([version, key]))
        }
    }
}

pub(crate) fn bearer(key: &SecretString, variable: &str) -> Result<HeaderMap, Fault> {
    let value = secret_value(&format!("Bearer {}", key.expose_secret()), variable)?;
    Ok(HeaderMap::from_iter([(AUTHORIZATION, value)]))
}

fn secret_value(text: &str, variable: &str) -> Result<HeaderValue, Fault> {
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        Fault::new(
            "BadKey",
            format!("{variable} holds a character that no API key has, such as a line break"),
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}
