//! The decisions of a user, each checked as it is listed.

use super::explain_decision::Explanation;
use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::place::User;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, FactId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::EvidenceList;

pub(crate) struct ListDecisions;

/// As many as one page shows.
pub(super) const MOST: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Only those with a lower number; 0 is all.
    #[serde(default = "none")]
    before: Whole,
    /// Only those that rest on this fact; 0 is all.
    #[serde(default = "none")]
    memory_id: Whole,
}

pub(super) fn none() -> Whole {
    Whole(0)
}

impl Tool for ListDecisions {
    const NAME: &'static str = "list_decisions";
    const TITLE: &'static str = "List decisions";
    const DESCRIPTION: &'static str = "List the recorded decisions of a user_id, the latest first, with whether each \
        record is intact.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = User;
    type Args = Args;
    type Reply = DecisionList;

    async fn run(cx: Context<'_, User>, args: Args) -> Result<Done<DecisionList>, Stop> {
        let (store, caller) = (&cx.service.store, &cx.call.caller);
        let given = |number: Whole| Some(number.0).filter(|number| *number > 0);
        let list = EvidenceList {
            user_id: cx.space.id().to_owned(),
            before: given(args.before),
            rest_on: given(args.memory_id).map(FactId),
            most: MOST + 1,
        };
        let mut ids = store.decision_list(caller, list).await?;
        let has_more = ids.len() > MOST;
        ids.truncate(MOST);
        let mut decisions = Vec::with_capacity(ids.len());
        for id in ids {
            let found = store.decision_explain(caller, cx.space.id(), id).await?;
            decisions.push(Explanation { id, found });
        }
        let detail = format!("{} decision(s)", decisions.len());
        Ok(Done::read(DecisionList { decisions, has_more }, detail))
    }
}

#[derive(Debug)]
pub struct DecisionList {
    pub decisions: Vec<Explanation>,
    pub has_more: bool,
}

impl fmt::Display for DecisionList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.decisions.is_empty() {
            return f.write_str("No decisions in this scope.");
        }
        let texts: Vec<String> = self.decisions.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("\n\n"))
    }
}
