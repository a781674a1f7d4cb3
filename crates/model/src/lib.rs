//! The language model and the embedder, as the service sees them: a statement becomes facts, a question becomes an
//! answer, a text becomes a vector. Nothing that a model says is trusted.

mod anthropic;
mod built_in;
mod call_times;
mod chat;
mod chat_client;
mod completion;
mod config;
mod cores;
mod dialect;
mod embedder;
mod error;
mod http;
mod in_process;
mod models;
mod openai;
mod presence;
mod prompt;
mod reply;
mod request;
mod retry;
mod schema;
mod wording;

pub use built_in::{BuiltIn, Work};
pub use call_times::{CallTimes, ModelCall};
pub use config::{ChatConfig, EmbedConfig, LONGEST_PROBE, Provider};
pub use error::ModelError;
pub use models::Models;
pub use prose::is_ignorance;
pub use request::{Answer, AnswerFact, Effort, Extract, Intent, Order, Rests, SlotHint};
pub use wording::{
    Meant, Memory, called_by_name, denies, hints_at_an_end, meant, names_fit, names_said, other_owner,
};
