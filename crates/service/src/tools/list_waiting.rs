//! What waits for a person's decision, page by page.

use super::pending_changes::{Part, PendingList, listed};
use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::place::OneOrAll;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct ListWaiting;

/// As many as one page shows.
const MOST: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// With user_id '*': of the spaces in which something waits, how many to pass over.
    #[serde(default = "none")]
    passed_spaces: Whole,
    /// How many changes to pass over in the spaces after those.
    #[serde(default = "none")]
    offset: Whole,
    #[serde(default = "fifty")]
    limit: Whole,
}

fn none() -> Whole {
    Whole(0)
}

fn fifty() -> Whole {
    Whole(50)
}

impl Tool for ListWaiting {
    const NAME: &'static str = "list_waiting";
    const TITLE: &'static str = "List what waits, page by page";
    const DESCRIPTION: &'static str =
        "List what waits for a person's decision, changes to guarded slots first, so many at a time.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = OneOrAll;
    type Args = Args;
    type Reply = PendingList;

    async fn run(cx: Context<'_, OneOrAll>, args: Args) -> Result<Done<PendingList>, Stop> {
        let number = |whole: Whole| usize::try_from(whole.0).unwrap_or(0);
        let part = Part {
            passed_spaces: number(args.passed_spaces),
            passed: number(args.offset),
            most: number(args.limit).clamp(1, MOST),
        };
        listed(&cx, part).await
    }
}
