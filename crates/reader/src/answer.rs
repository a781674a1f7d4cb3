//! Answers with the facts that are nearest to the question, best first; as a sentence only where it is sure.

use crate::link::told;
use crate::mention::set;
use crate::modality;
use domain::{Fact, FactId, FactKind};
use encoder::Modality;
use model::{Answer, AnswerFact};
use std::fmt::Write;

/// How many of the best facts the network scores.
const WEIGHED: usize = 4;
/// The score from which on a fact answers the question.
const SURE: f32 = 0.8;
/// Below this, and without a word in common, a fact is not near.
const NEAR: f32 = 0.2;
/// Facts with a score this close to the best answer too.
const AS_GOOD: f32 = 0.15;
const SHOWN: usize = 5;

const UNKNOWN: &str = "I do not know: nothing that is remembered comes near that.";
const UNSURE: &str = "I am not sure. This is nearest:";

const RELATED: &str = "This is how it hangs together, the nearest first:";

/// The facts are in order of rank. Where paths were looked for, they are the answer: no sentence is made of them.
pub(crate) fn answer(ask: &Answer<'_>) -> String {
    if !ask.paths.is_empty() {
        let lines = ask.paths.iter().enumerate().map(|(at, path)| {
            let before =
                ask.paths.iter().take(at).filter(|before| path.starts_with(before)).map(Vec::len).max();
            // What goes on from a path that was shown need not show it again.
            let (shown, mark) = before.map_or((0, ""), |shown| (shown, "… → "));
            format!("\n  {mark}{}", steps(ask.facts, path.get(shown..).unwrap_or_default()))
        });
        return format!("{RELATED}{}", lines.collect::<String>());
    }
    let asked = set(ask.question);
    let best: Vec<&AnswerFact<'_>> = ask.facts.iter().take(WEIGHED).collect();
    let texts: Vec<String> = best.iter().map(|fact| told(fact.fact)).collect();
    let pairs: Vec<(&str, &str)> = texts.iter().map(|text| (ask.question, text.as_str())).collect();
    let likely = if pairs.is_empty() { Vec::new() } else { encoder::answers(&pairs) };
    let shares = |fact: &AnswerFact<'_>| {
        let words = set(&format!("{} {} {}", fact.fact.subject, fact.fact.value, fact.fact.text));
        !words.is_disjoint(&asked)
    };
    let weight = |at: usize| likely.get(at).copied().unwrap_or_default();
    let near: Vec<(usize, &AnswerFact<'_>)> =
        ask.facts.iter().enumerate().filter(|(at, fact)| weight(*at) >= NEAR || shares(fact)).collect();
    let likeliest =
        near.iter().map(|(at, _)| *at).max_by(|a, b| weight(*a).total_cmp(&weight(*b)).then(b.cmp(a)));
    // Of facts that answer about equally well the newest comes first: later statements may have changed things.
    let best = likeliest.map_or(0.0, weight);
    let newest = near
        .iter()
        .filter(|(at, fact)| !fact.retired && weight(*at) >= SURE.max(best - AS_GOOD))
        .max_by_key(|(_, fact)| fact.fact.id)
        .map(|(at, _)| *at);
    let Some(first) = newest.or(likeliest) else {
        return UNKNOWN.to_owned();
    };
    let mut shown: Vec<&AnswerFact<'_>> = near.iter().map(|(_, fact)| *fact).take(SHOWN).collect();
    newest_of_contradicting_first(&mut shown);
    let mut text = String::new();
    match ask.facts.get(first).filter(|fact| weight(first) >= SURE && tells_what_is_so(fact.fact)) {
        Some(fact) => {
            text.push_str(&sentence(fact));
            if let Some(at) = shown.iter().position(|f| f.fact.id == fact.fact.id) {
                let fact = shown.remove(at);
                shown.insert(0, fact);
            }
        }
        None => text.push_str(UNSURE),
    }
    for fact in shown {
        let _ = write!(text, "\n{}", line(fact));
    }
    text
}

/// A note may be a plan, a guess or a question. It is then shown, but does not count as an answer.
fn tells_what_is_so(fact: &Fact) -> bool {
    fact.kind == FactKind::State || {
        let labelled = modality::label(&[fact.value.as_str()]);
        let meant = labelled.first().map(|labelled| labelled.modality(&(0..fact.value.len())));
        matches!(meant, Some(Modality::Asserted | Modality::Event | Modality::Ended))
    }
}

/// Of two facts of one subject the newer one comes first.
fn newest_of_contradicting_first(shown: &mut [&AnswerFact<'_>]) {
    for at in 1..shown.len() {
        for before in 0..at {
            let (Some(a), Some(b)) = (shown.get(before), shown.get(at)) else { continue };
            let same = set(&a.fact.subject) == set(&b.fact.subject) && a.fact.scope == b.fact.scope;
            if same && a.retired == b.retired && a.fact.id < b.fact.id {
                shown.swap(before, at);
            }
        }
    }
}

fn sentence(fact: &AnswerFact<'_>) -> String {
    let value = fact.fact.value.trim_end_matches(['.', '!']);
    let waits = if fact.disputed { " A change to it waits for confirmation." } else { "" };
    let was = if fact.retired { "Earlier: " } else { "" };
    match fact.fact.kind {
        FactKind::State => format!("{was}{value} ({} = {value}).{waits}", fact.fact.subject),
        FactKind::Event => format!("{was}{value}.{waits}"),
    }
}

/// `payments database = ledger-pg → ledger-pg region = Frankfurt`
fn steps(facts: &[AnswerFact<'_>], path: &[FactId]) -> String {
    let steps = path.iter().filter_map(|id| facts.iter().find(|fact| fact.fact.id == *id)).map(|fact| {
        let waits = if fact.disputed { " (a change waits)" } else { "" };
        let scope = scope_note(fact.fact);
        format!("{} = {}{scope}{waits}", fact.fact.subject, fact.fact.value)
    });
    steps.collect::<Vec<_>>().join(" → ")
}

fn scope_note(fact: &Fact) -> String {
    if fact.scope == "global" { String::new() } else { format!(" [{}]", fact.scope) }
}

fn line(fact: &AnswerFact<'_>) -> String {
    let scope = scope_note(fact.fact);
    let day = fact.fact.created.strftime("%Y-%m-%d");
    let history = if fact.retired { ", history" } else { "" };
    let waits = if fact.disputed { ", a change waits" } else { "" };
    format!("  #{} {} = {}{scope}  ({day}{history}{waits})", fact.fact.id, fact.fact.subject, fact.fact.value)
}
