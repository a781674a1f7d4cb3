//! Answering a question: choosing the facts, then asking the model. Shared by every tool that recalls.

use crate::outcome::Stop;
use crate::spaces::OpenSpace;
use crate::tool::Context;
use domain::{Fact, FactId, limits};
use model::{Answer, AnswerFact, Order};
use parking_lot::RwLock;
use recall::{ContextRule, WordIndex};
use std::collections::HashSet;
use std::sync::Arc;

/// Retired facts that are looked through for a question about the past: years of a busy space.
pub(crate) const RETIRED_SEARCHED: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum History {
    Leave,
    Include,
}

/// The facts behind an answer, exactly.
pub(crate) struct Basis {
    pub active: Vec<Arc<Fact>>,
    /// The active ones, those nearest to the question first.
    pub by_rank: Vec<Arc<Fact>>,
    pub retired: Vec<Fact>,
    /// Flagged facts of the space, for verdicts on the active ones and for changes that wait.
    pub flagged: Vec<Arc<Fact>>,
    /// The space that they are from, and the question's vector, for who wants to look further.
    pub open: Arc<RwLock<OpenSpace>>,
    pub vector: Option<Vec<f32>>,
}

/// Comma-separated; empty means the deployment's own list.
pub(crate) fn categories(cx: &Context<'_>, argument: &str) -> Vec<String> {
    let asked: Vec<String> =
        argument.split(',').map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned).collect();
    if asked.is_empty() { cx.service.options.critical_categories.clone() } else { asked }
}

pub(crate) async fn basis(
    cx: &Context<'_>,
    question: &str,
    categories: &[String],
    history: History,
) -> Result<Basis, Stop> {
    crate::args::worded("question", question, limits::TEXT_BYTES)?;
    let (service, caller, space) = (cx.service, &cx.call.caller, &cx.space);
    let limit = service.options.recall_context;
    let open = service.spaces.current(&service.store, caller, space).await?;
    let ranked = open.read().index.len() > limit;
    // A space that goes to the model whole is worth a vector only where that costs no request.
    let embeds = service.models.embedder_configured() && (ranked || service.models.embeds_in_process());
    let vector = if embeds { vector(cx, &open, question).await? } else { None };
    let (active, by_rank, flagged) = {
        let open = open.read();
        let rule = ContextRule {
            limit,
            critical_categories: categories,
            critical_budget: service.options.critical_budget,
        };
        let active = open.index.choose(question, vector.as_deref(), &rule)?;
        let by_rank = open.index.by_rank(&active, question, vector.as_deref());
        (active, by_rank, open.flagged.values().cloned().collect())
    };
    let retired = match history {
        History::Leave => Vec::new(),
        History::Include => retired(cx, question, limit).await?,
    };
    Ok(Basis { active, by_rank, retired, flagged, open, vector })
}

/// The vector of what is asked, and those of the facts brought up to date; `None` while the embedder is away.
pub(crate) async fn vector(
    cx: &Context<'_>,
    open: &Arc<RwLock<OpenSpace>>,
    question: &str,
) -> Result<Option<Vec<f32>>, Stop> {
    let (service, caller, space) = (cx.service, &cx.call.caller, &cx.space);
    service.spaces.load_vectors(&service.store, &service.models, caller, space, open).await?;
    service.embedding.catch_up(caller, space, open).await;
    Ok(service.embedding.question(caller, question).await)
}

/// The retired facts that the question's words point to, oldest first; the most recent ones where nothing does.
async fn retired(cx: &Context<'_>, question: &str, limit: usize) -> Result<Vec<Fact>, Stop> {
    let mut found = cx.service.store.facts_retired(&cx.call.caller, &cx.space, RETIRED_SEARCHED).await?;
    if found.len() > limit {
        let mut words = WordIndex::new();
        for fact in &found {
            words.insert(fact.id, &format!("{} {}", fact.subject, fact.value));
        }
        let hits: Vec<_> = words.search(question, limit).into_iter().map(|hit| hit.id).collect();
        found.sort_by_key(|fact| hits.iter().position(|id| *id == fact.id).unwrap_or(usize::MAX));
        found.truncate(limit);
    }
    found.sort_by_key(|fact| fact.id);
    Ok(found)
}

pub(crate) async fn answer(cx: &Context<'_>, question: &str, basis: &Basis) -> Result<String, Stop> {
    answer_along(cx, question, basis, &[]).await
}

/// Tells the model also which of the facts lead from one to the next.
pub(crate) async fn answer_along(
    cx: &Context<'_>,
    question: &str,
    basis: &Basis,
    paths: &[Vec<FactId>],
) -> Result<String, Stop> {
    let disputed: HashSet<FactId> =
        basis.flagged.iter().filter_map(|flagged| flagged.pending.as_ref()?.target).collect();
    let active = basis.by_rank.iter().map(|fact| AnswerFact {
        fact,
        retired: false,
        disputed: disputed.contains(&fact.id),
    });
    let retired = basis.retired.iter().map(|fact| AnswerFact { fact, retired: true, disputed: false });
    let facts: Vec<AnswerFact<'_>> = active.chain(retired).collect();
    let caller = &cx.call.caller;
    let ask = Answer { question, facts: &facts, paths, now: caller.now, notice: Some(&caller.notice) };
    Ok(cx.service.models.answer(&ask, &Order::from(caller)).await?)
}
