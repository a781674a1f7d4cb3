//! Says whose word counts in a space.

use super::get_reconcile_policy::described;
use crate::args::{Whole, named};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, PolicyMode, SourcePolicy, Space, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

pub(crate) struct SetReconcilePolicy;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    #[serde(default = "recency")]
    mode: String,
    /// The rank of each source; one that is not listed has 0.
    #[serde(default)]
    authority: Option<BTreeMap<String, Whole>>,
}

fn recency() -> String {
    PolicyMode::Recency.word().to_owned()
}

impl Tool for SetReconcilePolicy {
    const NAME: &'static str = "set_reconcile_policy";
    const TITLE: &'static str = "Set the source policy";
    const DESCRIPTION: &'static str = "Choose who wins when two sources disagree. RECENCY: the newer \
        statement. AUTHORITY: the higher rank; others are flagged. REVIEW: nobody; it is flagged.";
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = PolicySet;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<PolicySet>, Stop> {
        let mode = PolicyMode::from_word(&args.mode).ok_or_else(|| {
            Stop::refused(format!("Argument 'mode': '{}' is none of RECENCY, AUTHORITY, REVIEW.", args.mode))
        })?;
        let ranks = args.authority.unwrap_or_default();
        if ranks.len() > limits::RANKED_SOURCES {
            return Err(Stop::refused(format!(
                "Argument 'authority' ranks {} sources; at most {} are taken.",
                ranks.len(),
                limits::RANKED_SOURCES
            )));
        }
        let mut authority = BTreeMap::new();
        for (source, rank) in ranks {
            authority.insert(named("authority", source)?.trim().to_lowercase(), rank.0);
        }
        let policy = SourcePolicy { mode, authority };
        cx.service.store.policy_set(cx.call.clone(), cx.space.clone(), policy.clone()).await?;
        Ok(Done::Committed(PolicySet(policy)))
    }
}

#[derive(Debug)]
pub struct PolicySet(pub SourcePolicy);

impl fmt::Display for PolicySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source policy set: {}", described(&self.0))
    }
}
