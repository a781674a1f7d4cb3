//! Binds a decision to what was believed when it was taken.

use crate::answering::{self, History};
use crate::args::{Takes, worded};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, limits};
use evidence::Belief;
use schemars::JsonSchema;
use serde::Deserialize;
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
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        worded("action_summary", &args.action_summary, limits::VALUE_BYTES)?;
        let categories = answering::categories(&cx, "");
        let basis = answering::basis(&cx, &args.question, &categories, History::Leave).await?;
        let answer = answering::answer(&cx, &args.question, &basis).await?;
        let beliefs: Vec<Belief> = basis.active.iter().map(|fact| belief(fact)).collect();
        let count = beliefs.len();
        let decision = NewDecision { summary: args.action_summary, beliefs };
        let store = &cx.service.store;
        let (id, hash) = store.decision_record(cx.call.clone(), cx.space.clone(), decision).await?;
        let prefix: String = hash.to_string().chars().take(HASH_SHOWN).collect();
        let sealed = if store.public_key().is_some() { "signed" } else { "unsigned" };
        Ok(Done::Committed {
            text: format!(
                "Decision #{id} recorded, bound to {count} belief(s).\nbased on: {}\n\
                 receipt: {prefix}…  ({sealed}; verify with explain_decision #{id})",
                render::line(&answer)
            ),
        })
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
