//! Runs the built-in model apart from the asynchronous work.

use crate::built_in::{BuiltIn, Work};
use crate::cores::Cores;
use crate::error::ModelError;
use crate::request::{Answer, AnswerFact, Extract, Order};
use domain::{Fact, FactId, RawFact};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct InProcess {
    model: Arc<dyn BuiltIn>,
    cores: Cores,
}

const DAMAGED: &str = "the built-in model's weights are damaged; install the program again";

impl InProcess {
    pub fn new(model: Arc<dyn BuiltIn>, cores: Cores) -> Self {
        Self { model, cores }
    }

    /// Proof that it works.
    pub async fn probe(&self, order: &Order) -> Result<(), ModelError> {
        self.run(order, |_, _| ()).await
    }

    pub async fn extract(&self, ask: &Extract<'_>, order: &Order) -> Result<Vec<RawFact>, ModelError> {
        let (intent, now) = (ask.intent, ask.now);
        let (statement, slots) = (ask.statement.to_owned(), ask.slots.to_vec());
        let source = ask.source.map(str::to_owned);
        let held: Vec<Fact> = ask.held.iter().map(|fact| (*fact).clone()).collect();
        let read = move |model: &dyn BuiltIn, work: &Work| {
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
            model.extract(&ask, work)
        };
        self.run(order, read).await
    }

    pub async fn answer(&self, ask: &Answer<'_>, order: &Order) -> Result<String, ModelError> {
        self.of_facts(ask, order, |model, ask| model.answer(ask)).await
    }

    pub async fn ground(&self, ask: &Answer<'_>, order: &Order) -> Result<Option<FactId>, ModelError> {
        self.of_facts(ask, order, |model, ask| model.ground(ask)).await
    }

    async fn of_facts<T: Send + 'static>(
        &self,
        ask: &Answer<'_>,
        order: &Order,
        job: impl FnOnce(&dyn BuiltIn, &Answer<'_>) -> T + Send + 'static,
    ) -> Result<T, ModelError> {
        let (question, now) = (ask.question.to_owned(), ask.now);
        let paths = ask.paths.to_vec();
        let changes = |f: &AnswerFact<'_>| f.changes.iter().copied().cloned().collect();
        let facts: Vec<(Fact, bool, Vec<Fact>)> =
            ask.facts.iter().map(|f| (f.fact.clone(), f.retired, changes(f))).collect();
        let answer = move |model: &dyn BuiltIn, _: &Work| {
            let facts: Vec<AnswerFact<'_>> = facts
                .iter()
                .map(|(fact, retired, changes)| AnswerFact {
                    fact,
                    retired: *retired,
                    changes: changes.iter().collect(),
                })
                .collect();
            job(model, &Answer { question: &question, facts: &facts, paths: &paths, now, notice: None })
        };
        self.run(order, answer).await
    }

    pub async fn weigh(
        &self,
        question: &str,
        texts: Vec<String>,
        order: &Order,
    ) -> Result<Vec<f32>, ModelError> {
        let question = question.to_owned();
        let weigh = move |model: &dyn BuiltIn, _: &Work| {
            model.weigh(&question, &texts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        self.run(order, weigh).await
    }

    pub async fn embed(&self, texts: &[&str], order: &Order) -> Result<Vec<Vec<f32>>, ModelError> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let embed = move |model: &dyn BuiltIn, work: &Work| {
            model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>(), work)
        };
        self.run(order, embed).await
    }

    pub fn embedder(&self) -> &'static str {
        self.model.embedder()
    }

    async fn run<T: Send + 'static>(
        &self,
        order: &Order,
        job: impl FnOnce(&dyn BuiltIn, &Work) -> T + Send + 'static,
    ) -> Result<T, ModelError> {
        let model = Arc::clone(&self.model);
        let job = move |work: &Work| {
            if model.is_whole() {
                Ok(job(&*model, work))
            } else {
                Err(ModelError::BadReply { detail: DAMAGED })
            }
        };
        self.cores.run(order, job).await?
    }
}
