//! One model at one endpoint, and what has been learned about how to ask it.

use crate::completion::{Completion, Prompt, Want};
use crate::config::Provider;
use crate::dialect::Dialect;
use crate::error::ModelError;
use crate::http::Failed;
use crate::presence::Watched;
use crate::retry::RetryPolicy;
use crate::{anthropic, openai, prompt};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub(crate) struct ChatClient {
    provider: Provider,
    endpoint: Watched,
    model: String,
    dialect: Mutex<Dialect>,
}

impl ChatClient {
    pub fn new(provider: Provider, endpoint: Watched, model: String) -> Self {
        let dialect = Mutex::new(first_dialect(provider, &model));
        Self { provider, endpoint, model, dialect }
    }

    /// Asks in the known dialect, and in another one if the endpoint complains. Only a dialect that worked is kept: an
    /// endpoint that refuses every form teaches nothing.
    pub async fn complete(
        &self,
        prompt: &Prompt,
        want: Want,
        policy: &RetryPolicy<'_>,
    ) -> Result<Completion, ModelError> {
        let mut dialect = self.known_dialect();
        loop {
            tracing::debug!(
                provider = self.provider.word(),
                model = self.model,
                ?want,
                ?dialect,
                "asking the model"
            );
            let body = body(self.provider, &self.model, &dialect, prompt, want);
            match policy.run(&self.endpoint, &body).await {
                Ok(reply) => {
                    self.learn(dialect);
                    return self.completion(&reply);
                }
                Err(failed) => dialect = next_dialect(dialect, want, failed)?,
            }
        }
    }

    /// One attempt, even if the endpoint is away. A complaint about a parameter that the next call would change also
    /// shows that the model is there.
    pub async fn ping(&self, time: Duration) -> Result<(), ModelError> {
        let dialect = self.known_dialect();
        let body = body(self.provider, &self.model, &dialect, &prompt::ping(), Want::Ping);
        match self.endpoint.try_anyway(&body, time).await {
            Ok(_) => Ok(()),
            Err(failed) => next_dialect(dialect, Want::Ping, failed).map(|_| ()),
        }
    }

    fn completion(&self, reply: &[u8]) -> Result<Completion, ModelError> {
        let reply = serde_json::from_slice(reply)
            .map_err(|_| ModelError::BadReply { detail: "it is not JSON in valid UTF-8" })?;
        match self.provider {
            Provider::OpenAi | Provider::Groq => openai::completion(&reply),
            Provider::Anthropic => anthropic::completion(&reply),
        }
    }

    fn known_dialect(&self) -> Dialect {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, dialect: Dialect) {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = dialect;
    }
}

/// The request of [`ChatClient::ping`] as it is made before anything is learned.
pub(crate) fn first_ping(provider: Provider, model: &str) -> Value {
    body(provider, model, &first_dialect(provider, model), &prompt::ping(), Want::Ping)
}

fn first_dialect(provider: Provider, model: &str) -> Dialect {
    match provider {
        Provider::OpenAi | Provider::Groq => Dialect::of_openai(model),
        Provider::Anthropic => Dialect::of_anthropic(),
    }
}

fn body(provider: Provider, model: &str, dialect: &Dialect, prompt: &Prompt, want: Want) -> Value {
    match provider {
        Provider::OpenAi | Provider::Groq => openai::body(model, dialect, prompt, want),
        Provider::Anthropic => anthropic::body(model, dialect, prompt, want),
    }
}

/// Another way to ask, if there is one left to try.
fn next_dialect(dialect: Dialect, want: Want, failed: Failed) -> Result<Dialect, ModelError> {
    let Some(complaint) = failed.complaint else {
        return Err(failed.error);
    };
    if openai::blames_the_model(&complaint) {
        return Err(ModelError::BadReply { detail: "the endpoint found the model's JSON invalid" });
    }
    let simpler = || if matches!(want, Want::Facts { .. }) { dialect.with_simpler_format() } else { None };
    dialect.without_named_parameter(&complaint).or_else(simpler).ok_or(failed.error)
}
