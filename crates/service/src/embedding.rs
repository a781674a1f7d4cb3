//! Embedding facts in the background, so that a write never waits for it, and leaving a broken embedder alone.

use crate::spaces::{OpenSpace, Spaces};
use domain::{Caller, Capacity, Fact, FairQueue, Space};
use model::{Effort, Models, Order};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;
use tokio::sync::mpsc;

/// After a failure nobody asks the embedder again for this long; facts are ranked by words meanwhile.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(30);
/// Spaces waiting to be embedded. More than this and the next recall of a space asks again.
const QUEUE: usize = 1024;
/// So many vectors a question waits for, some milliseconds each.
const AT_ONCE: usize = 8;
/// One request's worth of texts.
const BATCH: usize = 64;
/// One batch may take this long, with retries; nobody waits for it.
const BATCH_DEADLINE: Duration = Duration::from_secs(120);

#[derive(Debug, Clone)]
pub(crate) struct Embedding {
    embedder: Embedder,
    queue: mpsc::Sender<(Caller, Space)>,
    resting_until: Arc<Mutex<Option<Instant>>>,
}

/// Whether a space has facts without a vector.
enum Missing {
    None,
    Some,
}

/// What making and keeping a vector takes.
#[derive(Debug, Clone)]
struct Embedder {
    store: Store,
    models: Models,
    spaces: Spaces,
}

impl Embedding {
    pub fn start(store: Store, models: Models, spaces: Spaces) -> Self {
        let (queue, mut asked) = mpsc::channel(QUEUE);
        let embedder = Embedder { store, models, spaces };
        let embedding = Self { embedder: embedder.clone(), queue, resting_until: Arc::default() };
        let resting_until = embedding.resting_until.clone();
        tokio::spawn(async move {
            let mut waiting = FairQueue::new(Capacity::of(1));
            let queue = |waiting: &mut FairQueue<_>, (caller, space): (Caller, Space)| {
                waiting.push(&caller.account(), (caller, space));
            };
            loop {
                while let Ok(wanted) = asked.try_recv() {
                    queue(&mut waiting, wanted);
                }
                let Some((account, (caller, space))) = waiting.serve() else {
                    let Some(wanted) = asked.recv().await else { return };
                    queue(&mut waiting, wanted);
                    continue;
                };
                let rest = Rest(&resting_until);
                let embedded = if rest.is_over() {
                    // The call that it was asked in may have ended long ago.
                    let caller = Caller { deadline: Instant::now() + BATCH_DEADLINE, ..caller.clone() };
                    embedder.embed_batch(&caller, &space).await
                } else {
                    Ok(Missing::None)
                };
                match embedded {
                    Ok(Missing::None) => {}
                    Ok(Missing::Some) => queue(&mut waiting, (caller, space)),
                    Err(()) => rest.begin(),
                }
                waiting.done(&account, 1);
            }
        });
        embedding
    }

    /// Asks for the space's missing vectors, some time.
    pub fn want(&self, caller: &Caller, space: &Space) {
        if self.embedder.models.embedder_configured() {
            // A full queue loses nothing: the vectors are asked for again when the space is next used.
            let _ = self.queue.try_send((caller.clone(), space.clone()));
        }
    }

    /// Has the space's missing vectors made: at once where that costs no request and only a few are missing, so that
    /// what was told a moment ago is found by its meaning, and some time otherwise.
    pub async fn catch_up(&self, caller: &Caller, space: &Space, open: &RwLock<OpenSpace>) {
        let missing = open.read().index.missing_vectors().take(AT_ONCE + 1).count();
        if self.embedder.models.embeds_in_process() && (1..=AT_ONCE).contains(&missing) {
            // A failure is in the log; words rank meanwhile.
            let _ = self.embedder.embed_batch(caller, space).await;
        } else if missing > 0 {
            self.want(caller, space);
        }
    }

    /// The vector of a question, or `None` while the embedder is away: then words alone rank.
    pub async fn question(&self, caller: &Caller, question: &str) -> Option<Vec<f32>> {
        let rest = Rest(&self.resting_until);
        let models = &self.embedder.models;
        if !models.embedder_configured() || !rest.is_over() {
            return None;
        }
        match models.embed(&[question], Effort::Once, &Order::from(caller)).await {
            Ok(mut vectors) => vectors.pop(),
            Err(error) => {
                tracing::warn!(kind = error.kind(), "the embedder did not answer; ranking by words");
                rest.begin();
                None
            }
        }
    }
}

struct Rest<'a>(&'a Mutex<Option<Instant>>);

impl Rest<'_> {
    fn is_over(&self) -> bool {
        self.0.lock().is_none_or(|until| Instant::now() >= until)
    }

    fn begin(&self) {
        *self.0.lock() = Some(Instant::now() + REST_AFTER_FAILURE);
    }
}

impl Embedder {
    /// Embeds some of what the space still lacks.
    async fn embed_batch(&self, caller: &Caller, space: &Space) -> Result<Missing, ()> {
        let Self { store, models, spaces } = self;
        let log = |error: &dyn std::fmt::Display| tracing::warn!(%error, "facts could not be embedded; ranking by words");
        let open = spaces.current(store, caller, space).await.map_err(|e| log(&e))?;
        spaces.load_vectors(store, models, caller, space, &open).await.map_err(|e| log(&e))?;
        let batch: Vec<Arc<Fact>> = open.read().index.missing_vectors().take(BATCH).cloned().collect();
        if batch.is_empty() {
            return Ok(Missing::None);
        }
        let texts: Vec<String> = batch.iter().map(|fact| recall::indexed_text(fact)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors =
            models.embed(&texts, Effort::Patient, &Order::from(caller)).await.map_err(|e| log(&e.kind()))?;
        let kept = batch.iter().map(|fact| fact.id).zip(vectors.iter().cloned()).collect();
        store.vectors_put(caller, space, models.embedder_id(), kept).await.map_err(|e| log(&e))?;
        let mut open = open.write();
        for (fact, vector) in batch.iter().zip(&vectors) {
            open.index.set_vector(fact, vector).map_err(|e| log(&e))?;
        }
        Ok(if open.index.missing_vectors().next().is_some() { Missing::Some } else { Missing::None })
    }
}
