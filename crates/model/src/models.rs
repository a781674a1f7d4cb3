//! The one handle through which the service reaches its model and its embedder.

use crate::built_in::{self, BuiltIn};
use crate::call_times::CallTimes;
use crate::chat::Chat;
use crate::config::{ChatConfig, EmbedConfig};
use crate::embedder::Embedder;
use crate::error::ModelError;
use crate::http;
use crate::in_process::InProcess;
use crate::request::{Answer, Effort, Extract};
use domain::{Fault, RawFact};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Cheap to clone; all clones share one pool of connections and what was learned about the endpoints.
#[derive(Clone)]
pub struct Models {
    inner: Arc<Inner>,
}

struct Inner {
    reader: Reader,
    vectors: Vectors,
    times: CallTimes,
}

/// What reads statements and answers questions.
enum Reader {
    Remote(Box<Chat>),
    BuiltIn(Arc<InProcess>),
}

/// What makes vectors.
enum Vectors {
    Remote(Box<Embedder>),
    BuiltIn(Arc<InProcess>),
}

/// The time for one attempt, where no language model behind HTTP sets another.
const ATTEMPT_TIME: Duration = Duration::from_secs(60);

impl Models {
    /// Makes no request. A missing key is not an error yet, because much of the service works without a model. The
    /// calls that need the key say so.
    pub fn new(chat: ChatConfig, embedder: EmbedConfig) -> Result<Self, Fault> {
        let client = http::client()?;
        let embedder = Embedder::new(embedder, client.clone(), chat.timeout)?;
        let chat = Chat::new(chat, client)?;
        Ok(Self::of(Reader::Remote(Box::new(chat)), Vectors::Remote(Box::new(embedder))))
    }

    /// The built-in model, for a deployment that configures none. An embedder that is configured is still used.
    pub fn built_in(model: Arc<dyn BuiltIn>, embedder: EmbedConfig) -> Result<Self, Fault> {
        let model = Arc::new(InProcess::new(model));
        let vectors = if embedder.is_set() {
            Vectors::Remote(Box::new(Embedder::new(embedder, http::client()?, ATTEMPT_TIME)?))
        } else {
            Vectors::BuiltIn(Arc::clone(&model))
        };
        Ok(Self::of(Reader::BuiltIn(model), vectors))
    }

    fn of(reader: Reader, vectors: Vectors) -> Self {
        Self { inner: Arc::new(Inner { reader, vectors, times: CallTimes::default() }) }
    }

    /// The time for one attempt of the language model.
    pub fn attempt_time(&self) -> Duration {
        match &self.inner.reader {
            Reader::Remote(chat) => chat.attempt_time(),
            Reader::BuiltIn(_) => ATTEMPT_TIME,
        }
    }

    pub fn call_times(&self) -> &CallTimes {
        &self.inner.times
    }

    /// The provider's word, or that of the built-in model.
    pub fn provider(&self) -> &'static str {
        match &self.inner.reader {
            Reader::Remote(chat) => chat.provider().word(),
            Reader::BuiltIn(_) => built_in::NAME,
        }
    }

    pub fn chat_model(&self) -> &str {
        match &self.inner.reader {
            Reader::Remote(chat) => chat.model(),
            Reader::BuiltIn(_) => built_in::NAME,
        }
    }

    /// Where and by which model vectors are made: vectors of different ids cannot be compared.
    pub fn embedder_id(&self) -> &str {
        match &self.inner.vectors {
            Vectors::Remote(embedder) => embedder.id(),
            Vectors::BuiltIn(model) => model.embedder(),
        }
    }

    pub fn embedder_configured(&self) -> bool {
        match &self.inner.vectors {
            Vectors::Remote(embedder) => embedder.is_configured(),
            Vectors::BuiltIn(_) => true,
        }
    }

    /// Whether vectors cost no request; then a question gets one whenever that helps.
    pub fn embeds_in_process(&self) -> bool {
        matches!(self.inner.vectors, Vectors::BuiltIn(_))
    }

    pub async fn extract(&self, ask: &Extract<'_>, deadline: Instant) -> Result<Vec<RawFact>, ModelError> {
        let extract = async {
            match &self.inner.reader {
                Reader::Remote(chat) => chat.extract(ask, deadline).await,
                Reader::BuiltIn(model) => model.extract(ask, deadline).await,
            }
        };
        self.inner.times.timed("extract", extract).await
    }

    pub async fn answer(&self, ask: &Answer<'_>, deadline: Instant) -> Result<String, ModelError> {
        let answer = async {
            match &self.inner.reader {
                Reader::Remote(chat) => chat.answer(ask, deadline).await,
                Reader::BuiltIn(model) => model.answer(ask, deadline).await,
            }
        };
        self.inner.times.timed("answer", answer).await
    }

    /// How likely each text answers the question, from 0 to 1. `None` from a model that reads them itself.
    pub async fn weigh(
        &self,
        question: &str,
        texts: Vec<String>,
        deadline: Instant,
    ) -> Result<Option<Vec<f32>>, ModelError> {
        match &self.inner.reader {
            Reader::Remote(_) => Ok(None),
            Reader::BuiltIn(model) => model.weigh(question, texts, deadline).await.map(Some),
        }
    }

    /// One vector for each text, all of one length.
    pub async fn embed(
        &self,
        texts: &[&str],
        effort: Effort,
        deadline: Instant,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let embed = async {
            match &self.inner.vectors {
                Vectors::Remote(embedder) => embedder.embed(texts, effort, deadline).await,
                Vectors::BuiltIn(model) => model.embed(texts, deadline).await,
            }
        };
        self.inner.times.timed("embed", embed).await
    }

    /// One short attempt.
    pub async fn probe_chat(&self) -> Result<(), ModelError> {
        match &self.inner.reader {
            Reader::Remote(chat) => chat.probe().await,
            Reader::BuiltIn(model) => model.probe(Instant::now() + ATTEMPT_TIME).await,
        }
    }

    /// One short attempt.
    pub async fn probe_embedder(&self) -> Result<(), ModelError> {
        match &self.inner.vectors {
            Vectors::Remote(embedder) => embedder.probe().await,
            Vectors::BuiltIn(model) => model.probe(Instant::now() + ATTEMPT_TIME).await,
        }
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models")
            .field("provider", &self.provider())
            .field("chat_model", &self.chat_model())
            .field("embedder_id", &self.embedder_id())
            .finish_non_exhaustive()
    }
}
