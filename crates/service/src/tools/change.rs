//! A person's word on a flagged or proposed change: `confirm_change` and `reject_change`.

use super::get_memory::unknown;
use crate::args::{Whole, named};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, FactId, Space};
use reconcile::{Approver, Outcome, Refusal};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
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
    type Place = Space;
    type Args = Args;
    type Reply = Decided;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Decided>, Stop> {
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
    type Place = Space;
    type Args = Args;
    type Reply = Decided;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Decided>, Stop> {
        decide(cx, args, ChangeVerdict::Reject).await
    }
}

async fn decide(cx: Context<'_>, args: Args, verdict: ChangeVerdict) -> Result<Done<Decided>, Stop> {
    let id = args.memory_id.0;
    let note = Some(named("decided_by", args.decided_by)?).filter(|note| !note.is_empty());
    let store = &cx.service.store;
    let decided = store.change_decide(cx.call.clone(), cx.space.clone(), FactId(id), verdict, note).await?;
    cx.service.embed_soon(&cx.call.caller, &cx.space).await;
    Ok(Done::Committed(Decided::of(FactId(id), verdict, decided)))
}

/// What became of a change that waited.
#[derive(Debug)]
pub enum Decided {
    Unknown(FactId),
    Approved {
        id: FactId,
        applied: Outcome,
    },
    Rejected {
        id: FactId,
        proposed: Outcome,
    },
    /// Under four eyes: the caller proposed it, so another one must approve it.
    OwnProposal(Refusal),
    NotApplied(Refusal),
}

impl Decided {
    fn of(id: FactId, verdict: ChangeVerdict, decided: Option<Planned>) -> Self {
        let Some(decided) = decided else { return Self::Unknown(id) };
        let plan = match decided.plan {
            Ok(plan) => plan,
            Err(own @ Refusal::OwnProposal { .. }) => return Self::OwnProposal(own),
            Err(refusal) => return Self::NotApplied(refusal),
        };
        match (plan.outcomes.into_iter().next(), verdict) {
            (None, _) => Self::Unknown(id),
            (Some(applied), ChangeVerdict::Confirm(_)) => Self::Approved { id, applied },
            (Some(proposed), ChangeVerdict::Reject | ChangeVerdict::Withdraw) => {
                Self::Rejected { id, proposed }
            }
        }
    }
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(id) => f.write_str(&unknown(*id)),
            Self::Approved { id, applied } => {
                let pair = render::pair(&applied.subject, &applied.value);
                write!(f, "Approved #{id}: {} {pair}", applied.action)
            }
            Self::Rejected { id, proposed } => {
                let pair = render::pair(&proposed.subject, &proposed.value);
                write!(f, "Rejected #{id}: {pair}. The current value stays; the proposal is in history.")
            }
            Self::OwnProposal(refusal) => write!(f, "Access denied: {refusal}"),
            Self::NotApplied(refusal) => write!(f, "Nothing was changed: {refusal}"),
        }
    }
}
