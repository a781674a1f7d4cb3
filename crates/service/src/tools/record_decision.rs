//! Binds a decision to what was believed when it was taken.

use crate::answering::{self, History};
use crate::args::worded;
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, DecisionId, Fact, Space, limits};
use evidence::{Belief, Hash};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::NewDecision;

pub(crate) struct RecordDecision;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    action_summary: String,
    /// What it rests on; it is asked of the memory now.
    question: String,
}

/// How much of the snapshot's hash a reply shows.
const HASH_SHOWN: usize = 16;

impl Tool for RecordDecision {
    const NAME: &'static str = "record_decision";
    const TITLE: &'static str = "Record a decision";
    const DESCRIPTION: &'static str = "Record what you decided with the facts it rests on, signed, so that \
        it can be explained when they have changed.";
    const CAPABILITY: Capability = Capability::Write;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = DecisionRecorded;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<DecisionRecorded>, Stop> {
        worded("action_summary", &args.action_summary, limits::VALUE_BYTES)?;
        let categories = answering::categories(&cx, "");
        let basis = answering::basis(&cx, &args.question, &categories, History::Leave).await?;
        let answer = answering::answer(&cx, &args.question, &basis).await?;
        let decision = NewDecision {
            summary: args.action_summary,
            beliefs: basis.active().map(|fact| belief(fact)).collect(),
        };
        let (beliefs, store) = (decision.beliefs.len(), &cx.service.store);
        let (id, hash) = store.decision_record(cx.call.clone(), cx.space.clone(), decision).await?;
        let is_signed = store.public_key().is_some();
        Ok(Done::Committed(DecisionRecorded { id, beliefs, answer, hash, is_signed }))
    }
}

/// A decision that was recorded with what it rests on.
#[derive(Debug)]
pub struct DecisionRecorded {
    pub id: DecisionId,
    /// How many facts it is bound to.
    pub beliefs: usize,
    pub answer: String,
    /// Of the snapshot.
    pub hash: Hash,
    pub is_signed: bool,
}

impl fmt::Display for DecisionRecorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, beliefs, answer, hash, is_signed } = self;
        let prefix: String = hash.to_string().chars().take(HASH_SHOWN).collect();
        let sealed = if *is_signed { "signed" } else { "unsigned" };
        write!(
            f,
            "Decision #{id} recorded, bound to {beliefs} belief(s).\nbased on: {}\n\
             receipt: {prefix}…  ({sealed}; verify with explain_decision #{id})",
            render::line(answer)
        )
    }
}

fn belief(fact: &Fact) -> Belief {
    Belief {
        memory_id: fact.id,
        subject: fact.subject.clone(),
        value: fact.value.clone(),
        confidence: fact.confidence,
        source: fact.source.clone(),
        status: fact.status.word().to_owned(),
        supersedes: fact.supersedes,
    }
}
