//! One fact in full.

use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, FactId, Pending, Space};
use reconcile::{is_stale, needs_of, standing};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

pub(crate) struct GetMemory;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The number behind a #.
    memory_id: Whole,
}

impl Tool for GetMemory {
    const NAME: &'static str = "get_memory";
    const TITLE: &'static str = "Show one memory";
    const DESCRIPTION: &'static str = "Show one fact by its id: status, scope, confidence, source, \
        metadata, and what confirming it would do.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = MemoryShown;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<MemoryShown>, Stop> {
        let id = args.memory_id.0;
        let fact = cx.service.store.fact_get(&cx.call.caller, &cx.space, FactId(id)).await?;
        let shown = match fact {
            None => MemoryShown::Unknown(FactId(id)),
            Some(fact) => {
                let if_confirmed = if_confirmed(&cx, &fact).await?;
                MemoryShown::Found { fact: Box::new(fact), if_confirmed }
            }
        };
        Ok(Done::read(shown, format!("#{id}")))
    }
}

/// What confirming the fact would do, where it waits for that.
async fn if_confirmed(cx: &Context<'_>, fact: &Fact) -> Result<Option<IfConfirmed>, Stop> {
    let Some(pending) = &fact.pending else { return Ok(None) };
    let store = &cx.service.store;
    let bearing = store.facts_bearing(&cx.call.caller, &cx.space, needs_of(fact)).await?;
    Ok(Some(IfConfirmed::of(fact, pending, &standing(fact, pending, &bearing))))
}

/// A fact, or that there is none of that number.
#[derive(Debug)]
pub enum MemoryShown {
    Unknown(FactId),
    Found { fact: Box<Fact>, if_confirmed: Option<IfConfirmed> },
}

/// What a flagged fact waits to do to what is current.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IfConfirmed {
    /// What it would change has changed meanwhile.
    NothingToChange,
    /// What it would remove has gone meanwhile.
    NothingToRemove,
    Removes {
        old: String,
    },
    Replaces {
        old: String,
        new: String,
    },
    Adds {
        new: String,
    },
}

impl IfConfirmed {
    fn of(fact: &Fact, pending: &Pending, standing: &[&Fact]) -> Self {
        let new = fact.value.clone();
        let values: Vec<&str> = standing.iter().map(|held| held.value.as_str()).collect();
        let old = (!values.is_empty()).then(|| values.join("', '"));
        match (pending.action, old) {
            (Action::Retract, None) => Self::NothingToRemove,
            _ if is_stale(pending, standing) => Self::NothingToChange,
            (Action::Retract, Some(old)) => Self::Removes { old },
            (_, Some(old)) if old != new => Self::Replaces { old, new },
            _ => Self::Adds { new },
        }
    }
}

impl fmt::Display for IfConfirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToChange => f.write_str("nothing, since what it would change is no longer current"),
            Self::NothingToRemove => f.write_str("nothing, since what it would remove is no longer current"),
            Self::Removes { old } => write!(f, "'{old}' is removed"),
            Self::Replaces { old, new } => write!(f, "'{new}' takes the place of '{old}'"),
            Self::Adds { new } => write!(f, "'{new}' becomes current"),
        }
    }
}

impl fmt::Display for MemoryShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fact, if_confirmed) = match self {
            Self::Unknown(id) => return f.write_str(&unknown(*id)),
            Self::Found { fact, if_confirmed } => (fact, if_confirmed),
        };
        let mut lines = vec![
            format!("#{} {}", fact.id, render::pair(&fact.subject, &fact.value)),
            format!("  status: {}", fact.status),
            format!("  scope: {}", fact.scope),
            format!("  confidence: {}", render::confidence(fact.confidence)),
            format!("  kind: {}", fact.kind.word()),
        ];
        lines.extend(fact.source.iter().map(|source| format!("  source: {source}")));
        lines.extend(fact.supersedes.iter().map(|id| format!("  supersedes: #{id}")));
        lines.extend(fact.earlier.iter().map(|e| format!("  refined from: {} (until {})", e.value, e.until)));
        lines.extend(if_confirmed.iter().map(|effect| format!("  if confirmed: {effect}")));
        lines.extend(fact.times.said.iter().map(|said| format!("  said: {said}")));
        lines.extend(fact.times.from.iter().map(|from| format!("  holds since: {from}")));
        lines.extend(fact.times.until.iter().map(|until| format!("  holds until: {until}")));
        lines.extend(fact.times.ended.iter().map(|ended| format!("  ended: {ended}")));
        lines.push(format!("  stored: {}", fact.created));
        let metadata = serde_json::Value::Object(fact.metadata.clone());
        lines.push(format!("  metadata: {metadata}"));
        f.write_str(&lines.join("\n"))
    }
}

pub(super) fn unknown(id: FactId) -> String {
    format!("No memory with id #{id}.")
}
