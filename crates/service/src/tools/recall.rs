//! Answers a question from what is true now.

use crate::answering::{self, Basis, History};
use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct Recall;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    question: String,
    /// List the facts behind the answer.
    #[serde(default)]
    explain: bool,
    /// Retired facts as well, for questions about the past.
    #[serde(default)]
    include_history: bool,
    /// Comma-separated categories of which no fact is left out; empty: the deployment's.
    #[serde(default)]
    critical_categories: String,
}

impl Tool for Recall {
    const NAME: &'static str = "recall";
    const TITLE: &'static str = "Answer from memory";
    const DESCRIPTION: &'static str = "Ask a question and get an answer from what holds now. Use it before \
        you ask the user what they may have told you.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        let categories = answering::categories(&cx, &args.critical_categories);
        let history = if args.include_history { History::Include } else { History::Leave };
        let basis = answering::basis(&cx, &args.question, &categories, history).await?;
        let answer = answering::answer(&cx, &args.question, &basis).await?;
        let text = if args.explain { explained(&answer, &basis) } else { answer };
        Ok(Done::read(text, asked(&args.question)))
    }
}

/// What the audit log keeps of a question.
pub(super) fn asked(question: &str) -> String {
    render::excerpt(question, 80)
}

fn explained(answer: &str, basis: &Basis) -> String {
    let active = basis.active.iter().map(|fact| render::provenance(fact, false));
    let lines: Vec<String> =
        active.chain(basis.retired.iter().map(|fact| render::provenance(fact, true))).collect();
    if lines.is_empty() {
        return format!("{answer}\n\n(no stored facts were used)");
    }
    format!("{answer}\n\nBased on these facts:\n{}", lines.join("\n"))
}
