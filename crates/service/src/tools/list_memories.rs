//! What a space holds.

use crate::args::{Takes, Whole};
use crate::outcome::{Done, Stop};
use crate::render::pair;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) struct ListMemories;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// 0 is all.
    #[serde(default = "none")]
    limit: Whole,
    /// The last id of the page before.
    #[serde(default = "none")]
    after: Whole,
}

fn none() -> Whole {
    Whole(0)
}

const EMPTY: &str = "(no memories yet)";

impl Tool for ListMemories {
    const NAME: &'static str = "list_memories";
    const TITLE: &'static str = "List memories";
    const DESCRIPTION: &'static str = "List the current facts with their ids, then those that are flagged, \
        then the most recently retired.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        let (service, caller) = (cx.service, &cx.call.caller);
        let most = match usize::try_from(args.limit.0) {
            Ok(0) => usize::MAX,
            Ok(limit) => limit,
            Err(_) => return Err(Stop::refused("Argument 'limit' must be 0, which is all, or more.")),
        };
        let open = service.spaces.current(&service.store, caller, &cx.space).await?;
        let (active, more, flagged) = {
            let open = open.read();
            let mut behind = open.index.iter().filter(|f| f.id > args.after.0);
            let active: Vec<Arc<Fact>> = behind.by_ref().take(most).cloned().collect();
            (active, behind.count(), open.flagged.values().cloned().collect::<Vec<_>>())
        };
        let mut sections = Vec::new();
        let mut standing: Vec<String> =
            active.iter().map(|f| format!("• {}  (#{})", pair(&f.subject, &f.value), f.id)).collect();
        let detail = format!("{} active, {} flagged", active.len() + more, flagged.len());
        if let (Some(last), true) = (active.last(), more > 0) {
            // What is flagged and what has gone stand once, at the end of the last page.
            standing.push(format!("{more} more: list_memories with after = {} goes on.", last.id));
            return Ok(Done::read(standing.join("\n"), detail));
        }
        standing.extend(
            flagged.iter().map(|f| {
                format!("⚠ {}  (#{}, flagged — needs confirmation)", pair(&f.subject, &f.value), f.id)
            }),
        );
        let retired = service.store.facts_retired(caller, &cx.space, limits::RETIRED_SHOWN).await?;
        if !standing.is_empty() {
            sections.push(standing.join("\n"));
        }
        if !retired.is_empty() {
            let mut lines = vec!["— history (superseded / retracted / archived) —".to_owned()];
            lines.extend(
                retired.iter().map(|f| format!("  ◦ {}  [{}]", pair(&f.subject, &f.value), f.status)),
            );
            sections.push(lines.join("\n"));
        }
        let text = if sections.is_empty() { EMPTY.to_owned() } else { sections.join("\n\n") };
        Ok(Done::read(text, detail))
    }
}
