//! One fact in full.

use crate::args::{Takes, Whole};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, FactKind, Pending, Status};
use reconcile::slot_key;
use schemars::JsonSchema;
use serde::Deserialize;

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
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        let id = args.memory_id.0;
        let fact = cx.service.store.fact_get(&cx.call.caller, &cx.space, id).await?;
        let Some(fact) = fact else { return Ok(Done::read(unknown(id), format!("#{id}"))) };
        let stands = match &fact.pending {
            Some(pending) => standing(&cx, &fact, pending).await?,
            None => None,
        };
        Ok(Done::read(shown(&fact, stands.as_ref()), format!("#{id}")))
    }
}

/// What a flagged fact would change: its target if that is current, else what has its place.
async fn standing(cx: &Context<'_>, flag: &Fact, pending: &Pending) -> Result<Option<Fact>, Stop> {
    let store = &cx.service.store;
    if let Some(target) = pending.target {
        let target = store.fact_get(&cx.call.caller, &cx.space, target).await?;
        if let Some(target) = target.filter(|fact| fact.status == Status::Active) {
            return Ok(Some(target));
        }
    }
    if pending.action == Action::Retract {
        return Ok(None);
    }
    let place = slot_key(&Fact { status: Status::Active, ..flag.clone() });
    let facts = store.facts_standing(&cx.call.caller, &cx.space, &flag.subject).await?;
    Ok(facts.into_iter().find(|fact| place.is_some() && slot_key(fact) == place))
}

pub(super) fn unknown(id: i64) -> String {
    format!("No memory with id #{id}.")
}

fn shown(fact: &Fact, stands: Option<&Fact>) -> String {
    let kind = match fact.kind {
        FactKind::State => "state",
        FactKind::Event => "event",
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
    lines.extend(
        fact.pending.iter().map(|pending| format!("  if confirmed: {}", effect(fact, pending, stands))),
    );
    lines.push(format!("  stored: {}", fact.created));
    let metadata = serde_json::Value::Object(fact.metadata.clone());
    lines.push(format!("  metadata: {metadata}"));
    lines.join("\n")
}

/// What a flagged fact waits to do to what stands.
fn effect(fact: &Fact, pending: &Pending, stands: Option<&Fact>) -> String {
    let value = &fact.value;
    let as_proposed = stands.map(|held| &held.value) == pending.target_value.as_ref();
    match (pending.action, stands) {
        (Action::Retract, None) => "nothing, since what it would remove is no longer current".to_owned(),
        _ if pending.gated && !as_proposed => {
            "nothing, since what it would change is no longer current".to_owned()
        }
        (Action::Retract, Some(held)) => format!("'{}' is removed", held.value),
        (_, Some(held)) if held.value != *value => format!("'{value}' takes the place of '{}'", held.value),
        _ => format!("'{value}' becomes current"),
    }
}
