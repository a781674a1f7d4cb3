//! Why a call to a model failed.

use domain::{Fault, Timestamp};
use thiserror::Error;

/// No variant holds a prompt, a reply or a key, so every text here may be logged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    #[error("{variable} is not set: set it to the provider's API key")]
    MissingKey { variable: &'static str },
    #[error(
        "no embedder is configured: set EMBED_BASE_URL or EMBED_API_KEY, or the OpenAI settings that they follow"
    )]
    NotConfigured,
    #[error("the endpoint could not be reached: {detail}")]
    Connect { detail: String },
    #[error("the endpoint has been away since {since} ({last})")]
    Away {
        since: Timestamp,
        /// How the last attempt failed, in one word.
        last: &'static str,
    },
    #[error("the endpoint did not answer in time")]
    Timeout,
    #[error("the endpoint says that it is asked too often (HTTP status 429)")]
    RateLimited,
    #[error("the endpoint answered with HTTP status {status}")]
    Http { status: u16 },
    #[error("the endpoint's reply is of no use: {detail}")]
    BadReply { detail: &'static str },
    #[error("the operating system gave no random number, without which no prompt can be fenced")]
    NoRandomness,
}

impl ModelError {
    /// One word, fit to be shown by `health`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::MissingKey { .. } => "MissingKey",
            Self::NotConfigured => "NotConfigured",
            Self::Connect { .. } => "ConnectError",
            Self::Away { last, .. } => last,
            Self::Timeout => "Timeout",
            Self::RateLimited => "RateLimited",
            Self::Http { .. } => "HttpError",
            Self::BadReply { .. } => "BadReply",
            Self::NoRandomness => "NoRandomness",
        }
    }

    /// What a caller is told of it: nothing of the address.
    const fn told(&self) -> &'static str {
        match self {
            Self::Connect { .. } => "The model could not be reached",
            Self::Timeout => "The model did not answer in time",
            Self::RateLimited => "The model's provider says that it is asked too often",
            _ => "The model's provider failed",
        }
    }

    /// Whether the same request may succeed a moment later.
    pub(crate) const fn is_transient(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Timeout | Self::RateLimited => true,
            Self::Http { status } => *status >= 500,
            Self::MissingKey { .. }
            | Self::NotConfigured
            | Self::Away { .. }
            | Self::BadReply { .. }
            | Self::NoRandomness => false,
        }
    }
}

impl From<ModelError> for Fault {
    fn from(error: ModelError) -> Self {
        let fault = Self::new(error.kind(), error.to_string());
        let advice = match &error {
            ModelError::Away { since, .. } => format!(
                "The model has been away since {since}. It is asked again in the background; nothing was changed, so \
                 try again in a while. `health` shows whether it answers."
            ),
            ModelError::Http { status: 401 | 403 | 404 } => {
                "The model's provider refuses what it is asked, which does not pass by itself: the operator has to look at \
                 its address, its key and the name of the model. Nothing was changed."
                    .to_owned()
            }
            other if other.is_transient() => {
                format!("{}. Nothing was changed, so the call can be tried again.", other.told())
            }
            _ => return fault,
        };
        fault.advising(advice)
    }
}
