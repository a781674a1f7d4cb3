//! What a space holds.

use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::render::pair;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, limits};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct ListMemories;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for ListMemories {
    const NAME: &'static str = "list_memories";
    const TITLE: &'static str = "List memories";
    const DESCRIPTION: &'static str = "List the current facts of a space with their ids, then the flagged ones that \
        need a decision, then the most recently retired ones.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        let (service, caller) = (cx.service, &cx.call.caller);
        let open = service.spaces.current(&service.store, caller, &cx.space).await?;
        let (active, flagged) = {
            let open = open.read();
            let active: Vec<String> =
                open.index.iter().map(|f| format!("• {}  (#{})", pair(&f.subject, &f.value), f.id)).collect();
            let flagged: Vec<String> = open
                .flagged
                .values()
                .map(|f| {
                    format!("⚠ {}  (#{}, flagged — needs confirmation)", pair(&f.subject, &f.value), f.id)
                })
                .collect();
            (active, flagged)
        };
        let retired = service.store.facts_retired(caller, &cx.space, limits::RETIRED_SHOWN).await?;
        let detail = format!("{} active, {} flagged", active.len(), flagged.len());
        let mut sections = Vec::new();
        let standing: Vec<String> = active.into_iter().chain(flagged).collect();
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
        let text = if sections.is_empty() { "(no memories yet)".to_owned() } else { sections.join("\n\n") };
        Ok(Done::read(text, detail))
    }
}
