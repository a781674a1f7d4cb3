//! One model at one endpoint, and what has been learned of how it wants to be asked.

use crate::config::Provider;
use crate::dialect::{Dialect, REPLY_TOKENS};
use crate::error::ModelError;
use crate::http::{Endpoint, Failed};
use crate::retry::Patience;
use crate::{anthropic, openai};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

pub(crate) struct Prompt {
    pub system: String,
    pub user: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// JSON that holds facts, in about so many tokens.
    Facts { tokens: u32 },
    /// Free text.
    Text,
    /// A sign of life, whatever it says.
    Ping,
}

impl Want {
    pub fn tokens(self, dialect: &Dialect) -> u32 {
        match self {
            // Thoughts, where there are any, come on top.
            Self::Facts { tokens } => dialect.reply_tokens - REPLY_TOKENS + tokens.min(REPLY_TOKENS),
            Self::Text => dialect.reply_tokens,
            Self::Ping => 16,
        }
    }
}

pub(crate) struct Completion {
    pub text: String,
    pub ended: Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    ByItself,
    /// Cut off at the length limit, as it would be again.
    AtLimit,
}

pub(crate) struct Speaker {
    provider: Provider,
    endpoint: Endpoint,
    model: String,
    dialect: Mutex<Dialect>,
}

impl Speaker {
    pub fn new(provider: Provider, endpoint: Endpoint, model: String) -> Self {
        let dialect = match provider {
            Provider::OpenAi | Provider::Groq => Dialect::of_openai(&model),
            Provider::Anthropic => Dialect::of_anthropic(),
        };
        Self { provider, endpoint, model, dialect: Mutex::new(dialect) }
    }

    /// Asks in the known dialect, and in another one when the endpoint complains of it. Only a dialect that was
    /// understood is kept: an endpoint that refuses every form has taught nothing.
    pub async fn complete(
        &self,
        prompt: &Prompt,
        want: Want,
        patience: &Patience,
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
            let body = self.body(&dialect, prompt, want);
            match patience.run(|time| self.endpoint.post(&body, time)).await {
                Ok(reply) => {
                    self.learn(dialect);
                    return self.completion(&reply);
                }
                Err(failed) => dialect = next_dialect(dialect, want, failed)?,
            }
        }
    }

    /// One attempt. A complaint over a parameter that the next call would change is a sign of life too.
    pub async fn ping(&self, prompt: &Prompt, patience: &Patience) -> Result<(), ModelError> {
        let dialect = self.known_dialect();
        let body = self.body(&dialect, prompt, Want::Ping);
        match patience.run(|time| self.endpoint.post(&body, time)).await {
            Ok(_) => Ok(()),
            Err(failed) => next_dialect(dialect, Want::Ping, failed).map(|_| ()),
        }
    }

    fn body(&self, dialect: &Dialect, prompt: &Prompt, want: Want) -> Value {
        match self.provider {
            Provider::OpenAi | Provider::Groq => openai::body(&self.model, dialect, prompt, want),
            Provider::Anthropic => anthropic::body(&self.model, dialect, prompt, want),
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

/// Another way to ask, when the complaint leaves one.
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
