//! Proposals, in the form in which any model gives them.

use crate::scope::GLOBAL;
use domain::{Action, Fact, RawFact};

/// The confidence of what is said plainly.
pub(crate) const PLAIN: f64 = 0.95;
/// The confidence of what is unsure.
pub(crate) const DOUBTFUL: f64 = 0.5;

pub(crate) fn fact(
    subject: &str,
    value: &str,
    action: Action,
    time: &str,
    confidence: f64,
    why: &str,
) -> RawFact {
    RawFact {
        subject: Some(subject.to_owned()),
        value: Some(value.to_owned()),
        kind: Some("state".to_owned()),
        scope: Some(GLOBAL.to_owned()),
        time_ref: Some(time.to_owned()),
        action: Some(action.word().to_owned()),
        confidence: Some(confidence),
        reason: Some(why.to_owned()),
        ..RawFact::default()
    }
}

pub(crate) fn removal(held: &Fact, sure: bool) -> RawFact {
    let confidence = if sure { PLAIN } else { DOUBTFUL };
    let why = if sure { "it has ended" } else { "it may have ended" };
    let gone = fact(&held.subject, &held.value, Action::Retract, "current", confidence, why);
    RawFact { scope: Some(held.scope.clone()), target_id: Some(held.id.0), ..gone }
}
