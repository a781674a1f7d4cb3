//! What waits for a person's decision.

use crate::outcome::{Done, Stop};
use crate::place::OneOrAll;
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::keys::subject_key;
use domain::{Action, Capability, Fact, FactId, Pending, Space};
use reconcile::{Needs, fingerprint, is_stale, needs_of, standing};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

pub(crate) struct PendingChanges;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

const NONE: &str = "No changes are waiting for approval.";

/// As many as one reply shows.
pub(super) const SHOWN: usize = 500;
/// So many spaces are opened for one reply.
pub const SPACES_OPENED: usize = 200;

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
        listed(&cx, Part { passed_spaces: 0, passed: 0, most: SHOWN }).await
    }
}

/// Which part of all that waits is listed.
pub(super) struct Part {
    /// Of the spaces in which something waits, so many are passed over.
    pub passed_spaces: usize,
    /// Of the changes in the spaces after those, so many are passed over.
    pub passed: usize,
    pub most: usize,
}

pub(super) async fn listed(cx: &Context<'_, OneOrAll>, part: Part) -> Result<Done<PendingList>, Stop> {
    let (spaces, further_spaces) = match &cx.space {
        OneOrAll::One(space) => (vec![space.clone()], 0),
        OneOrAll::All(_) => all_spaces(cx, part.passed_spaces).await?,
    };
    let mut waiting = Vec::new();
    for space in spaces {
        let open = cx.service.spaces.current(&cx.service.store, &cx.call.caller, &space).await?;
        let open = open.read();
        let flagged = open.flagged.values().filter(|fact| fact.pending.is_some());
        waiting.extend(flagged.map(|fact| (space.clone(), fact.clone())));
    }
    let detail = format!("{} pending", waiting.len());
    // Proposals first; the sort keeps the order of each half.
    waiting.sort_by_key(|(_, fact)| !fact.pending.as_ref().is_some_and(|pending| pending.gated));
    let more = waiting.len().saturating_sub(part.passed + part.most);
    let waiting = waiting.into_iter().skip(part.passed).take(part.most).collect();
    let waiting = beside_what_is_current(cx, waiting).await?;
    Ok(Done::read(PendingList { waiting, more, further_spaces }, detail))
}

/// The spaces in which something waits and that the caller reaches; as many as are opened, and how many there are
/// besides.
async fn all_spaces(cx: &Context<'_, OneOrAll>, passed: usize) -> Result<(Vec<Space>, usize), Stop> {
    let caller = &cx.call.caller;
    if !caller.can(Capability::Approve) {
        return Err(Stop::denied(format!(
            "'{}' of all spaces requires the '{}' capability; name one user_id instead.",
            PendingChanges::NAME,
            Capability::Approve
        )));
    }
    let flagged = cx.service.store.spaces_flagged(caller).await?;
    let mut reached = flagged.into_iter().filter(|space| caller.reaches(&space.user_id)).skip(passed);
    let opened = reached.by_ref().take(SPACES_OPENED).collect();
    Ok((opened, reached.count()))
}

/// Each flagged fact with what approving it would replace now.
async fn beside_what_is_current(
    cx: &Context<'_, OneOrAll>,
    waiting: Vec<(Space, Arc<Fact>)>,
) -> Result<Vec<PendingChange>, Stop> {
    let mut needs: HashMap<&Space, Needs> = HashMap::new();
    for (space, fact) in &waiting {
        let Needs { subjects, ids, .. } = needs_of(fact);
        let of_space = needs.entry(space).or_default();
        of_space.subjects.extend(subjects);
        of_space.ids.extend(ids);
    }
    let mut current = HashMap::new();
    for (space, needs) in needs {
        let bearing = cx.service.store.facts_bearing(&cx.call.caller, space, needs).await?;
        current.insert(space, Current::of(bearing));
    }
    let is_of_all = matches!(cx.space, OneOrAll::All(_));
    let change = |(space, fact): &(Space, Arc<Fact>)| {
        let pending = fact.pending.as_ref()?;
        let bearing = current.get(space).map(|current| current.bearing_on(fact, pending)).unwrap_or_default();
        let now = standing(fact, pending, bearing);
        Some(PendingChange {
            is_stale: is_stale(pending, &now) || (pending.action == Action::Retract && now.is_empty()),
            now: now.into_iter().cloned().collect(),
            fact: fact.clone(),
            space: is_of_all.then(|| space.clone()),
        })
    };
    Ok(waiting.iter().filter_map(change).collect())
}

/// The facts that changes of one space bear on, so that nobody goes through all of them for each change.
#[derive(Default)]
struct Current {
    facts: HashMap<FactId, Fact>,
    subjects: HashMap<String, Vec<FactId>>,
}

impl Current {
    fn of(facts: Vec<Fact>) -> Self {
        let mut current = Self::default();
        for fact in facts {
            current.subjects.entry(subject_key(&fact.subject)).or_default().push(fact.id);
            current.facts.insert(fact.id, fact);
        }
        current
    }

    fn bearing_on(&self, flag: &Fact, pending: &Pending) -> Vec<&Fact> {
        let of_subject = self.subjects.get(&subject_key(&flag.subject)).into_iter().flatten();
        of_subject.chain(&pending.target).filter_map(|id| self.facts.get(id)).collect()
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
    /// What approving it would replace, refine or remove.
    pub now: Vec<Fact>,
    /// Whether it can no longer be confirmed.
    pub is_stale: bool,
    /// Where it waits, in a list of all spaces.
    pub space: Option<Space>,
}

impl PendingChange {
    /// Stands for what approving it would replace, so that nobody approves what they have not seen.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.now.iter().collect::<Vec<_>>())
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
        let action = self.fact.pending.as_ref().map(|pending| pending.action);
        let now: Vec<&str> = self.now.iter().map(|held| held.value.as_str()).collect();
        match (action, now.is_empty()) {
            (Some(Action::Retract), true) => write!(f, "#{id} REMOVE {subject}: '{value}'")?,
            (Some(Action::Retract), false) => write!(f, "#{id} REMOVE {subject}: '{}'", now.join("', '"))?,
            (_, false) => write!(f, "#{id} REPLACE {subject}: '{}' → '{value}'", now.join("', '"))?,
            (_, true) => write!(f, "#{id} REPLACE {subject}: (nothing in scope {scope}) → '{value}'")?,
        }
        if action != Some(Action::Retract) {
            f.write_str(&render::validity(&self.fact))?;
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
