//! Texts become vectors, at an OpenAI-compatible endpoint.

use crate::chat::bearer;
use crate::config::{EmbedConfig, LONGEST_PROBE, address};
use crate::error::ModelError;
use crate::http::Endpoint;
use crate::presence::Watched;
use crate::request::Effort;
use crate::retry::RetryPolicy;
use domain::Fault;
use reqwest::Client;
use reqwest::header::HeaderMap;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";
const DEFAULT_MODEL: &str = "text-embedding-3-small";
const BASE_URL_SETTING: &str = "EMBED_BASE_URL (or OPENAI_BASE_URL, which it follows)";
const KEY_SETTING: &str = "EMBED_API_KEY (or OPENAI_API_KEY, which it follows)";

/// Well below what endpoints take at once, and enough that the round trip no longer matters.
const BATCH: usize = 128;
/// A token is at least a byte, and the usual models read 8,191 tokens: a text of this length never fails for its
/// length, and its beginning says what it is about.
const TEXT_BYTES: usize = 8 * 1024;
/// A full batch of 3,072 dimensions with all their digits is some 9 MB.
const REPLY_BYTES: usize = 32 * 1024 * 1024;
/// Somebody waits for the answer to a question, and ranking by words will do.
const ONCE_TIME: Duration = Duration::from_secs(2);

pub(crate) struct Embedder {
    id: String,
    model: String,
    /// Absent when neither a key nor an address is set.
    endpoint: Option<Watched>,
    timeout: Duration,
}

#[derive(Deserialize)]
struct EmbeddingList {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    /// Some endpoints leave it out, and then answer in order.
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Embedder {
    pub fn new(config: EmbedConfig, client: Client, timeout: Duration) -> Result<Self, Fault> {
        let configured = config.is_set();
        let base = config.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
        let url = address(base, &["embeddings"], BASE_URL_SETTING)?;
        let model = config.model.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
        // Without the query, which may hold a secret.
        let id = format!("{}{} {model}", url.origin().ascii_serialization(), url.path());
        let headers = match &config.api_key {
            Some(key) => bearer(key, KEY_SETTING)?,
            None => HeaderMap::new(),
        };
        let endpoint = configured.then(|| {
            let endpoint = Endpoint { client, url, headers, reply_bytes: REPLY_BYTES };
            Watched::new(endpoint, request(&model, &["ping"]))
        });
        Ok(Self { id, model, endpoint, timeout })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn is_configured(&self) -> bool {
        self.endpoint.is_some()
    }

    pub async fn embed(
        &self,
        texts: &[&str],
        effort: Effort,
        deadline: Instant,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let policy = match effort {
            Effort::Once => RetryPolicy::once(ONCE_TIME, deadline),
            Effort::Patient => RetryPolicy::retrying(self.timeout, deadline),
        };
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            vectors.extend(self.embed_batch(batch, &policy).await?);
        }
        check_vectors(&vectors)?;
        Ok(vectors)
    }

    pub async fn probe(&self) -> Result<(), ModelError> {
        let time = self.timeout.min(LONGEST_PROBE);
        let reply = self.endpoint()?.try_anyway(&request(&self.model, &["ping"]), time).await;
        check_vectors(&vectors(&reply.map_err(|failed| failed.error)?, 1)?)
    }

    async fn embed_batch(
        &self,
        texts: &[&str],
        policy: &RetryPolicy<'_>,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        tracing::debug!(model = self.model, texts = texts.len(), "asking the embedder");
        let reply = policy.run(self.endpoint()?, &request(&self.model, texts)).await;
        vectors(&reply.map_err(|failed| failed.error)?, texts.len())
    }

    fn endpoint(&self) -> Result<&Watched, ModelError> {
        self.endpoint.as_ref().ok_or(ModelError::NotConfigured)
    }
}

fn request(model: &str, texts: &[&str]) -> Value {
    let input: Vec<&str> = texts.iter().map(|text| beginning(text)).collect();
    json!({ "model": model, "input": input, "encoding_format": "float" })
}

fn vectors(reply: &[u8], count: usize) -> Result<Vec<Vec<f32>>, ModelError> {
    let list: EmbeddingList = serde_json::from_slice(reply)
        .map_err(|_| ModelError::BadReply { detail: "it is no list of embeddings" })?;
    in_order(list, count)
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(TEXT_BYTES)).unwrap_or(text)
}

/// The vectors in the order of their texts. An index that comes twice leaves another one without a vector.
fn in_order(list: EmbeddingList, count: usize) -> Result<Vec<Vec<f32>>, ModelError> {
    let mismatch = ModelError::BadReply { detail: "its embeddings do not match the texts one to one" };
    let mut places: Vec<Option<Vec<f32>>> = vec![None; count];
    if list.data.len() != count {
        return Err(mismatch);
    }
    for (position, item) in list.data.into_iter().enumerate() {
        match places.get_mut(item.index.unwrap_or(position)) {
            Some(place) => *place = Some(item.embedding),
            None => return Err(mismatch),
        }
    }
    places.into_iter().collect::<Option<Vec<_>>>().ok_or(mismatch)
}

fn check_vectors(vectors: &[Vec<f32>]) -> Result<(), ModelError> {
    let dimensions = vectors.first().map_or(0, Vec::len);
    if vectors.iter().any(|v| v.is_empty() || v.len() != dimensions) {
        return Err(ModelError::BadReply { detail: "its embeddings are empty or of different lengths" });
    }
    if vectors.iter().flatten().any(|x| !x.is_finite()) {
        return Err(ModelError::BadReply { detail: "its embeddings hold numbers that are not finite" });
    }
    Ok(())
}
