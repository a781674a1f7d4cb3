//! Retracts what is no longer so: the fact of a number, of an exact subject, or the one that words mean.

use super::remember::{Proposal, Words, commit, extract, proposals, stamped};
use crate::args::{Whole, worded};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::keys::{item_key, value_key};
use domain::{Action, Capability, Fact, FactId, Metadata, Proposer, RawFact, Space, Status, limits};
use model::{Meant, meant, names_fit, names_said};
use reconcile::{Outcome, Refusal, Trust};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;
use store::{ChangeVerdict, Intent, Reached, Said, StorageLimits};

pub(crate) struct Forget;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The subject letter by letter, or words that name one fact. With memory_id: why.
    text: String,
    /// The number behind a #: a current fact, or a change that you proposed and that waits.
    #[serde(default = "none")]
    memory_id: Whole,
}

fn none() -> Whole {
    Whole(0)
}

/// Facts among which words are looked for.
const SEARCHED: usize = 64;
/// Candidates that a reply names.
const NAMED: usize = 10;

impl Tool for Forget {
    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Retract a fact";
    const DESCRIPTION: &'static str = "Take back what is no longer true and has no new value: by memory_id, by its exact \
        subject, or in words that name one fact; where several would do, the reply lists them. It stays in history; \
        delete removes for good. On a guarded slot the removal waits for approval.";
    const CAPABILITY: Capability = Capability::Write;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = Forgotten;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Forgotten>, Stop> {
        worded("text", &args.text, limits::TEXT_BYTES)?;
        if args.memory_id.0 != 0 {
            return numbered(&cx, args.text, FactId(args.memory_id.0)).await;
        }
        let found = named(&cx, &args.text).await?;
        match found.fitting.as_slice() {
            [fact] => retract(&cx, args.text, fact).await,
            [] => Ok(Done::read(Forgotten::nothing(found.near), "nothing matched")),
            _ => Ok(Done::read(Forgotten::nothing(found.fitting), "nothing matched")),
        }
    }
}

async fn numbered(cx: &Context<'_>, text: String, id: FactId) -> Result<Done<Forgotten>, Stop> {
    let fact = cx.service.store.fact_get(&cx.call.caller, &cx.space, id).await?;
    match fact {
        Some(fact) if fact.status == Status::Active => retract(cx, text, &fact).await,
        Some(fact) if fact.status == Status::FlaggedConflict => withdraw(cx, fact.id).await,
        other => {
            let what =
                other.map_or("no memory of this space".to_owned(), |f| format!("{}, not current", f.status));
            let nothing =
                Forgotten { nothing: Some(Nothing::NotCurrent { id, what }), ..Forgotten::default() };
            Ok(Done::read(nothing, format!("#{id} is not current")))
        }
    }
}

async fn withdraw(cx: &Context<'_>, id: FactId) -> Result<Done<Forgotten>, Stop> {
    let (store, verdict) = (&cx.service.store, ChangeVerdict::Withdraw);
    let decided = store.change_decide(cx.call.clone(), cx.space.clone(), id, verdict, None).await?;
    let forgotten = match decided.map(|decided| decided.plan) {
        Some(Ok(plan)) => Forgotten { withdrawn: plan.outcomes.into_iter().next(), ..Forgotten::default() },
        Some(Err(refusal)) => Forgotten { nothing: Some(Nothing::Refused(refusal)), ..Forgotten::default() },
        None => Forgotten::nothing(Vec::new()),
    };
    Ok(Done::Committed(forgotten))
}

/// The current facts that the words may mean: those of exactly that subject, or else those that they name.
async fn named(cx: &Context<'_>, text: &str) -> Result<Meant, Stop> {
    let service = cx.service;
    let exact = of_subject(cx, text.trim()).await?;
    if !exact.is_empty() {
        return Ok(Meant { fitting: exact, ..Meant::default() });
    }
    let open = service.spaces.current(&service.store, &cx.call.caller, &cx.space).await?;
    let near = open.read().index.holding(text, SEARCHED);
    let said = meant(text, &near, &service.slot_hints);
    if service.models.reads_in_process() {
        return Ok(said);
    }
    let words = Words { text, source: None, said_at: None };
    let (open, facts) = extract(cx, &words, Intent::Forget).await?;
    let mut spoken_of: Vec<Arc<Fact>> = Vec::new();
    for raw in &facts {
        let aimed = raw.target_id.and_then(|id| open.read().index.get(FactId(id)).cloned());
        let facts = match aimed {
            Some(fact) => vec![fact],
            None => proposed(cx, raw).await?,
        };
        for fact in facts {
            if spoken_of.iter().all(|known| known.id != fact.id) {
                spoken_of.push(fact);
            }
        }
    }
    // A model may know what words mean that name nothing, but not better than words that name a fact.
    let is_said =
        |fact: &Arc<Fact>| said.fitting.is_empty() || said.fitting.iter().any(|named| named.id == fact.id);
    let (fitting, mut near): (Vec<_>, Vec<_>) = spoken_of
        .into_iter()
        .partition(|fact| is_said(fact) && names_fit(text, fact) && names_said(text, fact));
    near.extend(said.fitting.into_iter().chain(said.near).filter(|_| fitting.is_empty()));
    near.sort_by_key(|fact| fact.id);
    near.dedup_by_key(|fact| fact.id);
    Ok(Meant { fitting, near })
}

/// The current facts of exactly this subject.
async fn of_subject(cx: &Context<'_>, subject: &str) -> Result<Vec<Arc<Fact>>, Stop> {
    if subject.len() > limits::SUBJECT_BYTES {
        return Ok(Vec::new());
    }
    let standing = cx.service.store.facts_standing(&cx.call.caller, &cx.space, cx.subject(subject)).await?;
    Ok(standing.into_iter().filter(|fact| fact.status == Status::Active).map(Arc::new).collect())
}

/// The current facts of the subject that a model's entry has, or that of its value.
async fn proposed(cx: &Context<'_>, raw: &RawFact) -> Result<Vec<Arc<Fact>>, Stop> {
    let mut facts = of_subject(cx, raw.subject.as_deref().unwrap_or_default()).await?;
    let value = value_key(raw.value.as_deref().unwrap_or_default());
    let says = |fact: &Arc<Fact>| {
        let is_item =
            fact.list_item && item_key(&fact.value) == item_key(raw.value.as_deref().unwrap_or_default());
        is_item || value_key(&fact.value) == value
    };
    // What was said of another value is not meant, unless the entry gives none.
    if !value.is_empty() {
        facts.retain(says);
    }
    Ok(facts)
}

/// That the fact has ended, in the form of a model's reply.
fn ended(fact: &Fact) -> RawFact {
    RawFact {
        subject: Some(fact.subject.clone()),
        value: Some(fact.value.clone()),
        scope: Some(fact.scope.clone()),
        kind: Some(fact.kind.word().to_owned()),
        action: Some(Action::Retract.word().to_owned()),
        confidence: Some(1.0),
        target_id: Some(fact.id.0),
        ..RawFact::default()
    }
}

async fn retract(cx: &Context<'_>, text: String, fact: &Fact) -> Result<Done<Forgotten>, Stop> {
    let open = cx.service.spaces.current(&cx.service.store, &cx.call.caller, &cx.space).await?;
    let due = open.read().due();
    let said = Said {
        intent: Intent::Forget,
        text: text.into(),
        source: cx.own_source(fact),
        trust: Trust::Ordinary,
        metadata: stamped(cx, Metadata::new())?,
        proposer: Proposer::Caller,
        said: None,
        facts: vec![ended(fact).into()],
        due,
        limits: StorageLimits::default(),
        once: None,
    };
    let Reached::Plan(plan) = commit(cx, said).await? else {
        return Ok(Done::Committed(Forgotten::nothing(Vec::new())));
    };
    let proposals = proposals(cx, &plan);
    if plan.outcomes.iter().all(|outcome| outcome.action == Action::Skip) {
        return Ok(Done::Committed(Forgotten::nothing(Vec::new())));
    }
    Ok(Done::Committed(Forgotten { outcomes: plan.outcomes, proposals, ..Forgotten::default() }))
}

/// What became of the fact that was to be taken back.
#[derive(Debug, Default)]
pub struct Forgotten {
    pub outcomes: Vec<Outcome>,
    /// Removals that wait and that the caller may approve.
    pub proposals: Vec<Proposal>,
    /// A change that waited, and that its proposer took back.
    pub withdrawn: Option<Outcome>,
    /// Why nothing was taken back.
    pub nothing: Option<Nothing>,
}

#[derive(Debug)]
pub enum Nothing {
    /// Those that the words may mean, if any.
    Unclear(Vec<Arc<Fact>>),
    NotCurrent {
        id: FactId,
        what: String,
    },
    Refused(Refusal),
}

impl Forgotten {
    fn nothing(candidates: Vec<Arc<Fact>>) -> Self {
        Self { nothing: Some(Nothing::Unclear(candidates)), ..Self::default() }
    }
}

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nothing matching to retract")?;
        match self {
            Self::Unclear(facts) if facts.is_empty() => {
                f.write_str(": no current fact says that. list_memories shows what is current.")
            }
            Self::Unclear(facts) => {
                f.write_str(" for certain. Name one of these as memory_id:")?;
                for fact in facts.iter().take(NAMED) {
                    write!(f, "\n  #{} {}", fact.id, render::pair(&fact.subject, &fact.value))?;
                }
                match facts.len().saturating_sub(NAMED) {
                    0 => Ok(()),
                    more => write!(f, "\n  and {more} more"),
                }
            }
            Self::NotCurrent { id, what } => write!(f, ": #{id} is {what}."),
            Self::Refused(refusal) => write!(f, ": {refusal}"),
        }
    }
}

impl fmt::Display for Forgotten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(nothing) = &self.nothing {
            return write!(f, "{nothing}");
        }
        let pairs = |action: Action| {
            let found = self.outcomes.iter().filter(|o| o.action == action);
            found.map(|o| render::pair(&o.subject, &o.value)).collect::<Vec<_>>().join("; ")
        };
        let withdrawn = self.withdrawn.iter().map(|o| render::pair(&o.subject, &o.value));
        let lines: Vec<String> = [
            ("Withdrawn, the change no longer waits:", withdrawn.collect()),
            ("Retracted (retained in history for audit):", pairs(Action::Retract)),
            ("Proposed for removal, awaiting approval:", pairs(Action::Flag)),
            ("Already awaiting approval:", pairs(Action::Dedup)),
        ]
        .into_iter()
        .filter(|(_, found)| !found.is_empty())
        .map(|(lead, found): (_, String)| format!("{lead} {found}"))
        .collect();
        f.write_str(&lines.join("\n"))
    }
}
