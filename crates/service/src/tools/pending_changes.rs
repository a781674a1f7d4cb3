//! What waits for a person's decision.

use crate::args::{ALL_SPACES, Takes};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, FactId, Pending, Space};
use schemars::JsonSchema;
use serde::Deserialize;
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

/// How much of a statement stands in one line of the list.
const WORDS_SHOWN: usize = 120;

impl Tool for PendingChanges {
    const NAME: &'static str = "pending_changes";
    const TITLE: &'static str = "List pending changes";
    const DESCRIPTION: &'static str = "List what waits for a person's decision, changes to guarded slots \
        first. With user_id '*' an approver sees all spaces in scope.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::SpaceOrAll;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        let (service, caller) = (cx.service, &cx.call.caller);
        let everywhere = cx.space.user_id == ALL_SPACES;
        let mut further = 0;
        let spaces: Vec<Space> = if everywhere {
            if !caller.can(Capability::Approve) {
                return Err(Stop::denied(format!(
                    "'{}' of all spaces requires the '{}' capability; name one user_id instead.",
                    Self::NAME,
                    Capability::Approve
                )));
            }
            let flagged = service.store.spaces_flagged(caller).await?;
            let mut reached = flagged.into_iter().filter(|space| caller.reaches(&space.user_id));
            let opened = reached.by_ref().take(SPACES_OPENED).collect();
            further = reached.count();
            opened
        } else {
            vec![cx.space.clone()]
        };
        let mut waiting: Vec<(bool, String)> = Vec::new();
        for space in &spaces {
            let open = service.spaces.current(&service.store, caller, space).await?;
            let open = open.read();
            let current = |id: FactId| open.index.get(id).cloned();
            let place = if everywhere { format!("  in {space}") } else { String::new() };
            waiting.extend(open.flagged.values().filter_map(|fact| {
                let pending = fact.pending.as_ref()?;
                let line = line(fact, pending, pending.target.and_then(current));
                Some((pending.gated, format!("{line}{place}")))
            }));
        }
        let detail = format!("{} pending", waiting.len());
        // Proposals first; the sort keeps the order of each half.
        waiting.sort_by_key(|(gated, _)| !gated);
        let more = waiting.len().saturating_sub(SHOWN);
        let mut lines: Vec<String> = waiting.into_iter().take(SHOWN).map(|(_, line)| line).collect();
        if more > 0 {
            lines.push(format!("{more} more wait; they are listed once some of these are settled."));
        }
        if further > 0 {
            lines.push(format!(
                "More wait in {further} further space(s); name a user_id, or settle some of these first."
            ));
        }
        Ok(Done::read(if lines.is_empty() { NONE.to_owned() } else { lines.join("\n") }, detail))
    }
}

fn line(fact: &Fact, pending: &Pending, target: Option<Arc<Fact>>) -> String {
    let asserted_by = fact.metadata.get("asserted_by").and_then(serde_json::Value::as_str);
    let who = fact.source.as_deref().or(asserted_by).unwrap_or("unknown");
    let words = render::excerpt(&fact.text, WORDS_SHOWN);
    let (id, subject, value) = (fact.id, &fact.subject, &fact.value);
    // A doubt that gives a value can be confirmed whatever has become of the old one; a proposal cannot.
    let stands = pending.target.is_none()
        || match target {
            Some(held) => !pending.gated || Some(&held.value) == pending.target_value.as_ref(),
            None => !pending.gated && pending.action != Action::Retract,
        };
    let stale = if stands { "" } else { "  (stale: what it would change is no longer current)" };
    let said = format!("said by {who}: \"{words}\"{stale}");
    match (pending.action, &pending.target_value) {
        (Action::Retract, _) => format!("#{id} REMOVE {subject}: '{value}'  — {said}"),
        (_, Some(old)) => format!("#{id} REPLACE {subject}: '{old}' → '{value}'  — {said}"),
        (_, None) => {
            format!("#{id} REPLACE {subject}: (nothing in scope {}) → '{value}'  — {said}", fact.scope)
        }
    }
}
