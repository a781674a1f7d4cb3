//! What a request to forget names among what is held.

use super::memory::{Known, set, share};
use crate::ask::Extract;
use domain::{Action, RawFact};

/// Words of the request itself.
const ASKING: [&str; 16] = [
    "forget", "delet", "remov", "eras", "drop", "pleas", "rule", "thing", "fact", "everyth", "rememb",
    "told", "said", "anymor", "longer", "retract",
];

pub(super) fn forget(ask: &Extract<'_>) -> Vec<RawFact> {
    let wanted: std::collections::BTreeSet<String> =
        set(ask.statement).into_iter().filter(|s| !ASKING.contains(&s.as_str())).collect();
    let known: Vec<Known> = Known::all(ask.held.iter().copied());
    let score = |k: &Known| {
        let own = share(&wanted, &k.own());
        own.max(share(&wanted, &k.text) * 0.8) + share(&k.values, &wanted) * 0.2
    };
    let most = known.iter().map(&score).fold(0.0, f64::max);
    if most < 0.5 {
        return Vec::new();
    }
    known.iter().filter(|k| score(k) >= most - 0.01).map(retract).collect()
}

fn retract(known: &Known) -> RawFact {
    RawFact {
        subject: Some(known.subject.clone()),
        value: Some(known.value.clone()),
        kind: Some(if known.event { "event" } else { "state" }.to_owned()),
        scope: Some(known.scope.clone()),
        time_ref: Some("current".to_owned()),
        action: Some(Action::Retract.word().to_owned()),
        confidence: Some(0.95),
        reason: Some("asked to forget".to_owned()),
        target_id: known.id,
        ..RawFact::default()
    }
}
