//! The one handle through which the service reaches its model and its embedder.

use crate::built_in::{self, BuiltIn, Work};
use crate::call_times::CallTimes;
use crate::chat::Chat;
use crate::config::{ChatConfig, EmbedConfig};
use crate::cores::Cores;
use crate::embedder::Embedder;
use crate::error::ModelError;
use crate::http;
use crate::in_process::InProcess;
use crate::request::{Answer, Effort, Extract, Order, Rests, SlotHint};
use crate::wording::{self, Memory};
use domain::{Account, Fault, Proposed, Proposer, RawFact};
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
    cores: Cores,
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
/// The wording of so many bytes, with so few facts, is read sooner than the work could be handed over.
const SHORT_TEXT: usize = 1024;
const FEW_FACTS: usize = 8;

/// A check of the service's own.
fn soon() -> Order {
    Order { account: Account::of_deployment(), deadline: Instant::now() + ATTEMPT_TIME }
}

impl Models {
    /// Makes no request. A missing key is not an error yet, because much of the service works without a model. The
    /// calls that need the key say so.
    pub fn new(chat: ChatConfig, embedder: EmbedConfig) -> Result<Self, Fault> {
        let client = http::client()?;
        let embedder = Embedder::new(embedder, client.clone(), chat.timeout)?;
        let chat = Chat::new(chat, client)?;
        Ok(Self::of(Reader::Remote(Box::new(chat)), Vectors::Remote(Box::new(embedder)), Cores::all()))
    }

    /// The built-in model, for a deployment that configures none. An embedder that is configured is still used.
    pub fn built_in(model: Arc<dyn BuiltIn>, embedder: EmbedConfig) -> Result<Self, Fault> {
        let cores = Cores::all();
        let model = Arc::new(InProcess::new(model, cores.clone()));
        let vectors = if embedder.is_set() {
            Vectors::Remote(Box::new(Embedder::new(embedder, http::client()?, ATTEMPT_TIME)?))
        } else {
            Vectors::BuiltIn(Arc::clone(&model))
        };
        Ok(Self::of(Reader::BuiltIn(model), vectors, cores))
    }

    fn of(reader: Reader, vectors: Vectors, cores: Cores) -> Self {
        Self { inner: Arc::new(Inner { reader, vectors, cores, times: CallTimes::default() }) }
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

    /// Whether statements are read in process, by rules that take no request to forget.
    pub fn reads_in_process(&self) -> bool {
        matches!(self.inner.reader, Reader::BuiltIn(_))
    }

    /// Whether vectors cost no request; then a question gets one whenever that helps.
    pub fn embeds_in_process(&self) -> bool {
        matches!(self.inner.vectors, Vectors::BuiltIn(_))
    }

    pub async fn extract(&self, ask: &Extract<'_>, order: &Order) -> Result<Vec<RawFact>, ModelError> {
        let extract = async {
            match &self.inner.reader {
                Reader::Remote(chat) => chat.extract(ask, order.deadline).await,
                Reader::BuiltIn(model) => model.extract(ask, order).await,
            }
        };
        self.inner.times.timed("extract", extract).await
    }

    pub async fn answer(&self, ask: &Answer<'_>, order: &Order) -> Result<String, ModelError> {
        let answer = async {
            match &self.inner.reader {
                Reader::Remote(chat) => chat.answer(ask, order.deadline).await,
                Reader::BuiltIn(model) => model.answer(ask, order).await,
            }
        };
        self.inner.times.timed("answer", answer).await
    }

    /// What an answer to the question will rest on.
    pub async fn ground(&self, ask: &Answer<'_>, order: &Order) -> Result<Rests, ModelError> {
        match &self.inner.reader {
            Reader::Remote(_) => Ok(Rests::OnAny),
            Reader::BuiltIn(model) => Ok(model.ground(ask, order).await?.map_or(Rests::OnNone, Rests::On)),
        }
    }

    /// Each fact with what the words of the statement say of it, whoever made the facts.
    pub async fn with_wording(
        &self,
        text: &str,
        facts: Vec<RawFact>,
        proposer: Proposer,
        memory: impl Memory + Send + 'static,
        slots: &Arc<[SlotHint]>,
        order: &Order,
    ) -> Result<Vec<Proposed>, ModelError> {
        if text.len() <= SHORT_TEXT && facts.len() <= FEW_FACTS {
            return Ok(wording::with_wording(
                text,
                facts,
                proposer,
                &memory,
                slots,
                &Work::until(order.deadline),
            ));
        }
        let (text, slots) = (text.to_owned(), Arc::clone(slots));
        let read = move |work: &Work| wording::with_wording(&text, facts, proposer, &memory, &slots, work);
        self.inner.cores.run(order, read).await
    }

    /// How likely each text answers the question, from 0 to 1. `None` from a model that reads them itself.
    pub async fn weigh(
        &self,
        question: &str,
        texts: Vec<String>,
        order: &Order,
    ) -> Result<Option<Vec<f32>>, ModelError> {
        match &self.inner.reader {
            Reader::Remote(_) => Ok(None),
            Reader::BuiltIn(model) => model.weigh(question, texts, order).await.map(Some),
        }
    }

    /// One vector for each text, all of one length.
    pub async fn embed(
        &self,
        texts: &[&str],
        effort: Effort,
        order: &Order,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let embed = async {
            match &self.inner.vectors {
                Vectors::Remote(embedder) => embedder.embed(texts, effort, order.deadline).await,
                Vectors::BuiltIn(model) => model.embed(texts, order).await,
            }
        };
        self.inner.times.timed("embed", embed).await
    }

    /// One short attempt.
    pub async fn probe_chat(&self) -> Result<(), ModelError> {
        match &self.inner.reader {
            Reader::Remote(chat) => chat.probe().await,
            Reader::BuiltIn(model) => model.probe(&soon()).await,
        }
    }

    /// One short attempt.
    pub async fn probe_embedder(&self) -> Result<(), ModelError> {
        match &self.inner.vectors {
            Vectors::Remote(embedder) => embedder.probe().await,
            Vectors::BuiltIn(model) => model.probe(&soon()).await,
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
