//! What waits for a person's decision.

use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, FactId, Pending};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) struct PendingChanges;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

const NONE: &str = "No changes are waiting for approval.";

/// How much of a statement stands in one line of the list.
const WORDS_SHOWN: usize = 120;

impl Tool for PendingChanges {
    const NAME: &'static str = "pending_changes";
    const TITLE: &'static str = "List pending changes";
    const DESCRIPTION: &'static str = "List the changes to guarded slots that wait for approval, each with its id, the \
        current and the proposed value, who said it and in which words.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        let service = cx.service;
        let open = service.spaces.current(&service.store, &cx.call.caller, &cx.space).await?;
        let (lines, flagged) = {
            let open = open.read();
            let current = |id: FactId| open.index.get(id).cloned();
            let lines: Vec<String> = open
                .flagged
                .values()
                .filter_map(|fact| Some((fact, fact.pending.as_ref().filter(|pending| pending.gated)?)))
                .map(|(fact, pending)| line(fact, pending, pending.target.and_then(current)))
                .collect();
            (lines, open.flagged.len())
        };
        let detail = format!("{} pending", lines.len());
        let text = match (lines.is_empty(), flagged) {
            (false, _) => lines.join("\n"),
            (true, 0) => NONE.to_owned(),
            (true, flagged) => format!("{NONE} Flagged as doubtful: {flagged}; list_memories shows them."),
        };
        Ok(Done::read(text, detail))
    }
}

fn line(fact: &Fact, pending: &Pending, target: Option<Arc<Fact>>) -> String {
    let asserted_by = fact.metadata.get("asserted_by").and_then(serde_json::Value::as_str);
    let who = fact.source.as_deref().or(asserted_by).unwrap_or("unknown");
    let words = render::excerpt(&fact.text, WORDS_SHOWN);
    let (id, subject, value) = (fact.id, &fact.subject, &fact.value);
    let stands = pending.target.is_none()
        || target.is_some_and(|held| Some(&held.value) == pending.target_value.as_ref());
    let stale = if stands { "" } else { "  (stale: what it would change is no longer current)" };
    let said = format!("said by {who}: \"{words}\"{stale}");
    match (pending.action, &pending.target_value) {
        (Action::Retract, _) => format!("#{id} REMOVE {subject}: '{value}'  — {said}"),
        (_, Some(old)) => format!("#{id} REPLACE {subject}: '{old}' → '{value}'  — {said}"),
        (_, None) => {
            format!("#{id} REPLACE {subject}: (nothing in scope {}) → '{value}'  — {said}", fact.scope)
        }
    }
}
