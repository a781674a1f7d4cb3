//! Every value that a subject has had.

use crate::args::{Takes, worded};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, limits};
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
            let lines: Vec<String> = facts.iter().enumerate().map(|(n, fact)| line(n + 1, fact)).collect();
            format!("History for '{}' (oldest → newest):\n{}", args.subject, lines.join("\n"))
        };
        Ok(Done::read(text, args.subject))
    }
}

/// Values that a refinement replaced stand behind the value that they became.
fn line(number: usize, fact: &Fact) -> String {
    let earlier: Vec<&str> = fact.earlier.iter().map(|e| e.value.as_str()).collect();
    let refined = if earlier.is_empty() {
        String::new()
    } else {
        format!("  (refined from: {})", earlier.join(" → "))
    };
    format!("  {number}. {}  [{}]{refined}", fact.value, fact.status)
}
