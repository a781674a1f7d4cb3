//! A person's word on a flagged or proposed change: `confirm_change` and `reject_change`.

use super::get_memory::unknown;
use crate::args::{Takes, Whole, named};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use reconcile::{Approver, Refusal};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{ChangeVerdict, Planned};

pub(crate) struct ConfirmChange;
pub(crate) struct RejectChange;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// As pending_changes shows it.
    memory_id: Whole,
    /// A note on who decided, beside the caller.
    #[serde(default)]
    decided_by: String,
}

impl Tool for ConfirmChange {
    const NAME: &'static str = "confirm_change";
    const TITLE: &'static str = "Approve a change";
    const DESCRIPTION: &'static str = "Apply a flagged or proposed change. Only on a person's explicit word.";
    const CAPABILITY: Capability = Capability::Approve;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        let approver = if cx.service.options.four_eyes { Approver::NotTheProposer } else { Approver::Anyone };
        decide(cx, args, ChangeVerdict::Confirm(approver)).await
    }
}

impl Tool for RejectChange {
    const NAME: &'static str = "reject_change";
    const TITLE: &'static str = "Reject a change";
    const DESCRIPTION: &'static str = "Turn down a flagged or proposed change; the current value stays.";
    const CAPABILITY: Capability = Capability::Approve;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        decide(cx, args, ChangeVerdict::Reject).await
    }
}

async fn decide(cx: Context<'_>, args: Args, verdict: ChangeVerdict) -> Result<Done, Stop> {
    let id = args.memory_id.0;
    let note = Some(named("decided_by", args.decided_by)?).filter(|note| !note.is_empty());
    let store = &cx.service.store;
    let decided = store.change_decide(cx.call.clone(), cx.space.clone(), id, verdict, note).await?;
    cx.service.embed_soon(&cx.call.caller, &cx.space).await;
    Ok(Done::Committed { text: reply(id, verdict, decided) })
}

fn reply(id: i64, verdict: ChangeVerdict, decided: Option<Planned>) -> String {
    let Some(decided) = decided else { return unknown(id) };
    let plan = match decided.plan {
        Ok(plan) => plan,
        Err(own @ Refusal::OwnProposal { .. }) => return format!("Access denied: {own}"),
        Err(refusal) => return format!("Nothing was changed: {refusal}"),
    };
    let Some(outcome) = plan.outcomes.first() else { return unknown(id) };
    let pair = render::pair(&outcome.subject, &outcome.value);
    match verdict {
        ChangeVerdict::Confirm(_) => format!("Approved #{id}: {} {pair}", outcome.action),
        ChangeVerdict::Reject => {
            format!("Rejected #{id}: {pair}. The current value stays; the proposal is in history.")
        }
    }
}
