//! Gives one fact a new value, by its id.

use super::get_memory::unknown;
use crate::args::{Whole, worded};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, FactId, Identity, Space, limits};
use reconcile::{Editor, Refusal};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
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
    type Place = Space;
    type Args = Args;
    type Reply = MemoryUpdate;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<MemoryUpdate>, Stop> {
        worded("new_value", &args.new_value, limits::VALUE_BYTES)?;
        let (service, caller, id) = (cx.service, &cx.call.caller, args.memory_id.0);
        let approves = caller.can(Capability::Approve) && !service.options.four_eyes;
        let editor = if approves { Editor::Approver } else { Editor::Writer };
        let slots = service.options.slots.clone();
        let limits = service.options.quotas.storage.limits(caller);
        let source = match &caller.identity {
            Identity::Principal(principal) => Some(principal.name.clone()),
            _ => None,
        };
        let edit = Edit { id: FactId(id), value: args.new_value, editor, source, limits };
        let planned = service.store.fact_update(cx.call.clone(), cx.space.clone(), slots, edit).await?;
        service.embed_soon(caller, &cx.space).await;
        Ok(Done::Committed(MemoryUpdate::of(FactId(id), planned)))
    }
}

/// What became of a new value for the fact `id`.
#[derive(Debug)]
pub enum MemoryUpdate {
    Unknown(FactId),
    NotUpdated(Refusal),
    Unchanged {
        id: FactId,
        value: String,
    },
    /// The same change waits already, as `waiting`.
    AlreadyProposed {
        waiting: FactId,
        old: String,
        new: String,
    },
    /// It waits for approval, as `waiting`.
    Proposed {
        id: FactId,
        waiting: FactId,
        subject: String,
        old: String,
        new: String,
    },
    Updated {
        id: FactId,
        now: FactId,
        old: String,
        new: String,
    },
}

impl MemoryUpdate {
    fn of(id: FactId, planned: Option<Planned>) -> Self {
        let Some(Planned { fact, plan }) = planned else { return Self::Unknown(id) };
        let outcome = match plan {
            Ok(plan) => plan.outcomes.into_iter().next(),
            Err(refusal) => return Self::NotUpdated(refusal),
        };
        let Some(outcome) = outcome else { return Self::Unknown(id) };
        let (now, old, new) = (outcome.id.unwrap_or(id), fact.value, outcome.value);
        match outcome.action {
            Action::Dedup if now != id => Self::AlreadyProposed { waiting: now, old, new },
            Action::Dedup => Self::Unchanged { id, value: old },
            Action::Flag => Self::Proposed { id, waiting: now, subject: outcome.subject, old, new },
            _ => Self::Updated { id, now, old, new },
        }
    }
}

impl fmt::Display for MemoryUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(id) => f.write_str(&unknown(*id)),
            Self::NotUpdated(refusal) => write!(f, "Not updated: {refusal}"),
            Self::Unchanged { id, value } => write!(f, "Unchanged: #{id} already has the value '{value}'."),
            Self::AlreadyProposed { waiting, old, new } => {
                write!(f, "Already awaiting approval as #{waiting}: '{old}' → '{new}'.")
            }
            Self::Proposed { id, waiting, subject, old, new } => write!(
                f,
                "Proposed #{waiting}, awaiting approval: {subject} '{old}' → '{new}'. #{id} stays current until then."
            ),
            Self::Updated { id, now, old, new } => {
                write!(f, "Updated #{id}: '{old}' → '{new}' (now #{now}; old kept in history).")
            }
        }
    }
}
