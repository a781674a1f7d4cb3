//! What a request to forget names among what is held.

use super::meeting::{Held, Met, Term, terms};
use super::stem::plain_words;
use crate::ask::Extract;
use domain::{Action, Fact, Kind, RawFact};

/// Words of the request itself.
const ASKING: [&str; 18] = [
    "forget", "delet", "remov", "eras", "drop", "pleas", "rule", "thing", "fact", "everyth", "rememb",
    "told", "said", "anymor", "longer", "retract", "quit", "all",
];
/// The share of the request's weight that a fact must meet.
const ENOUGH: f64 = 0.5;
/// The same where several facts meet it alike: then it must be clear that all of them are meant.
const ENOUGH_FOR_SEVERAL: f64 = 0.75;
const AS_GOOD: f64 = 0.02;

pub(super) fn forget(ask: &Extract<'_>) -> Vec<RawFact> {
    let wanted: Vec<Term> = terms(ask.statement).into_iter().filter(is_named).collect();
    let known: Vec<Held> = ask.held.iter().map(|fact| Held::of(fact)).collect();
    let weights: Vec<f64> = wanted.iter().map(|term| weight(term, &known)).collect();
    let scored: Vec<(f64, &Fact)> =
        known.iter().map(|k| score(k, &wanted, &weights)).zip(ask.held.iter().copied()).collect();
    let most = scored.iter().map(|(score, _)| *score).fold(0.0, f64::max);
    let meant: Vec<&Fact> = scored.iter().filter(|(s, _)| *s >= most - AS_GOOD).map(|(_, f)| *f).collect();
    let enough = match meant.as_slice() {
        [first, rest @ ..] if rest.iter().any(|f| f.subject != first.subject) && !says_all(ask.statement) => {
            ENOUGH_FOR_SEVERAL
        }
        _ => ENOUGH,
    };
    if most < enough { Vec::new() } else { meant.into_iter().map(retract).collect() }
}

fn is_named(term: &Term) -> bool {
    !term.stems.iter().all(|stem| ASKING.contains(&stem.as_str()))
}

fn says_all(statement: &str) -> bool {
    plain_words(statement)
        .iter()
        .any(|w| matches!(w.as_str(), "all" | "everything" | "both" | "anything" | "every"))
}

/// A word that few facts have counts more.
fn weight(term: &Term, all: &[Held]) -> f64 {
    let with = all.iter().filter(|k| k.meets(term) != Met::Not).count().max(1);
    1.0 + (all.len() as f64 / with as f64).ln()
}

/// The share of the request that the fact meets.
fn score(known: &Held, wanted: &[Term], weights: &[f64]) -> f64 {
    let part: f64 =
        wanted.iter().zip(weights).map(|(term, weight)| weight * known.meets(term).strength()).sum();
    let whole: f64 = weights.iter().sum();
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn retract(fact: &Fact) -> RawFact {
    RawFact {
        subject: Some(fact.subject.clone()),
        value: Some(fact.value.clone()),
        kind: Some(if fact.kind == Kind::Event { "event" } else { "state" }.to_owned()),
        scope: Some(fact.scope.clone()),
        time_ref: Some("current".to_owned()),
        action: Some(Action::Retract.word().to_owned()),
        confidence: Some(0.95),
        reason: Some("asked to forget".to_owned()),
        target_id: Some(fact.id),
        ..RawFact::default()
    }
}
