//! What a space holds.

use super::as_of::{HeldThen, held_then};
use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::render::pair;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, FactId, Space, Status, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

pub(crate) struct ListMemories;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// 0 is all.
    #[serde(default = "none")]
    limit: Whole,
    /// The last id of the page before.
    #[serde(default = "none")]
    after: Whole,
    /// What held then, such as 2023-05-07.
    #[serde(default)]
    as_of: String,
}

fn none() -> Whole {
    Whole(0)
}

const EMPTY: &str = "(no memories yet)";

impl Tool for ListMemories {
    const NAME: &'static str = "list_memories";
    const TITLE: &'static str = "List memories";
    const DESCRIPTION: &'static str = "List the current facts with their ids, then those that are flagged, \
        then the most recently retired.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = Memories;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Memories>, Stop> {
        if let Some(held) = held_then(&cx, &args.as_of).await? {
            let detail = held.detail();
            return Ok(Done::read(Memories::Then(held), detail));
        }
        let (service, caller) = (cx.service, &cx.call.caller);
        let most = match usize::try_from(args.limit.0) {
            Ok(0) => usize::MAX,
            Ok(limit) => limit,
            Err(_) => return Err(Stop::refused("Argument 'limit' must be 0, which is all, or more.")),
        };
        let open = service.spaces.current(&service.store, caller, &cx.space).await?;
        let (active, more, flagged, over) = {
            let open = open.read();
            let mut behind = open.index.iter().filter(|f| f.id > FactId(args.after.0));
            let active: Vec<Arc<Fact>> = behind.by_ref().take(most).cloned().collect();
            let retired = |fact: &&Arc<Fact>| Status::RETIRED.contains(&fact.status);
            let over: Vec<Fact> = open.over.values().filter(retired).map(|f| Fact::clone(f)).collect();
            (active, behind.count(), open.flagged.values().cloned().collect::<Vec<_>>(), over)
        };
        let detail = format!("{} active, {} flagged", active.len() + more, flagged.len());
        // What is flagged and what has gone is listed once, at the end of the last page.
        let page = if active.is_empty() || more == 0 {
            let mut retired = service.store.facts_retired(caller, &cx.space, limits::RETIRED_SHOWN).await?;
            retired.splice(0..0, over);
            retired.truncate(limits::RETIRED_SHOWN);
            Page::Last { flagged, retired }
        } else {
            Page::More(more)
        };
        Ok(Done::read(Memories::Now(MemoryList { active, page }), detail))
    }
}

/// What a space holds, or held at an earlier time.
#[derive(Debug)]
pub enum Memories {
    Now(MemoryList),
    Then(HeldThen),
}

impl Memories {
    /// What is active, then what is flagged.
    pub fn standing(&self) -> Vec<&Fact> {
        match self {
            Self::Now(list) => list.standing().collect(),
            Self::Then(held) => held.standing().collect(),
        }
    }
}

impl fmt::Display for Memories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(list) => list.fmt(f),
            Self::Then(held) => held.fmt(f),
        }
    }
}

/// The current facts of a space, in the order of their numbers.
#[derive(Debug)]
pub struct MemoryList {
    pub active: Vec<Arc<Fact>>,
    pub page: Page,
}

/// What follows the current facts of a page.
#[derive(Debug)]
pub enum Page {
    /// So many further current facts.
    More(usize),
    Last {
        flagged: Vec<Arc<Fact>>,
        /// The latest first, as many as a reply shows.
        retired: Vec<Fact>,
    },
}

impl MemoryList {
    /// The flagged facts, which the last page has.
    pub fn flagged(&self) -> &[Arc<Fact>] {
        match &self.page {
            Page::More(_) => &[],
            Page::Last { flagged, .. } => flagged,
        }
    }

    /// What is active, then what is flagged.
    pub fn standing(&self) -> impl Iterator<Item = &Fact> {
        self.active.iter().chain(self.flagged()).map(AsRef::as_ref)
    }
}

impl fmt::Display for MemoryList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut standing: Vec<String> =
            self.active.iter().map(|f| format!("• {}  (#{})", pair(&f.subject, &f.value), f.id)).collect();
        let (flagged, retired) = match &self.page {
            Page::More(more) => {
                let last = self.active.last().map_or(0, |fact| fact.id.0);
                standing.push(format!("{more} more: list_memories with after = {last} goes on."));
                return f.write_str(&standing.join("\n"));
            }
            Page::Last { flagged, retired } => (flagged, retired),
        };
        standing.extend(
            flagged.iter().map(|f| {
                format!("⚠ {}  (#{}, flagged — needs confirmation)", pair(&f.subject, &f.value), f.id)
            }),
        );
        let mut sections = Vec::new();
        if !standing.is_empty() {
            sections.push(standing.join("\n"));
        }
        if !retired.is_empty() {
            let mut lines = vec!["— history (superseded / retracted / archived) —".to_owned()];
            lines.extend(
                retired.iter().map(|f| format!("  ◦ {}  [{}]", pair(&f.subject, &f.value), f.status)),
            );
            sections.push(lines.join("\n"));
        }
        if sections.is_empty() { f.write_str(EMPTY) } else { f.write_str(&sections.join("\n\n")) }
    }
}
