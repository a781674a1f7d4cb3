//! Runs the built-in model beside the asynchronous work: it computes, and on as many cores as there are.

use crate::ask::{Answer, AnswerFact, Extract};
use crate::built_in;
use crate::error::ModelError;
use domain::{Fact, RawFact};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

pub(crate) struct InProcess {
    turns: Arc<Semaphore>,
}

impl InProcess {
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { turns: Arc::new(Semaphore::new(cores)) }
    }

    pub async fn extract(&self, ask: &Extract<'_>, deadline: Instant) -> Result<Vec<RawFact>, ModelError> {
        let (intent, now) = (ask.intent, ask.now);
        let (statement, slots) = (ask.statement.to_owned(), ask.slots.to_vec());
        let held: Vec<Fact> = ask.held.iter().map(|fact| (*fact).clone()).collect();
        let work = move || {
            let held: Vec<&Fact> = held.iter().collect();
            built_in::extract(&Extract { statement: &statement, intent, held: &held, slots: &slots, now })
        };
        self.run(work, deadline).await
    }

    pub async fn answer(&self, ask: &Answer<'_>, deadline: Instant) -> Result<String, ModelError> {
        let (question, now) = (ask.question.to_owned(), ask.now);
        let facts: Vec<(Fact, bool, bool)> =
            ask.facts.iter().map(|f| (f.fact.clone(), f.retired, f.disputed)).collect();
        let work = move || {
            let facts: Vec<AnswerFact<'_>> = facts
                .iter()
                .map(|(fact, retired, disputed)| AnswerFact { fact, retired: *retired, disputed: *disputed })
                .collect();
            built_in::answer(&Answer { question: &question, facts: &facts, now })
        };
        self.run(work, deadline).await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        deadline: Instant,
    ) -> Result<T, ModelError> {
        let turn = timeout_at(deadline.into(), Arc::clone(&self.turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else { return Err(ModelError::Timeout) };
        let done = spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        done.await.map_err(|_| ModelError::BadReply { detail: "the built-in model failed" })
    }
}
