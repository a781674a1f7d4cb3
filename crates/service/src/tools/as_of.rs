//! What was held to be true at an earlier moment, from history alone.

use crate::conditions::{Conditions, Wanted};
use crate::moment::earlier;
use crate::outcome::{Done, Stop};
use crate::render::pair;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, FactId, ReceiptId, Space, Status, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

pub(crate) struct ListAsOf;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListArgs {
    /// The moment, such as 2026-11-18T12:00:00Z.
    as_of: String,
    /// Words that must all occur.
    #[serde(default)]
    text: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    category: String,
    /// Only what was said from this time on, or from the beginning of a day.
    #[serde(default)]
    since: String,
    /// Only what was said up to this time, or to the end of a day.
    #[serde(default)]
    until: String,
}

impl Tool for ListAsOf {
    const NAME: &'static str = "list_as_of";
    const TITLE: &'static str = "List memories as of then";
    const DESCRIPTION: &'static str = "List what was current and what was flagged at an earlier moment.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = ListArgs;
    type Reply = HeldThen;

    async fn run(cx: Context<'_>, args: ListArgs) -> Result<Done<HeldThen>, Stop> {
        let conditions = Conditions::of(&Wanted {
            words: &args.text,
            source: &args.source,
            scope: &args.scope,
            category: &args.category,
            since: &args.since,
            until: &args.until,
        })?;
        let held = held_then(&cx, &args.as_of).await?;
        let mut held = held.ok_or_else(|| Stop::refused("Argument 'as_of' is empty. Give a time."))?;
        held.active.retain(|fact| conditions.hold(fact));
        held.flagged.retain(|fact| conditions.hold(fact));
        let detail = held.detail();
        Ok(Done::read(held, detail))
    }
}

/// `None` where no time is given.
pub(crate) async fn held_then(cx: &Context<'_>, as_of: &str) -> Result<Option<HeldThen>, Stop> {
    let Some(at) = earlier("as_of", as_of, cx.call.caller.now)? else { return Ok(None) };
    let history = cx.service.store.space_history(&cx.call.caller, &cx.space).await?;
    let all: HashMap<FactId, &Fact> = history.facts.iter().map(|fact| (fact.id, fact)).collect();
    let then = history.facts.iter().filter_map(|fact| as_it_was(fact, at, &all)).map(Arc::new);
    let (active, flagged) = then.partition(|fact| fact.status == Status::Active);
    let had_ended = |fact: &&Fact| fact.began() <= at && fact.ended().is_some_and(|ended| ended <= at);
    let retired = history.facts.iter().filter(had_ended).cloned().map(Arc::new).collect();
    let since = history.erasures.into_iter().filter(|(_, erased)| *erased > at);
    Ok(Some(HeldThen { at, active, flagged, retired, erasures: since.map(|(receipt, _)| receipt).collect() }))
}

/// A removal that waited showed the value that it was to remove, as that was when it was proposed. Its own row says what
/// was removed in the end, which may have been refined meanwhile.
fn as_it_was(fact: &Fact, then: Timestamp, all: &HashMap<FactId, &Fact>) -> Option<Fact> {
    let mut was = fact.at(then)?;
    let is_done = fact.status == Status::Historical && was.status == Status::FlaggedConflict;
    let target = fact.supersedes.filter(|_| is_done).and_then(|id| all.get(&id)?.at(fact.created));
    if let Some(target) = target {
        was.value = target.value;
    }
    Some(was)
}

/// What was current and what was flagged at a moment, each in the order of their numbers.
#[derive(Debug)]
pub struct HeldThen {
    pub at: Timestamp,
    pub active: Vec<Arc<Fact>>,
    pub flagged: Vec<Arc<Fact>>,
    /// What had ended by then.
    pub retired: Vec<Arc<Fact>>,
    /// What was erased since is gone from the past too; the receipts of that.
    pub erasures: Vec<ReceiptId>,
}

impl HeldThen {
    pub(super) fn detail(&self) -> String {
        format!("as of {}: {} active, {} flagged", self.at, self.active.len(), self.flagged.len())
    }

    pub fn standing(&self) -> impl Iterator<Item = &Fact> {
        self.active.iter().chain(&self.flagged).map(AsRef::as_ref)
    }
}

impl fmt::Display for HeldThen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.active.is_empty() && self.flagged.is_empty() {
            write!(f, "(no memories as of {})", self.at)?;
        } else {
            write!(f, "As of {}:", self.at)?;
        }
        for fact in &self.active {
            write!(f, "\n• {}  (#{})", pair(&fact.subject, &fact.value), fact.id)?;
        }
        for fact in &self.flagged {
            write!(f, "\n⚠ {}  (#{}, flagged then)", pair(&fact.subject, &fact.value), fact.id)?;
        }
        gone(&self.erasures, f)
    }
}

/// What was erased since then, which an answer from then lacks.
pub(super) fn gone(erasures: &[ReceiptId], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if erasures.is_empty() {
        return Ok(());
    }
    let receipts: Vec<String> = erasures.iter().map(|id| format!("receipt #{id}")).collect();
    write!(f, "\n\nNot shown, because it was erased since then: {}.", receipts.join(", "))
}
