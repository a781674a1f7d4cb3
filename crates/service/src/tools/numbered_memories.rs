//! Facts by their numbers, whichever memory within the caller's scope they are in.

use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::render::pair;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, FactId, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

pub(crate) struct NumberedMemories;

/// As many as one page speaks of, and to spare.
const MOST: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The numbers behind a #.
    memory_ids: Vec<Whole>,
}

impl Tool for NumberedMemories {
    const NAME: &'static str = "numbered_memories";
    const TITLE: &'static str = "Show memories by their numbers";
    const DESCRIPTION: &'static str = "Show facts by their ids, with the memory that each is in; those that are gone or out \
        of scope are left out.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = PlacedMemories;

    async fn run(cx: Context<'_, NoSpace>, args: Args) -> Result<Done<PlacedMemories>, Stop> {
        if args.memory_ids.len() > MOST {
            return Err(Stop::refused(format!("Argument 'memory_ids' takes at most {MOST} numbers.")));
        }
        let caller = &cx.call.caller;
        let ids = args.memory_ids.iter().map(|id| FactId(id.0)).collect();
        let mut facts = cx.service.store.facts_numbered(caller, ids).await?;
        facts.retain(|(space, _)| caller.reaches(&space.user_id));
        let shown: Vec<String> = facts.iter().map(|(_, fact)| format!("#{}", fact.id)).collect();
        Ok(Done::read(PlacedMemories(facts), shown.join(" ")))
    }
}

/// Facts with the memories that they are in, in the order of their numbers.
#[derive(Debug)]
pub struct PlacedMemories(pub Vec<(Space, Fact)>);

impl fmt::Display for PlacedMemories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("No such memories.");
        }
        let line = |(space, fact): &(Space, Fact)| {
            format!("#{} {}  [{}]  in {space}", fact.id, pair(&fact.subject, &fact.value), fact.status)
        };
        f.write_str(&self.0.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}
