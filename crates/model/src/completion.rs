//! What a chat model is asked for, and what it replies, whatever the provider's format.

use crate::dialect::{Dialect, REPLY_TOKENS};

pub(crate) struct Prompt {
    pub system: String,
    pub user: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// JSON with facts, in about this many tokens.
    Facts { tokens: u32 },
    /// Free text.
    Text,
    /// Any reply at all.
    Ping,
}

impl Want {
    pub fn tokens(self, dialect: &Dialect) -> u32 {
        match self {
            // A reasoning model needs room for its thoughts in addition.
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
