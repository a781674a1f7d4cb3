//! Answering a question: choosing the facts, then asking the model. Shared by every tool that recalls.

use crate::embedding::Missing;
use crate::outcome::Stop;
use crate::spaces::OpenSpace;
use crate::tool::Context;
use crate::tools::as_of::held_then;
use domain::{Fact, FactId, ReceiptId, Status, Timestamp, limits};
use model::{Answer, AnswerFact, Order, Rests};
use parking_lot::RwLock;
use recall::{ContextRule, Ranked, SpaceIndex};
use std::collections::HashMap;
use std::sync::Arc;

/// Retired facts that are looked through for a question about the past: years of a busy space.
pub(crate) const RETIRED_SEARCHED: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum History {
    Leave,
    Include,
}

/// A fact that an answer is drawn from.
pub(crate) struct Recalled {
    pub fact: Arc<Fact>,
    /// How well it fits the question.
    pub score: f32,
    pub is_retired: bool,
}

/// The facts behind an answer, exactly.
pub(crate) struct Basis {
    /// The best first.
    pub facts: Vec<Recalled>,
    /// Flagged facts of the space, for verdicts on the active ones and for changes that wait.
    pub flagged: Vec<Arc<Fact>>,
    /// The space that they are from, and the question's vector, for who wants to look further.
    pub open: Arc<RwLock<OpenSpace>>,
    pub vector: Option<Vec<f32>>,
    /// The time that is asked about.
    pub at: Timestamp,
    /// What was erased since that time is gone from it too; the receipts of that.
    pub erasures: Vec<ReceiptId>,
}

impl Basis {
    pub fn active(&self) -> impl Iterator<Item = &Arc<Fact>> {
        self.facts.iter().filter(|recalled| !recalled.is_retired).map(|recalled| &recalled.fact)
    }
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
    let past = match history {
        History::Leave => SpaceIndex::default(),
        History::Include => past(cx, &open, question, limit).await?,
    };
    // Either meaning counts for all that is ranked, or for nothing.
    let (past, vector) = match vector {
        Some(vector) => match with_vectors(cx, past).await {
            (past, true) => (past, Some(vector)),
            (past, false) => (past, None),
        },
        None => (past, None),
    };
    let rule = context_rule(cx, categories);
    let (mut facts, flagged) = {
        let open = open.read();
        let chosen = open.index.choose(question, vector.as_deref(), &rule)?;
        (recalled(chosen, false), open.flagged.values().cloned().collect())
    };
    let retired =
        past.choose(question, vector.as_deref(), &ContextRule { critical_categories: &[], ..rule })?;
    add_retired(&mut facts, retired);
    Ok(Basis { facts, flagged, open, vector, at: caller.now, erasures: Vec::new() })
}

fn context_rule<'a>(cx: &Context<'_>, critical_categories: &'a [String]) -> ContextRule<'a> {
    let options = &cx.service.options;
    ContextRule {
        limit: options.recall_context,
        critical_categories,
        critical_budget: options.critical_budget,
    }
}

fn recalled(chosen: Vec<Ranked>, is_retired: bool) -> Vec<Recalled> {
    chosen.into_iter().map(|Ranked { fact, score }| Recalled { fact, score, is_retired }).collect()
}

/// Retired facts stand among the others, by their rank.
fn add_retired(facts: &mut Vec<Recalled>, retired: Vec<Ranked>) {
    if !retired.is_empty() {
        facts.extend(recalled(retired, true));
        facts.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}

/// The same of an earlier time, where one is given. Facts of the past have no vectors, so they are found by their words.
pub(crate) async fn basis_at(
    cx: &Context<'_>,
    question: &str,
    categories: &[String],
    history: History,
    as_of: &str,
) -> Result<Basis, Stop> {
    let Some(held) = held_then(cx, as_of).await? else {
        return basis(cx, question, categories, history).await;
    };
    crate::args::worded("question", question, limits::TEXT_BYTES)?;
    let mut open = OpenSpace::default();
    open.index = SpaceIndex::of(held.active);
    let rule = context_rule(cx, categories);
    let mut facts = recalled(open.index.choose(question, None, &rule)?, false);
    if history == History::Include {
        let retired = SpaceIndex::of(held.retired);
        let retired = retired.choose(question, None, &ContextRule { critical_categories: &[], ..rule })?;
        add_retired(&mut facts, retired);
    }
    let (flagged, at, erasures) = (held.flagged, held.at, held.erasures);
    Ok(Basis { facts, flagged, open: Arc::new(RwLock::new(open)), vector: None, at, erasures })
}

/// The vector of what is asked, and those of the facts brought up to date; `None` while the embedder is away or some
/// facts still lack theirs.
pub(crate) async fn vector(
    cx: &Context<'_>,
    open: &Arc<RwLock<OpenSpace>>,
    question: &str,
) -> Result<Option<Vec<f32>>, Stop> {
    let (service, caller, space) = (cx.service, &cx.call.caller, &cx.space);
    service.spaces.load_vectors(&service.store, &service.models, caller, space, open).await?;
    match service.embedding.catch_up(caller, space, open).await {
        Missing::None => Ok(service.embedding.question(caller, question).await),
        Missing::Some => Ok(None),
    }
}

/// The retired facts that the question's words point to, and the most recent ones; with them what has run out since the
/// last write.
async fn past(
    cx: &Context<'_>,
    open: &RwLock<OpenSpace>,
    question: &str,
    limit: usize,
) -> Result<SpaceIndex, Stop> {
    let retired = cx.service.store.facts_retired(&cx.call.caller, &cx.space, RETIRED_SEARCHED).await?;
    let over = open.read().over.values().filter(|fact| fact.status == Status::Historical).cloned().collect();
    let over: Vec<Arc<Fact>> = over;
    let all = SpaceIndex::of(retired.into_iter().map(Arc::new).chain(over));
    let rule = ContextRule { limit, critical_categories: &[], critical_budget: 0 };
    Ok(SpaceIndex::of(all.choose(question, None, &rule)?.into_iter().map(|ranked| ranked.fact)))
}

/// The same facts with their vectors, and whether all have one. They are few.
async fn with_vectors(cx: &Context<'_>, mut past: SpaceIndex) -> (SpaceIndex, bool) {
    let facts: Vec<Arc<Fact>> = past.iter().cloned().collect();
    let Some(vectors) = cx.service.embedding.vectors(&cx.call.caller, &facts).await else {
        return (past, false);
    };
    let taken = facts.iter().zip(&vectors).all(|(fact, vector)| past.set_vector(fact, vector).is_ok());
    (past, taken)
}

pub(crate) async fn answer(cx: &Context<'_>, question: &str, basis: &Basis) -> Result<String, Stop> {
    answer_along(cx, question, basis, &[]).await
}

/// The fact that the answer will rest on, as far as the model tells that beforehand.
pub(crate) async fn ground(cx: &Context<'_>, question: &str, basis: &Basis) -> Result<Rests, Stop> {
    let (caller, facts) = (&cx.call.caller, answer_facts(basis));
    let ask = Answer { question, facts: &facts, paths: &[], now: basis.at, notice: Some(&caller.notice) };
    Ok(cx.service.models.ground(&ask, &Order::from(caller)).await?)
}

/// Tells the model also which of the facts lead from one to the next.
pub(crate) async fn answer_along(
    cx: &Context<'_>,
    question: &str,
    basis: &Basis,
    paths: &[Vec<FactId>],
) -> Result<String, Stop> {
    let (caller, facts) = (&cx.call.caller, answer_facts(basis));
    let ask = Answer { question, facts: &facts, paths, now: basis.at, notice: Some(&caller.notice) };
    Ok(cx.service.models.answer(&ask, &Order::from(caller)).await?)
}

fn answer_facts(basis: &Basis) -> Vec<AnswerFact<'_>> {
    let target = |flagged: &Fact| flagged.pending.as_ref().and_then(|pending| pending.target);
    let mut changes: HashMap<FactId, Vec<&Fact>> = HashMap::new();
    for (target, flagged) in basis.flagged.iter().filter_map(|flagged| Some((target(flagged)?, flagged))) {
        changes.entry(target).or_default().push(flagged);
    }
    let facts = basis.facts.iter().map(|Recalled { fact, is_retired, .. }| AnswerFact {
        fact,
        retired: *is_retired,
        changes: changes.remove(&fact.id).unwrap_or_default(),
    });
    facts.collect()
}
