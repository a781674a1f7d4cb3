//! How much the deployment is used.

use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::Counts;

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
    type Place = NoSpace;
    type Args = Args;
    type Reply = Usage;

    async fn run(cx: Context<'_, NoSpace>, _: Args) -> Result<Done<Usage>, Stop> {
        of_deployment(&cx)?;
        Ok(Done::read(Usage(cx.service.store.counts().await?), "read"))
    }
}

/// What is counted is counted for all tenants together.
pub(super) fn of_deployment(cx: &Context<'_, NoSpace>) -> Result<(), Stop> {
    if cx.call.caller.tenant.is_default() {
        return Ok(());
    }
    Err(Stop::denied("stats are deployment-wide, so only principals of the default tenant may read them."))
}

#[derive(Debug)]
pub struct Usage(pub Counts);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.0;
        writeln!(f, "Tool calls:")?;
        for count in &counts.tools {
            let (tool, calls, failed, average) = (&count.tool, count.calls, count.errors, count.average_ms());
            writeln!(f, "  {tool}: {calls} call(s), {failed} failed, {average:.1} ms on average")?;
        }
        writeln!(f, "Actions:")?;
        for (action, total) in &counts.actions {
            writeln!(f, "  {action}: {total}")?;
        }
        write!(f, "Active principals: {}", counts.active_principals)
    }
}
