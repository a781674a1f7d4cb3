//! Takes the facts out of a statement and reconciles each with what is held.

use crate::args::{Takes, named, worded};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, Identity, Metadata, limits};
use model::Extract;
use reconcile::{Outcome, Plan, Trust};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Intent, Record, Said};

pub(crate) struct Remember;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// What was said, in plain words; one or several facts.
    text: String,
    /// Kept with every fact of this statement. `category` marks facts as critical where the deployment says so.
    #[serde(default)]
    metadata: Option<Metadata>,
    /// Who or what says so. Decides under the space's source policy.
    #[serde(default)]
    source: String,
}

impl Tool for Remember {
    const NAME: &'static str = "remember";
    const TITLE: &'static str = "Remember a statement";
    const DESCRIPTION: &'static str = "Store what you have just learned and will need later: decisions, preferences, \
        states of things, who does what. Say it in plain words. Each fact is reconciled with what is held: a new value \
        replaces the old one, a removal retracts it, doubt is flagged, and changes to guarded slots wait for approval. \
        The reply names what was done to each fact.";
    const CAPABILITY: Capability = Capability::Write;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Open;
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        worded("text", &args.text, limits::TEXT_BYTES)?;
        let source = Some(named("source", args.source)?.trim().to_owned()).filter(|s| !s.is_empty());
        let trust = trust(&cx, source.as_deref())?;
        let metadata = stamped(&cx, args.metadata.unwrap_or_default())?;
        if let Some(known) = cx.service.store.statement_known(&cx.call.caller, &cx.space, &args.text).await? {
            return Ok(already_known(&known));
        }
        let facts = extract(&cx, &args.text, source.as_deref(), Intent::Remember).await?;
        if facts.is_empty() {
            return Ok(Done::read(NOTHING_FOUND, "no durable fact"));
        }
        let said = Said { intent: Intent::Remember, text: args.text, source, trust, metadata, facts };
        let plan = commit(&cx, said).await?;
        Ok(Done::Committed { text: reply(&plan.outcomes) })
    }
}

const NOTHING_FOUND: &str = "No durable fact found in that, so nothing was stored.";

/// A trusted source skips the confirmation gate, so not everybody may speak in its name.
fn trust(cx: &Context<'_>, source: Option<&str>) -> Result<Trust, Stop> {
    let Some(source) = source else { return Ok(Trust::Ordinary) };
    if !cx.service.options.trusted_sources.contains(&source.to_lowercase()) {
        return Ok(Trust::Ordinary);
    }
    let caller = &cx.call.caller;
    let is_itself = matches!(&caller.identity, Identity::Principal(p) if p.name == source);
    if is_itself || caller.can(Capability::Approve) {
        return Ok(Trust::Trusted);
    }
    Err(Stop::denied(format!(
        "'{source}' is a trusted source; only the principal of that name, or a caller with the 'approve' capability, \
         may write as it."
    )))
}

/// The caller's metadata, with our own stamp of who said it: that one is not the caller's to choose.
pub(super) fn stamped(cx: &Context<'_>, metadata: Metadata) -> Result<Metadata, Stop> {
    let bytes = serde_json::to_vec(&metadata).map_or(usize::MAX, |json| json.len());
    if bytes > limits::METADATA_BYTES {
        return Err(Stop::refused(format!(
            "Argument 'metadata' is too large: at most {} bytes of JSON are taken.",
            limits::METADATA_BYTES
        )));
    }
    let mut stamped = metadata;
    stamped.insert("asserted_by".to_owned(), cx.call.caller.id().into());
    Ok(stamped)
}

/// Asks the model, holding nothing: other calls on the space go on meanwhile.
pub(super) async fn extract(
    cx: &Context<'_>,
    text: &str,
    source: Option<&str>,
    intent: Intent,
) -> Result<Vec<domain::RawFact>, Stop> {
    let service = cx.service;
    let open = service.spaces.current(&service.store, &cx.call.caller, &cx.space).await?;
    let held = open.read().index.relevant(text, service.options.reconcile_context);
    let held: Vec<&Fact> = held.iter().map(AsRef::as_ref).collect();
    let ask = Extract {
        statement: text,
        source,
        intent: match intent {
            Intent::Remember => model::Intent::Remember,
            Intent::Forget => model::Intent::Forget,
        },
        held: &held,
        slots: &service.slot_hints,
        now: cx.call.caller.now,
    };
    Ok(service.models.extract(&ask, cx.call.caller.deadline).await?)
}

pub(super) async fn commit(cx: &Context<'_>, said: Said) -> Result<Plan, Stop> {
    let service = cx.service;
    let describe = |plan: &Plan| {
        Record::done(render::actions(&plan.outcomes)).with_actions(plan.outcomes.iter().map(|o| o.action))
    };
    let slots = service.options.slots.clone();
    let plan =
        service.store.statement_commit(cx.call.clone(), cx.space.clone(), slots, said, describe).await?;
    service.embed_soon(&cx.call.caller, &cx.space).await;
    Ok(plan)
}

fn already_known(facts: &[Fact]) -> Done {
    let outcomes: Vec<Outcome> = facts
        .iter()
        .map(|fact| Outcome {
            action: Action::Dedup,
            subject: fact.subject.clone(),
            value: fact.value.clone(),
            reason: String::new(),
            id: Some(fact.id),
        })
        .collect();
    let record = Record::done(render::actions(&outcomes)).with_actions(outcomes.iter().map(|o| o.action));
    Done::Read { text: reply(&outcomes), record }
}

/// `Stored: [ADD] subject = value; …`, then a line for each fact that was not stored.
fn reply(outcomes: &[Outcome]) -> String {
    let (skipped, stored): (Vec<_>, Vec<_>) = outcomes.iter().partition(|o| o.action == Action::Skip);
    let mut lines = Vec::new();
    if !stored.is_empty() {
        let entries: Vec<String> =
            stored.iter().map(|o| format!("[{}] {}", o.action, render::pair(&o.subject, &o.value))).collect();
        lines.push(format!("Stored: {}", entries.join("; ")));
    }
    lines.extend(
        skipped.iter().map(|o| format!("Not stored ({}): {}", o.reason, render::pair(&o.subject, &o.value))),
    );
    if lines.is_empty() { NOTHING_FOUND.to_owned() } else { lines.join("\n") }
}
