//! A space's facts as things and how they relate, to look at. It takes no graph database.

use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, FactId, Space, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

pub(crate) struct SpaceGraph;

/// As many relations as a person can make out in one picture.
const MOST: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Only the facts that a search for this finds; empty: the newest.
    #[serde(default)]
    text: String,
}

impl Tool for SpaceGraph {
    const NAME: &'static str = "space_graph";
    const TITLE: &'static str = "Show a space as a graph";
    const DESCRIPTION: &'static str =
        "Show the things that the current facts of a space are about, and how they relate.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = Relations;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Relations>, Stop> {
        let text = args.text.trim();
        if text.len() > limits::SUBJECT_BYTES {
            return Err(Stop::refused("Argument 'text' is too long for a search. Use fewer words."));
        }
        let open = cx.service.spaces.current(&cx.service.store, &cx.call.caller, &cx.space).await?;
        let facts: Vec<Arc<Fact>> = {
            let open = open.read();
            match text {
                "" => open.index.iter().rev().take(MOST + 1).cloned().collect(),
                text => open.index.search(text, None, MOST + 1),
            }
        };
        let has_more = facts.len() > MOST;
        let relations: Vec<Relation> = facts.iter().take(MOST).map(|fact| Relation::of(fact)).collect();
        let detail = format!("{} relation(s)", relations.len());
        Ok(Done::read(Relations { relations, has_more }, detail))
    }
}

/// One fact as a line between two things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    pub fact: FactId,
    pub from: String,
    pub name: String,
    pub to: String,
}

impl Relation {
    /// Where the fact was not told as a relation, its subject is one thing and its value the other.
    fn of(fact: &Fact) -> Self {
        let triple = &fact.triple;
        if triple.head.is_empty() || triple.tail.is_empty() {
            return Self {
                fact: fact.id,
                from: fact.subject.clone(),
                name: String::new(),
                to: fact.value.clone(),
            };
        }
        Self {
            fact: fact.id,
            from: triple.head.clone(),
            name: triple.relation.clone(),
            to: triple.tail.clone(),
        }
    }
}

#[derive(Debug)]
pub struct Relations {
    pub relations: Vec<Relation>,
    pub has_more: bool,
}

impl fmt::Display for Relations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.relations.is_empty() {
            return f.write_str("Nothing to show.");
        }
        let line = |r: &Relation| format!("#{} {} — {} → {}", r.fact, r.from, r.name, r.to);
        f.write_str(&self.relations.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}
