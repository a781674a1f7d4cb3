//! Gives one fact a new value, by its id.

use super::get_memory::unknown;
use crate::args::{Takes, Whole, worded};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, limits};
use reconcile::{Editor, Plan};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Edit, Planned};

pub(crate) struct UpdateMemory;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The number behind its #.
    memory_id: Whole,
    new_value: String,
}

impl Tool for UpdateMemory {
    const NAME: &'static str = "update_memory";
    const TITLE: &'static str = "Correct a memory";
    const DESCRIPTION: &'static str = "Give a current fact a new value by its id; the old one stays in \
        history. On a guarded slot it may wait for approval.";
    const CAPABILITY: Capability = Capability::Write;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Open;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        worded("new_value", &args.new_value, limits::VALUE_BYTES)?;
        let (service, caller, id) = (cx.service, &cx.call.caller, args.memory_id.0);
        let approves = caller.can(Capability::Approve) && !service.options.four_eyes;
        let editor = if approves { Editor::Approver } else { Editor::Writer };
        let slots = service.options.slots.clone();
        let edit = Edit { id, value: args.new_value, editor };
        let planned = service.store.fact_update(cx.call.clone(), cx.space.clone(), slots, edit).await?;
        service.embed_soon(caller, &cx.space).await;
        let text = match planned {
            Some(Planned { fact, plan: Ok(plan) }) => updated(&plan, id, &fact.value),
            Some(Planned { plan: Err(refusal), .. }) => format!("Not updated: {refusal}"),
            None => unknown(id),
        };
        Ok(Done::Committed { text })
    }
}

fn updated(plan: &Plan, id: i64, old: &str) -> String {
    let Some(outcome) = plan.outcomes.first() else { return unknown(id) };
    let new = outcome.id.unwrap_or(id);
    match outcome.action {
        Action::Dedup if new != id => {
            format!("Already awaiting approval as #{new}: '{old}' → '{}'.", outcome.value)
        }
        Action::Dedup => format!("Unchanged: #{id} already has the value '{old}'."),
        Action::Flag => format!(
            "Proposed #{new}, awaiting approval: {} '{old}' → '{}'. #{id} stays current until then.",
            outcome.subject, outcome.value
        ),
        _ => format!("Updated #{id}: '{old}' → '{}' (now #{new}; old kept in history).", outcome.value),
    }
}
