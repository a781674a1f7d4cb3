//! One fact in full.

use crate::args::{Takes, Whole};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, Kind, Pending};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct GetMemory;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The number behind the # in other replies.
    memory_id: Whole,
}

impl Tool for GetMemory {
    const NAME: &'static str = "get_memory";
    const TITLE: &'static str = "Show one memory";
    const DESCRIPTION: &'static str = "Show one fact by its id: value, status, scope, confidence, \
        source, what it replaced, what confirming it would do where it is flagged, and its metadata.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        let id = args.memory_id.0;
        let fact = cx.service.store.fact_get(&cx.call.caller, &cx.space, id).await?;
        Ok(Done::read(fact.map_or_else(|| unknown(id), |fact| shown(&fact)), format!("#{id}")))
    }
}

pub(super) fn unknown(id: i64) -> String {
    format!("No memory with id #{id}.")
}

fn shown(fact: &Fact) -> String {
    let kind = match fact.kind {
        Kind::State => "state",
        Kind::Event => "event",
    };
    let mut lines = vec![
        format!("#{} {}", fact.id, render::pair(&fact.subject, &fact.value)),
        format!("  status: {}", fact.status),
        format!("  scope: {}", fact.scope),
        format!("  confidence: {}", render::confidence(fact.confidence)),
        format!("  kind: {kind}"),
    ];
    lines.extend(fact.source.iter().map(|source| format!("  source: {source}")));
    lines.extend(fact.supersedes.iter().map(|id| format!("  supersedes: #{id}")));
    lines.extend(fact.earlier.iter().map(|e| format!("  refined from: {} (until {})", e.value, e.until)));
    lines.extend(fact.pending.iter().map(|pending| format!("  if confirmed: {}", effect(fact, pending))));
    lines.push(format!("  stored: {}", fact.created));
    let metadata = serde_json::Value::Object(fact.metadata.clone());
    lines.push(format!("  metadata: {metadata}"));
    lines.join("\n")
}

/// What a flagged fact waits to do.
fn effect(fact: &Fact, pending: &Pending) -> String {
    let value = &fact.value;
    match (pending.action, &pending.target_value) {
        (Action::Retract, _) => format!("'{value}' is removed"),
        (_, Some(old)) if old != value => format!("'{value}' takes the place of '{old}'"),
        _ => format!("'{value}' becomes current"),
    }
}
