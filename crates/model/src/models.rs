//! The one handle through which the service reaches its model and its embedder.

use crate::ask::{Answer, Effort, Extract};
use crate::chat::Chat;
use crate::config::{ChatConfig, EmbedConfig, Provider};
use crate::embedder::Embedder;
use crate::error::ModelError;
use crate::http;
use domain::{Fault, RawFact};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Cheap to clone; all clones share one pool of connections and what was learned of the endpoints.
#[derive(Clone)]
pub struct Models {
    inner: Arc<Inner>,
}

struct Inner {
    chat: Chat,
    embedder: Embedder,
}

impl Models {
    /// Makes no request. A missing key is no fault yet, since much of the service works without a model: the calls
    /// that need the key say so.
    pub fn new(chat: ChatConfig, embedder: EmbedConfig) -> Result<Self, Fault> {
        let client = http::client()?;
        let embedder = Embedder::new(embedder, client.clone(), chat.timeout)?;
        let chat = Chat::new(chat, client)?;
        Ok(Self { inner: Arc::new(Inner { chat, embedder }) })
    }

    pub fn provider(&self) -> Provider {
        self.inner.chat.provider()
    }

    pub fn chat_model(&self) -> &str {
        self.inner.chat.model()
    }

    /// Where and by which model vectors are made: vectors of different ids cannot be compared.
    pub fn embedder_id(&self) -> &str {
        self.inner.embedder.id()
    }

    pub fn embedder_configured(&self) -> bool {
        self.inner.embedder.is_configured()
    }

    pub async fn extract(&self, ask: &Extract<'_>, deadline: Instant) -> Result<Vec<RawFact>, ModelError> {
        self.inner.chat.extract(ask, deadline).await
    }

    pub async fn answer(&self, ask: &Answer<'_>, deadline: Instant) -> Result<String, ModelError> {
        self.inner.chat.answer(ask, deadline).await
    }

    /// One vector for each text, all of one length.
    pub async fn embed(
        &self,
        texts: &[&str],
        effort: Effort,
        deadline: Instant,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        self.inner.embedder.embed(texts, effort, deadline).await
    }

    /// One short attempt.
    pub async fn probe_chat(&self) -> Result<(), ModelError> {
        self.inner.chat.probe().await
    }

    /// One short attempt.
    pub async fn probe_embedder(&self) -> Result<(), ModelError> {
        self.inner.embedder.probe().await
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
