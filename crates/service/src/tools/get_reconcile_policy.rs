//! Whose word counts in a space.

use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, PolicyMode, SourcePolicy, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

pub(crate) struct GetReconcilePolicy;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for GetReconcilePolicy {
    const NAME: &'static str = "get_reconcile_policy";
    const TITLE: &'static str = "Show the source policy";
    const DESCRIPTION: &'static str = "Show how the space decides when two sources disagree.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = PolicyShown;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done<PolicyShown>, Stop> {
        let policy = cx.service.store.policy_get(&cx.call.caller, &cx.space).await?;
        let detail = policy.mode.word();
        Ok(Done::read(PolicyShown(policy), detail))
    }
}

#[derive(Debug)]
pub struct PolicyShown(pub SourcePolicy);

impl fmt::Display for PolicyShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source policy: {}", described(&self.0))
    }
}

/// The mode, what it means, and the ranks where they count.
pub(super) fn described(policy: &SourcePolicy) -> String {
    let meaning = match policy.mode {
        PolicyMode::Recency => "the newer statement wins, whoever makes it.",
        PolicyMode::Authority => {
            "a source changes another's fact only when it ranks higher; otherwise it is flagged."
        }
        PolicyMode::Review => "a change by another source is always flagged for review.",
    };
    let mut lines = vec![format!("{} — {meaning}", policy.mode.word())];
    lines.extend(policy.authority.iter().map(|(source, rank)| format!("  {source}: {rank}")));
    lines.join("\n")
}
