//! Embedding facts in the background, so that a write never waits for it, and leaving a broken embedder alone.

use crate::spaces::{OpenSpace, Spaces};
use domain::{Caller, Capacity, Fact, FairQueue, Space};
use model::{Effort, Models, Order};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// After a failure nobody asks the embedder again for this long; facts are ranked by words meanwhile.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(30);
/// Spaces waiting to be embedded. More than this and the next recall of a space asks again.
const QUEUE: usize = 1024;
/// So many vectors a question waits for where they are made in process, some milliseconds each, and no longer than this.
/// Elsewhere it waits for one request.
const AT_ONCE: usize = 256;
const WAITING: Duration = Duration::from_secs(5);
/// So long the end of a process waits for the vectors of what it stored, made in process and elsewhere.
const ENDING: Duration = Duration::from_secs(10);
const ENDING_ELSEWHERE: Duration = Duration::from_secs(1);
/// One request's worth of texts.
const BATCH: usize = 64;
/// One batch may take this long, with retries; nobody waits for it.
const BATCH_DEADLINE: Duration = Duration::from_secs(120);

#[derive(Debug, Clone)]
pub(crate) struct Embedding {
    embedder: Embedder,
    queue: mpsc::Sender<Wanted>,
    resting_until: Arc<Mutex<Option<Instant>>>,
}

/// What the work in the background is asked for.
enum Wanted {
    VectorsOf(Box<(Caller, Space)>),
    /// A word once everything that was asked for before is done.
    Word(oneshot::Sender<()>),
}

impl Wanted {
    fn queue(self, waiting: &mut FairQueue<(Caller, Space)>, words: &mut Vec<oneshot::Sender<()>>) {
        match self {
            Self::VectorsOf(wanted) => waiting.push(&wanted.0.account(), *wanted),
            Self::Word(word) => words.push(word),
        }
    }
}

/// Whether a space has facts without a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
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
            let mut words = Vec::new();
            loop {
                while let Ok(wanted) = asked.try_recv() {
                    wanted.queue(&mut waiting, &mut words);
                }
                let Some((account, (caller, space))) = waiting.serve() else {
                    for word in words.drain(..) {
                        // Whoever asked for it may have gone.
                        let _ = word.send(());
                    }
                    let Some(wanted) = asked.recv().await else { return };
                    wanted.queue(&mut waiting, &mut words);
                    continue;
                };
                let rest = Rest(&resting_until);
                let embedded = if rest.is_over() {
                    // The call that it was asked in may have ended long ago.
                    let caller = Caller { deadline: Instant::now() + BATCH_DEADLINE, ..caller.clone() };
                    embedder.embed_batch(&caller, &space, Effort::Patient).await
                } else {
                    Ok(Missing::None)
                };
                match embedded {
                    Ok(Missing::None) => {}
                    Ok(Missing::Some) => waiting.push(&account, (caller, space)),
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
            let _ = self.queue.try_send(Wanted::VectorsOf(Box::new((caller.clone(), space.clone()))));
        }
    }

    /// Waits for the vectors that were asked for so far, as long as the end of a process may.
    pub async fn settle(&self) {
        let in_process = self.embedder.models.embeds_in_process();
        let within = if in_process { ENDING } else { ENDING_ELSEWHERE };
        let (word, done) = oneshot::channel();
        let asked = async {
            if self.queue.send(Wanted::Word(word)).await.is_ok() {
                let _ = done.await;
            }
        };
        let _ = timeout(within, asked).await;
    }

    /// Has the space's missing vectors made: at once where they are few, so that the same question finds the same facts
    /// from now on, and some time otherwise.
    pub async fn catch_up(&self, caller: &Caller, space: &Space, open: &RwLock<OpenSpace>) -> Missing {
        let in_process = self.embedder.models.embeds_in_process();
        let (most, effort) = if in_process { (AT_ONCE, Effort::Patient) } else { (BATCH, Effort::Once) };
        let missing = open.read().index.missing_vectors().take(most + 1).count();
        if missing == 0 {
            return Missing::None;
        }
        let rest = Rest(&self.resting_until);
        if missing <= most && rest.is_over() {
            let made = async {
                while self.embedder.embed_batch(caller, space, effort).await? == Missing::Some {}
                Ok(())
            };
            match timeout(WAITING, made).await {
                Ok(Ok(())) => return Missing::None,
                Ok(Err(())) => rest.begin(),
                Err(_) => {}
            }
        }
        tracing::info!("some facts have no vector yet; ranking by words");
        self.want(caller, space);
        Missing::Some
    }

    /// Vectors of a few facts that are not kept; `None` while the embedder is away.
    pub async fn vectors(&self, caller: &Caller, facts: &[Arc<Fact>]) -> Option<Vec<Vec<f32>>> {
        let texts: Vec<String> = facts.iter().map(|fact| recall::indexed_text(fact)).collect();
        self.embed_once(caller, &texts.iter().map(String::as_str).collect::<Vec<_>>()).await
    }

    /// The vector of a question, or `None` while the embedder is away: then words alone rank.
    pub async fn question(&self, caller: &Caller, question: &str) -> Option<Vec<f32>> {
        self.embed_once(caller, &[question]).await?.pop()
    }

    async fn embed_once(&self, caller: &Caller, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
        let rest = Rest(&self.resting_until);
        let models = &self.embedder.models;
        if texts.is_empty() {
            return Some(Vec::new());
        }
        if !models.embedder_configured() || !rest.is_over() {
            return None;
        }
        match models.embed(texts, Effort::Once, &Order::from(caller)).await {
            Ok(vectors) => Some(vectors),
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
    async fn embed_batch(&self, caller: &Caller, space: &Space, effort: Effort) -> Result<Missing, ()> {
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
        let vectors = models.embed(&texts, effort, &Order::from(caller)).await.map_err(|e| log(&e.kind()))?;
        let kept = batch.iter().map(|fact| fact.id).zip(vectors.iter().cloned()).collect();
        store.vectors_put(caller, space, models.embedder_id(), kept).await.map_err(|e| log(&e))?;
        let mut open = open.write();
        for (fact, vector) in batch.iter().zip(&vectors) {
            open.index.set_vector(fact, vector).map_err(|e| log(&e))?;
        }
        Ok(if open.index.missing_vectors().next().is_some() { Missing::Some } else { Missing::None })
    }
}
