//! How calls, their times and what is held went over the last day.

use super::stats::of_deployment;
use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use crate::usage_history::UsageSample;
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

pub(crate) struct UsageOverTime;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for UsageOverTime {
    const NAME: &'static str = "usage_over_time";
    const TITLE: &'static str = "Show usage over time";
    const DESCRIPTION: &'static str = "Show how many calls there were, how long they took and how much is held, minute by \
        minute while this process ran, for a day at most.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = UsageSamples;

    async fn run(cx: Context<'_, NoSpace>, _: Args) -> Result<Done<UsageSamples>, Stop> {
        of_deployment(&cx)?;
        let samples = cx.service.usage.up_to_now(&cx.service.store).await?;
        Ok(Done::read(UsageSamples(samples), "read"))
    }
}

/// Oldest first; the last one is now.
#[derive(Debug)]
pub struct UsageSamples(pub Vec<UsageSample>);

impl fmt::Display for UsageSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |s: &UsageSample| {
            format!(
                "{}  {} call(s), {} failed, {} fact(s), {} byte(s)",
                s.at, s.calls, s.failed, s.facts, s.bytes
            )
        };
        f.write_str(&self.0.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}
