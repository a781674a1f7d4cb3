//! Retracts what is no longer so: `forget` what a statement says, `forget_memory` a fact by its number.

use super::remember::{Proposal, commit, extract, proposals, stamped};
use crate::args::{Whole, worded};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, FactId, Metadata, RawFact, Space, Status, limits};
use reconcile::{Outcome, Trust};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::{Intent, Proposer, Said, StorageLimits};

pub(crate) struct Forget;
pub(crate) struct ForgetMemory;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    text: String,
}

impl Tool for Forget {
    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Retract a fact";
    const DESCRIPTION: &'static str = "Take back, in plain words, what is no longer true and has no new value. It stays in \
        history; to remove it for good use delete. On a guarded slot the removal waits for approval.";
    const CAPABILITY: Capability = Capability::Write;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = Forgotten;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Forgotten>, Stop> {
        worded("text", &args.text, limits::TEXT_BYTES)?;
        let (_, facts) = extract(&cx, &args.text, None, Intent::Forget).await?;
        retract(&cx, args.text, Proposer::Model, facts).await
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneMemory {
    /// The number behind a #.
    memory_id: Whole,
}

impl Tool for ForgetMemory {
    const NAME: &'static str = "forget_memory";
    const TITLE: &'static str = "Retract a fact by its number";
    const DESCRIPTION: &'static str = "Take one current fact back. It stays in history; to remove it for good use delete. \
        On a guarded slot the removal waits for approval.";
    const CAPABILITY: Capability = Capability::Write;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = OneMemory;
    type Reply = Forgotten;

    async fn run(cx: Context<'_>, args: OneMemory) -> Result<Done<Forgotten>, Stop> {
        let id = FactId(args.memory_id.0);
        let fact = cx.service.store.fact_get(&cx.call.caller, &cx.space, id).await?;
        let facts: Vec<RawFact> = fact.iter().filter(|f| f.status == Status::Active).map(ended).collect();
        let text = fact.map_or_else(String::new, |fact| format!("{} = {}", fact.subject, fact.value));
        retract(&cx, text, Proposer::Caller, facts).await
    }
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

async fn retract(
    cx: &Context<'_>,
    text: String,
    proposer: Proposer,
    facts: Vec<RawFact>,
) -> Result<Done<Forgotten>, Stop> {
    if facts.is_empty() {
        return Ok(Done::read(Forgotten::default(), "nothing matched"));
    }
    let said = Said {
        intent: Intent::Forget,
        text: text.into(),
        source: None,
        trust: Trust::Ordinary,
        metadata: stamped(cx, Metadata::new())?,
        proposer,
        facts: facts.into_iter().map(Into::into).collect(),
        limits: StorageLimits::default(),
    };
    let plan = commit(cx, said).await?;
    let proposals = proposals(cx, &plan);
    Ok(Done::Committed(Forgotten { outcomes: plan.outcomes, proposals }))
}

/// What became of each fact that was to be taken back.
#[derive(Debug, Default)]
pub struct Forgotten {
    pub outcomes: Vec<Outcome>,
    /// Removals that wait and that the caller may approve.
    pub proposals: Vec<Proposal>,
}

const NOTHING: &str =
    "Nothing matching to retract: no current fact says that. list_memories shows what is current.";

impl fmt::Display for Forgotten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = |action: Action| {
            let found = self.outcomes.iter().filter(|o| o.action == action);
            found.map(|o| render::pair(&o.subject, &o.value)).collect::<Vec<_>>().join("; ")
        };
        let lines: Vec<String> = [
            ("Retracted (retained in history for audit):", pairs(Action::Retract)),
            ("Proposed for removal, awaiting approval:", pairs(Action::Flag)),
            ("Already awaiting approval:", pairs(Action::Dedup)),
        ]
        .into_iter()
        .filter(|(_, found)| !found.is_empty())
        .map(|(lead, found)| format!("{lead} {found}"))
        .collect();
        f.write_str(if lines.is_empty() { NOTHING.to_owned() } else { lines.join("\n") }.as_str())
    }
}
