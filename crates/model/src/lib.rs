//! The language model and the embedder, as the service sees them: a statement becomes facts, a question becomes an
//! answer, a text becomes a vector. Whatever a model says is a stranger's word; nothing here trusts it.

mod anthropic;
mod ask;
mod built_in;
mod call_times;
mod chat;
mod config;
mod dialect;
mod embedder;
mod error;
mod http;
mod in_process;
mod models;
mod openai;
mod prompt;
mod reply;
mod retry;
mod schema;
mod second_look;
mod speaker;

pub use ask::{Answer, AnswerFact, Effort, Extract, Intent, SlotHint};
pub use built_in::{BuiltIn, Work};
pub use call_times::{CallTimes, ModelCall};
pub use config::{ChatConfig, EmbedConfig, Provider};
pub use error::ModelError;
pub use models::Models;
pub use second_look::{Memory, second_look};
