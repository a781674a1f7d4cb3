//! Every value that a subject has had.

use crate::args::{Takes, worded};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, Status, limits};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct History;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// As list_memories shows it.
    subject: String,
}

impl Tool for History {
    const NAME: &'static str = "history";
    const TITLE: &'static str = "History of a subject";
    const DESCRIPTION: &'static str = "List every value that a subject has had, oldest first, with what \
        became of it.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        worded("subject", &args.subject, limits::SUBJECT_BYTES)?;
        let facts =
            cx.service.store.fact_history(&cx.call.caller, &cx.space, cx.subject(&args.subject)).await?;
        let text = if facts.is_empty() {
            format!("No history for '{}'.", args.subject)
        } else {
            let values = facts.iter().flat_map(values).enumerate();
            let lines = values.map(|(n, (value, status))| format!("\n  {}. {value}  [{status}]", n + 1));
            format!("History for '{}' (oldest → newest):{}", args.subject, lines.collect::<String>())
        };
        Ok(Done::read(text, args.subject))
    }
}

/// What the fact has said: a value that a refinement replaced comes before the one that it became.
fn values(fact: &Fact) -> impl Iterator<Item = (&str, Status)> {
    let earlier = fact.earlier.iter().map(|earlier| (earlier.value.as_str(), Status::Superseded));
    earlier.chain([(fact.value.as_str(), fact.status)])
}
