//! Facts that the caller brings, so that no model is asked.

use crate::args::Whole;
use crate::outcome::Stop;
use domain::{Action, RawFact, When, limits};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

// In the form of a model's reply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallerFact {
    /// The owner and the attribute: `billing service database`, `Maria's home city`. The same subject changes it.
    subject: String,
    /// Short and concrete. Only `RETRACT` needs none.
    #[serde(default)]
    value: Option<String>,
    /// Where it holds, if not everywhere: `mobile`, `staging`.
    #[serde(default)]
    scope: Option<String>,
    /// `state` (default), or `event` for what happens once: it stands beside other events of its subject.
    #[serde(default, deserialize_with = "word")]
    kind: Option<String>,
    /// `current` (default), `past` for a state that is over, `future` or `unknown`.
    #[serde(default, deserialize_with = "word")]
    time_ref: Option<String>,
    /// Left out, a new value replaces the one of its subject. `RETRACT` ends it, `COEXIST` keeps both; also `SUPERSEDE`,
    /// `REFINE`, `ARCHIVE`, `FLAG`.
    #[serde(default, deserialize_with = "word")]
    action: Option<String>,
    /// Whether the subject holds several values, of which this is one: hobbies, allergies.
    #[serde(default)]
    list: bool,
    /// When it began or happened: `2023`, `2023-05`, `2023-05-07`.
    #[serde(default, deserialize_with = "date")]
    #[schemars(with = "Option<String>")]
    valid_from: Option<When>,
    /// From when on it no longer holds.
    #[serde(default, deserialize_with = "date")]
    #[schemars(with = "Option<String>")]
    valid_until: Option<When>,
    /// 0 to 1; below 0.7 a change waits.
    #[serde(default)]
    confidence: Option<f64>,
    /// The number of the current fact that this one replaces, whatever its subject.
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

/// Clients that send every field send an empty text for none.
fn word<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.filter(|text| !text.trim().is_empty()))
}

fn date<'de, D: Deserializer<'de>>(from: D) -> Result<Option<When>, D::Error> {
    word(from)?.map(|text| text.parse().map_err(D::Error::custom)).transpose()
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
    facts.into_iter().enumerate().map(|(at, fact)| fact.raw(at)).collect()
}

impl CallerFact {
    fn raw(self, at: usize) -> Result<RawFact, Stop> {
        let wrong = |field: &str, what: &str| {
            Stop::refused(format!("Invalid argument 'facts[{at}].{field}': {what}."))
        };
        if self.subject.trim().is_empty() {
            return Err(wrong("subject", "it is empty"));
        }
        let retracts = self.action.as_deref().and_then(Action::from_word) == Some(Action::Retract);
        if self.value.is_none() && !retracts {
            return Err(wrong("value", "it is missing; only an action RETRACT needs none"));
        }
        if let (Some(from), Some(until)) = (self.valid_from, self.valid_until)
            && until.last() < from.first()
        {
            return Err(wrong("valid_until", &format!("{until} is before valid_from, {from}")));
        }
        Ok(RawFact {
            subject: Some(self.subject),
            value: self.value,
            kind: self.kind,
            scope: self.scope,
            head: self.head,
            relation: self.relation,
            tail: self.tail,
            time_ref: self.time_ref,
            action: self.action,
            confidence: self.confidence,
            reason: self.reason,
            target_id: self.target_id.map(|id| id.0),
            list: self.list,
            valid_from: self.valid_from,
            valid_until: self.valid_until,
        })
    }
}
