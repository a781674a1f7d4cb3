//! Finds facts for a person who looks at a space: by words and meaning, or by what they have in common.

use crate::answering::{RETIRED_SEARCHED, vector};
use crate::args::Whole;
use crate::conditions::{Conditions, Wanted};
use crate::outcome::{Done, Stop};
use crate::render::{excerpt, pair};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, Space, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

pub(crate) struct SearchMemories;

/// Of a search by words so many are looked through for those that pass the other conditions.
const SEARCHED: usize = 2000;
/// As many as one page shows.
const MOST: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Words, or the beginning of one. Empty: all, the newest first.
    #[serde(default)]
    text: String,
    #[serde(default)]
    status: Standing,
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
    /// How many to pass over.
    #[serde(default = "none")]
    offset: Whole,
    #[serde(default = "fifty")]
    limit: Whole,
}

/// Whether facts count now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Standing {
    #[default]
    Current,
    Waiting,
    /// What has gone, of which the latest are searched.
    Past,
}

fn none() -> Whole {
    Whole(0)
}

fn fifty() -> Whole {
    Whole(50)
}

impl Tool for SearchMemories {
    const NAME: &'static str = "search_memories";
    const TITLE: &'static str = "Search memories";
    const DESCRIPTION: &'static str = "Find facts by words and meaning, by status, source, scope, category and time. No \
        model is asked for an answer.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = Found;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Found>, Stop> {
        // The index searches for the words of what is current, by meaning too.
        let words = if args.status == Standing::Current { "" } else { &args.text };
        let conditions = Conditions::of(&Wanted {
            words,
            source: &args.source,
            scope: &args.scope,
            category: &args.category,
            since: &args.since,
            until: &args.until,
        })?;
        let offset = usize::try_from(args.offset.0).unwrap_or(0);
        let limit = usize::try_from(args.limit.0).unwrap_or(0).clamp(1, MOST);
        // One more than is shown tells whether there are more.
        let mut facts = match args.status {
            Standing::Current => current(&cx, args.text.trim(), &conditions, offset, limit + 1).await?,
            Standing::Waiting => {
                let open = cx.service.spaces.current(&cx.service.store, &cx.call.caller, &cx.space).await?;
                let flagged: Vec<Arc<Fact>> = open.read().flagged.values().rev().cloned().collect();
                listed(flagged, &conditions, offset, limit + 1)
            }
            Standing::Past => {
                let (store, caller) = (&cx.service.store, &cx.call.caller);
                let retired = store.facts_retired(caller, &cx.space, RETIRED_SEARCHED).await?;
                let retired = retired.into_iter().map(Arc::new).collect();
                listed(retired, &conditions, offset, limit + 1)
            }
        };
        let has_more = facts.len() > limit;
        facts.truncate(limit);
        let detail = match args.text.trim() {
            "" => format!("{} found", facts.len()),
            text => format!("{}: {} found", excerpt(text, 80), facts.len()),
        };
        Ok(Done::read(Found { facts, has_more }, detail))
    }
}

async fn current(
    cx: &Context<'_>,
    text: &str,
    conditions: &Conditions,
    offset: usize,
    most: usize,
) -> Result<Vec<Arc<Fact>>, Stop> {
    if text.len() > limits::SUBJECT_BYTES {
        return Err(Stop::refused("Argument 'text' is too long for a search. Use fewer words."));
    }
    let service = cx.service;
    let open = service.spaces.current(&service.store, &cx.call.caller, &cx.space).await?;
    if text.is_empty() {
        let open = open.read();
        let newest = open.index.iter().rev().filter(|fact| conditions.hold(fact));
        return Ok(newest.skip(offset).take(most).cloned().collect());
    }
    let embeds = service.models.embedder_configured();
    let vector = if embeds { vector(cx, &open, text).await? } else { None };
    let found = open.read().index.search(text, vector.as_deref(), SEARCHED);
    Ok(found.into_iter().filter(|fact| conditions.hold(fact)).skip(offset).take(most).collect())
}

fn listed(facts: Vec<Arc<Fact>>, conditions: &Conditions, offset: usize, most: usize) -> Vec<Arc<Fact>> {
    facts.into_iter().filter(|fact| conditions.hold(fact)).skip(offset).take(most).collect()
}

/// A page of what was found.
#[derive(Debug)]
pub struct Found {
    pub facts: Vec<Arc<Fact>>,
    pub has_more: bool,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.facts.is_empty() {
            return f.write_str("Nothing found.");
        }
        let line = |fact: &Arc<Fact>| {
            format!("#{} {}  [{}]", fact.id, pair(&fact.subject, &fact.value), fact.status)
        };
        let mut lines: Vec<String> = self.facts.iter().map(line).collect();
        if self.has_more {
            lines.push("There are more: call again with a higher offset.".to_owned());
        }
        f.write_str(&lines.join("\n"))
    }
}
