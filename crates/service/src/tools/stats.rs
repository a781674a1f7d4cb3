//! How much the deployment is used.

use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Counts, ToolCount};

pub(crate) struct Stats;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for Stats {
    const NAME: &'static str = "stats";
    const TITLE: &'static str = "Show usage";
    const DESCRIPTION: &'static str = "Show calls, failures and times of each tool and how often each \
        action was taken, across the deployment.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        if !cx.call.caller.tenant.is_default() {
            return Err(Stop::denied(
                "stats are deployment-wide, so only principals of the default tenant may read them.",
            ));
        }
        let counts = cx.service.store.counts().await?;
        Ok(Done::read(shown(&counts), "read"))
    }
}

fn shown(counts: &Counts) -> String {
    let mut lines = vec!["Tool calls:".to_owned()];
    lines.extend(counts.tools.iter().map(tool_line));
    lines.push("Actions:".to_owned());
    lines.extend(counts.actions.iter().map(|(action, total)| format!("  {action}: {total}")));
    lines.push(format!("Active principals: {}", counts.active_principals));
    lines.join("\n")
}

fn tool_line(count: &ToolCount) -> String {
    let average = count.average_ms();
    format!("  {}: {} call(s), {} failed, {average:.1} ms on average", count.tool, count.calls, count.errors)
}
