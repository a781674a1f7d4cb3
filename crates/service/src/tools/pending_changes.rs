//! What waits for a person's decision.

use crate::outcome::{Done, Stop};
use crate::place::OneOrAll;
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, Pending, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

pub(crate) struct PendingChanges;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

const NONE: &str = "No changes are waiting for approval.";

/// As many as one reply shows.
const SHOWN: usize = 500;
/// So many spaces are opened for one reply.
const SPACES_OPENED: usize = 200;

/// How much of a statement is shown in one line of the list.
const WORDS_SHOWN: usize = 120;

impl Tool for PendingChanges {
    const NAME: &'static str = "pending_changes";
    const TITLE: &'static str = "List pending changes";
    const DESCRIPTION: &'static str = "List what waits for a person's decision, changes to guarded slots \
        first. With user_id '*' an approver sees all spaces in scope.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = OneOrAll;
    type Args = Args;
    type Reply = PendingList;

    async fn run(cx: Context<'_, OneOrAll>, _: Args) -> Result<Done<PendingList>, Stop> {
        let (service, caller) = (cx.service, &cx.call.caller);
        let (spaces, further_spaces) = match &cx.space {
            OneOrAll::One(space) => (vec![space.clone()], 0),
            OneOrAll::All(_) => all_spaces(&cx).await?,
        };
        let mut waiting = Vec::new();
        for space in spaces {
            let open = service.spaces.current(&service.store, caller, &space).await?;
            let open = open.read();
            waiting.extend(open.flagged.values().filter_map(|fact| {
                let pending = fact.pending.as_ref()?;
                let target = pending.target.and_then(|id| open.index.get(id));
                let is_stale = is_stale(pending, target.map(AsRef::as_ref));
                let space = matches!(cx.space, OneOrAll::All(_)).then(|| space.clone());
                Some(PendingChange { fact: fact.clone(), is_stale, space })
            }));
        }
        let detail = format!("{} pending", waiting.len());
        // Proposals first; the sort keeps the order of each half.
        waiting.sort_by_key(|change| !change.is_proposal());
        let more = waiting.len().saturating_sub(SHOWN);
        waiting.truncate(SHOWN);
        Ok(Done::read(PendingList { waiting, more, further_spaces }, detail))
    }
}

/// The spaces in which something waits and that the caller reaches; as many as are opened, and how many there are
/// besides.
async fn all_spaces(cx: &Context<'_, OneOrAll>) -> Result<(Vec<Space>, usize), Stop> {
    let caller = &cx.call.caller;
    if !caller.can(Capability::Approve) {
        return Err(Stop::denied(format!(
            "'{}' of all spaces requires the '{}' capability; name one user_id instead.",
            PendingChanges::NAME,
            Capability::Approve
        )));
    }
    let flagged = cx.service.store.spaces_flagged(caller).await?;
    let mut reached = flagged.into_iter().filter(|space| caller.reaches(&space.user_id));
    let opened = reached.by_ref().take(SPACES_OPENED).collect();
    Ok((opened, reached.count()))
}

/// Whether the change can no longer be confirmed. A doubt that gives a value can be confirmed whatever has become of the
/// old one; a proposal cannot.
fn is_stale(pending: &Pending, target: Option<&Fact>) -> bool {
    pending.target.is_some()
        && match target {
            Some(held) => pending.gated && Some(&held.value) != pending.target_value.as_ref(),
            None => pending.gated || pending.action == Action::Retract,
        }
}

#[derive(Debug)]
pub struct PendingList {
    /// Changes to guarded slots first.
    pub waiting: Vec<PendingChange>,
    /// How many wait besides.
    pub more: usize,
    /// In how many spaces something waits that were not looked into.
    pub further_spaces: usize,
}

/// A flagged fact, which waits for a person's word.
#[derive(Debug)]
pub struct PendingChange {
    pub fact: Arc<Fact>,
    /// Whether it can no longer be confirmed.
    pub is_stale: bool,
    /// Where it waits, in a list of all spaces.
    pub space: Option<Space>,
}

impl PendingChange {
    fn is_proposal(&self) -> bool {
        self.fact.pending.as_ref().is_some_and(|pending| pending.gated)
    }
}

impl fmt::Display for PendingList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = self.waiting.iter().map(ToString::to_string).collect();
        match self.more {
            0 => {}
            1 => lines.push("1 more waits; it is listed once some of these are settled.".to_owned()),
            more => lines.push(format!("{more} more wait; they are listed once some of these are settled.")),
        }
        if self.further_spaces > 0 {
            lines.push(format!(
                "More wait in {} further space(s); name a user_id, or settle some of these first.",
                self.further_spaces
            ));
        }
        if lines.is_empty() { f.write_str(NONE) } else { f.write_str(&lines.join("\n")) }
    }
}

impl fmt::Display for PendingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fact { id, subject, value, scope, .. } = self.fact.as_ref();
        let pending = self.fact.pending.as_ref();
        match (pending.map(|p| p.action), pending.and_then(|p| p.target_value.as_ref())) {
            (Some(Action::Retract), _) => write!(f, "#{id} REMOVE {subject}: '{value}'")?,
            (_, Some(old)) => write!(f, "#{id} REPLACE {subject}: '{old}' → '{value}'")?,
            (_, None) => write!(f, "#{id} REPLACE {subject}: (nothing in scope {scope}) → '{value}'")?,
        }
        let asserted_by = self.fact.metadata.get("asserted_by").and_then(serde_json::Value::as_str);
        let who = self.fact.source.as_deref().or(asserted_by).unwrap_or("unknown");
        write!(f, "  — said by {who}: \"{}\"", render::excerpt(&self.fact.text, WORDS_SHOWN))?;
        if self.is_stale {
            f.write_str("  (stale: what it would change is no longer current)")?;
        }
        match &self.space {
            Some(space) => write!(f, "  in {space}"),
            None => Ok(()),
        }
    }
}
