//! Answers a question about how things hang together. Without the entity graph it is `recall`.

use super::recall::{Answered, asked};
use crate::answering::{self, History};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Space};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct RecallRelated;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    question: String,
}

impl Tool for RecallRelated {
    const NAME: &'static str = "recall_related";
    const TITLE: &'static str = "Answer across related facts";
    const DESCRIPTION: &'static str = "Ask how things are connected, such as who owns the service that uses \
        a database; like recall.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = Answered;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Answered>, Stop> {
        let categories = answering::categories(&cx, "");
        let basis = answering::basis(&cx, &args.question, &categories, History::Leave).await?;
        let answer = answering::answer(&cx, &args.question, &basis).await?;
        Ok(Done::read(Answered { answer, grounds: None }, asked(&args.question)))
    }
}
