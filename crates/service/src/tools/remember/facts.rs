//! Facts that the caller brings, so that no model is asked.

use crate::args::Whole;
use crate::outcome::Stop;
use domain::{RawFact, limits};
use schemars::JsonSchema;
use serde::Deserialize;

// In the form of a model's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallerFact {
    /// The thing and its attribute: `billing service database`, `user's home city`. The same subject changes it.
    subject: String,
    /// Short and concrete.
    value: String,
    /// Where it holds, if not everywhere: `mobile`, `staging`.
    #[serde(default)]
    scope: Option<String>,
    /// `state` (default) or `event`, which happened once.
    #[serde(default)]
    kind: Option<String>,
    /// `current` (default), `past`, `future` or `unknown`.
    #[serde(default)]
    time_ref: Option<String>,
    /// Left out, a new value replaces the one of its subject. `RETRACT` ends it; also `REFINE`, `COEXIST`, `FLAG`,
    /// `ARCHIVE`.
    #[serde(default)]
    action: Option<String>,
    /// 0 to 1; below 0.7 a change waits.
    #[serde(default)]
    confidence: Option<f64>,
    /// The fact that it changes, where that has another subject; `text` must name it.
    #[serde(default)]
    target_id: Option<Whole>,
    #[serde(default)]
    head: Option<String>,
    #[serde(default)]
    relation: Option<String>,
    #[serde(default)]
    tail: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

pub(crate) fn raw(facts: Vec<CallerFact>) -> Result<Vec<RawFact>, Stop> {
    if facts.is_empty() {
        return Err(Stop::refused("Argument 'facts' is empty: give at least one fact, or leave it out."));
    }
    if facts.len() > limits::FACTS_PER_STATEMENT {
        return Err(Stop::refused(format!(
            "Argument 'facts' holds {} facts, at most {} are taken. Split it.",
            facts.len(),
            limits::FACTS_PER_STATEMENT
        )));
    }
    let unnamed = facts.iter().position(|fact| fact.subject.trim().is_empty());
    if let Some(at) = unnamed {
        return Err(Stop::refused(format!("Invalid argument 'facts[{at}].subject': it is empty.")));
    }
    Ok(facts.into_iter().map(CallerFact::raw).collect())
}

impl CallerFact {
    /// A plain statement of a value, unless it says more. One that aims at another fact means to change it.
    fn raw(self) -> RawFact {
        let action = if self.target_id.is_some() { "SUPERSEDE" } else { "ADD" };
        RawFact {
            subject: Some(self.subject),
            value: Some(self.value),
            kind: self.kind,
            scope: self.scope,
            head: self.head,
            relation: self.relation,
            tail: self.tail,
            time_ref: self.time_ref.or_else(|| Some("current".to_owned())),
            action: self.action.or_else(|| Some(action.to_owned())),
            confidence: self.confidence.or(Some(limits::CALLER_CONFIDENCE)),
            reason: self.reason,
            target_id: self.target_id.map(|id| id.0),
        }
    }
}
