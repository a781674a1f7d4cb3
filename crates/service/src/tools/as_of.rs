//! What was held to be true at an earlier moment, from history alone.

use crate::answering;
use crate::args::worded;
use crate::conditions::{Conditions, Wanted};
use crate::moment::moment;
use crate::outcome::{Done, Stop};
use crate::render::pair;
use crate::tool::{Context, Effect, Tool, World};
use crate::tools::recall::asked;
use domain::{Capability, Fact, FactId, ReceiptId, Space, Status, Timestamp, limits};
use model::{Answer, AnswerFact, Order};
use recall::{ContextRule, SpaceIndex};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

pub(crate) struct ListAsOf;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListArgs {
    /// The moment, such as 2026-11-18T12:00:00Z.
    as_of: String,
    /// Words that must all occur.
    #[serde(default)]
    text: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    category: String,
    /// Only what was said from this time on, or from the beginning of a day.
    #[serde(default)]
    since: String,
    /// Only what was said up to this time, or to the end of a day.
    #[serde(default)]
    until: String,
}

impl Tool for ListAsOf {
    const NAME: &'static str = "list_as_of";
    const TITLE: &'static str = "List memories as of then";
    const DESCRIPTION: &'static str = "List what was current and what was flagged at an earlier moment.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = ListArgs;
    type Reply = HeldThen;

    async fn run(cx: Context<'_>, args: ListArgs) -> Result<Done<HeldThen>, Stop> {
        let conditions = Conditions::of(&Wanted {
            words: &args.text,
            source: &args.source,
            scope: &args.scope,
            category: &args.category,
            since: &args.since,
            until: &args.until,
        })?;
        let mut held = held_then(&cx, &args.as_of).await?;
        held.active.retain(|fact| conditions.hold(fact));
        held.flagged.retain(|fact| conditions.hold(fact));
        let detail =
            format!("as of {}: {} active, {} flagged", held.at, held.active.len(), held.flagged.len());
        Ok(Done::read(held, detail))
    }
}

pub(crate) struct RecallAsOf;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallArgs {
    question: String,
    /// The moment, such as 2026-11-18T12:00:00Z.
    as_of: String,
}

impl Tool for RecallAsOf {
    const NAME: &'static str = "recall_as_of";
    const TITLE: &'static str = "Answer as of then";
    const DESCRIPTION: &'static str = "Answer a question from what was held to be true at an earlier moment.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = RecallArgs;
    type Reply = RecalledThen;

    async fn run(cx: Context<'_>, args: RecallArgs) -> Result<Done<RecalledThen>, Stop> {
        worded("question", &args.question, limits::TEXT_BYTES)?;
        let held = held_then(&cx, &args.as_of).await?;
        let answer = answer(&cx, &args.question, &held).await?;
        let detail = format!("as of {}: {}", held.at, asked(&args.question));
        Ok(Done::read(RecalledThen { answer, erasures: held.erasures }, detail))
    }
}

async fn held_then(cx: &Context<'_>, as_of: &str) -> Result<HeldThen, Stop> {
    let Some((at, _)) = moment("as_of", as_of)? else {
        return Err(Stop::refused("Argument 'as_of' is empty. Give a time such as 2026-11-17T08:00:00Z."));
    };
    if at > cx.call.caller.now {
        return Err(Stop::refused(format!(
            "Argument 'as_of': '{}' is yet to come. Give a time that has passed.",
            as_of.trim()
        )));
    }
    let history = cx.service.store.space_history(&cx.call.caller, &cx.space).await?;
    let all: HashMap<FactId, &Fact> = history.facts.iter().map(|fact| (fact.id, fact)).collect();
    let then = history.facts.iter().filter_map(|fact| as_it_was(fact, at, &all)).map(Arc::new);
    let (active, flagged) = then.partition(|fact| fact.status == Status::Active);
    let since = history.erasures.into_iter().filter(|(_, erased)| *erased > at);
    Ok(HeldThen { at, active, flagged, erasures: since.map(|(receipt, _)| receipt).collect() })
}

/// A removal that waited showed the value that it was to remove, as that was when it was proposed. Its own row says what
/// was removed in the end, which may have been refined meanwhile.
fn as_it_was(fact: &Fact, then: Timestamp, all: &HashMap<FactId, &Fact>) -> Option<Fact> {
    let mut was = fact.at(then)?;
    let is_done = fact.status == Status::Historical && was.status == Status::FlaggedConflict;
    let target = fact.supersedes.filter(|_| is_done).and_then(|id| all.get(&id)?.at(fact.created));
    if let Some(target) = target {
        was.value = target.value;
    }
    Some(was)
}

/// Facts of the past have no vectors, so they are found by their words.
async fn answer(cx: &Context<'_>, question: &str, held: &HeldThen) -> Result<String, Stop> {
    let mut index = SpaceIndex::new();
    for fact in &held.active {
        index.upsert(fact.clone());
    }
    let categories = answering::categories(cx, "");
    let rule = ContextRule {
        limit: cx.service.options.recall_context,
        critical_categories: &categories,
        critical_budget: cx.service.options.critical_budget,
    };
    let chosen = index.choose(question, None, &rule)?;
    let by_rank = index.by_rank(&chosen, question, None);
    let disputed: HashSet<FactId> =
        held.flagged.iter().filter_map(|flagged| flagged.pending.as_ref()?.target).collect();
    let facts: Vec<AnswerFact<'_>> = by_rank
        .iter()
        .map(|fact| AnswerFact { fact, retired: false, disputed: disputed.contains(&fact.id) })
        .collect();
    let caller = &cx.call.caller;
    let ask = Answer { question, facts: &facts, paths: &[], now: held.at, notice: Some(&caller.notice) };
    Ok(cx.service.models.answer(&ask, &Order::from(caller)).await?)
}

/// What was current and what was flagged at a moment, each in the order of their numbers.
#[derive(Debug)]
pub struct HeldThen {
    pub at: Timestamp,
    pub active: Vec<Arc<Fact>>,
    pub flagged: Vec<Arc<Fact>>,
    /// What was erased since is gone from the past too; the receipts of that.
    pub erasures: Vec<ReceiptId>,
}

impl HeldThen {
    pub fn standing(&self) -> impl Iterator<Item = &Fact> {
        self.active.iter().chain(&self.flagged).map(AsRef::as_ref)
    }
}

impl fmt::Display for HeldThen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.active.is_empty() && self.flagged.is_empty() {
            write!(f, "(no memories as of {})", self.at)?;
        } else {
            write!(f, "As of {}:", self.at)?;
        }
        for fact in &self.active {
            write!(f, "\n• {}  (#{})", pair(&fact.subject, &fact.value), fact.id)?;
        }
        for fact in &self.flagged {
            write!(f, "\n⚠ {}  (#{}, flagged then)", pair(&fact.subject, &fact.value), fact.id)?;
        }
        gone(&self.erasures, f)
    }
}

/// An answer from what was held at a moment.
#[derive(Debug)]
pub struct RecalledThen {
    pub answer: String,
    pub erasures: Vec<ReceiptId>,
}

impl fmt::Display for RecalledThen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.answer)?;
        gone(&self.erasures, f)
    }
}

fn gone(erasures: &[ReceiptId], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if erasures.is_empty() {
        return Ok(());
    }
    let receipts: Vec<String> = erasures.iter().map(|id| format!("receipt #{id}")).collect();
    write!(f, "\n\nNot shown, because it was erased since then: {}.", receipts.join(", "))
}
