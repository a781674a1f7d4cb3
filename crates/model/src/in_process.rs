//! Runs the built-in model apart from the asynchronous work, on as many cores as there are.

use crate::built_in::{BuiltIn, Work};
use crate::error::ModelError;
use crate::request::{Answer, AnswerFact, Extract};
use domain::{Fact, RawFact};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

#[derive(Debug)]
pub(crate) struct InProcess {
    model: Arc<dyn BuiltIn>,
    turns: Arc<Semaphore>,
}

const DAMAGED: &str = "the built-in model's weights are damaged; install the program again";

impl InProcess {
    /// Proof that it works.
    pub async fn probe(&self, deadline: Instant) -> Result<(), ModelError> {
        self.run(|| (), deadline).await
    }

    pub fn new(model: Arc<dyn BuiltIn>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { model, turns: Arc::new(Semaphore::new(cores)) }
    }

    pub async fn extract(&self, ask: &Extract<'_>, deadline: Instant) -> Result<Vec<RawFact>, ModelError> {
        let (intent, now) = (ask.intent, ask.now);
        let (statement, slots) = (ask.statement.to_owned(), ask.slots.to_vec());
        let source = ask.source.map(str::to_owned);
        let held: Vec<Fact> = ask.held.iter().map(|fact| (*fact).clone()).collect();
        let work = Work::until(deadline);
        // Dropped with this future: when the caller has gone, the work stops.
        let _waiting = work.guard();
        let (model, still) = (Arc::clone(&self.model), work.clone());
        let read = move || {
            let held: Vec<&Fact> = held.iter().collect();
            let ask = Extract {
                statement: &statement,
                source: source.as_deref(),
                intent,
                held: &held,
                slots: &slots,
                now,
                notice: None,
            };
            model.extract(&ask, &still)
        };
        let found = self.run(read, deadline).await?;
        if work.is_over() { Err(ModelError::Timeout) } else { Ok(found) }
    }

    pub async fn answer(&self, ask: &Answer<'_>, deadline: Instant) -> Result<String, ModelError> {
        let (question, now) = (ask.question.to_owned(), ask.now);
        let paths = ask.paths.to_vec();
        let facts: Vec<(Fact, bool, bool)> =
            ask.facts.iter().map(|f| (f.fact.clone(), f.retired, f.disputed)).collect();
        let model = Arc::clone(&self.model);
        let work = move || {
            let facts: Vec<AnswerFact<'_>> = facts
                .iter()
                .map(|(fact, retired, disputed)| AnswerFact { fact, retired: *retired, disputed: *disputed })
                .collect();
            let ask = Answer { question: &question, facts: &facts, paths: &paths, now, notice: None };
            model.answer(&ask)
        };
        self.run(work, deadline).await
    }

    pub async fn weigh(
        &self,
        question: &str,
        texts: Vec<String>,
        deadline: Instant,
    ) -> Result<Vec<f32>, ModelError> {
        let (question, model) = (question.to_owned(), Arc::clone(&self.model));
        let work = move || model.weigh(&question, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        self.run(work, deadline).await
    }

    pub async fn embed(&self, texts: &[&str], deadline: Instant) -> Result<Vec<Vec<f32>>, ModelError> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let model = Arc::clone(&self.model);
        let work = move || model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        self.run(work, deadline).await
    }

    pub fn embedder(&self) -> &'static str {
        self.model.embedder()
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        deadline: Instant,
    ) -> Result<T, ModelError> {
        let turn = timeout_at(deadline.into(), Arc::clone(&self.turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else { return Err(ModelError::Timeout) };
        let model = Arc::clone(&self.model);
        let done = spawn_blocking(move || {
            let _turn = turn;
            if model.is_whole() { Ok(work()) } else { Err(ModelError::BadReply { detail: DAMAGED }) }
        });
        done.await.map_err(|_| ModelError::BadReply { detail: "the built-in model failed" })?
    }
}
