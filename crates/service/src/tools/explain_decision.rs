//! What was believed when a decision was taken.

use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::place::User;
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, DecisionId, FactId, Space};
use evidence::{Belief, Explained};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::DecisionRow;

pub(crate) struct ExplainDecision;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    decision_id: Whole,
}

impl Tool for ExplainDecision {
    const NAME: &'static str = "explain_decision";
    const TITLE: &'static str = "Explain a decision";
    const DESCRIPTION: &'static str = "Show a recorded decision, the facts it rested on, and whether the \
        record is intact.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = User;
    type Args = Args;
    type Reply = Explanation;

    async fn run(cx: Context<'_, User>, args: Args) -> Result<Done<Explanation>, Stop> {
        let id = args.decision_id.0;
        let found = cx.service.store.decision_explain(&cx.call.caller, cx.space.id(), DecisionId(id)).await?;
        Ok(Done::read(Explanation { id: DecisionId(id), found }, format!("decision #{id}")))
    }
}

/// A decision as it was found, with the space that it was recorded in; `None` where the caller has no such decision.
#[derive(Debug)]
pub struct Explanation {
    pub id: DecisionId,
    pub found: Option<(Space, DecisionRow)>,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id;
        match self.found.as_ref().map(|(_, row)| row) {
            None => write!(f, "No decision #{id} in this scope."),
            Some(DecisionRow::Verified(explained)) => {
                f.write_str(&shown(id, explained, "✓ receipt verified (record intact)"))
            }
            Some(DecisionRow::Unsigned(explained)) => f.write_str(&shown(id, explained, "(unsigned)")),
            Some(DecisionRow::Altered { recorded }) => {
                let when = recorded.map_or_else(|| "time unknown".to_owned(), |at| at.to_string());
                write!(f, "Decision #{id}  ({when})\n⚠ receipt FAILED verification (record altered)")
            }
        }
    }
}

fn shown(id: DecisionId, explained: &Explained, verdict: &str) -> String {
    let mut lines = vec![
        format!("Decision #{id}  ({})", explained.ts),
        format!("action: {}", summary(explained)),
        "beliefs held at the time:".to_owned(),
    ];
    if explained.beliefs.is_empty() {
        lines.push("  (none)".to_owned());
    }
    lines.extend(explained.beliefs.iter().map(|(id, belief)| line(*id, belief.as_ref())));
    lines.push(verdict.to_owned());
    lines.join("\n")
}

fn summary(explained: &Explained) -> String {
    let redacted = || "(redacted: it named an erased value)".to_owned();
    explained.summary.as_deref().map_or_else(redacted, render::line)
}

fn line(id: FactId, belief: Option<&Belief>) -> String {
    match belief {
        None => format!("  • #{id} (redacted: erased since)"),
        Some(b) => format!(
            "  • #{id} {}  [{}, status {}]",
            render::pair(&b.subject, &b.value),
            render::grounds(b.confidence, b.source.as_deref()),
            b.status
        ),
    }
}
