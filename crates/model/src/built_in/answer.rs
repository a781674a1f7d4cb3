//! Answers a question by naming the facts that answer it, or says that it does not know.

use super::lexicon::LEXICON;
use super::memory::{Known, Stems, set};
use crate::ask::{Answer, AnswerFact};
use std::collections::BTreeMap;

const UNKNOWN: &str = "I do not know: no remembered fact answers that.";
/// The share of the question's weight that a fact must meet.
const ENOUGH: f64 = 0.5;
/// The same for a question that is answered by yes or no: there every word of it counts.
const ENOUGH_FOR_YES: f64 = 0.6;
/// Facts within this share of the best are named beside it.
const AS_GOOD: f64 = 0.999;
const MOST_NAMED: usize = 6;
/// Words that a question puts around what it asks for, and that facts often leave out.
const GENERAL: [&str; 16] = [
    "patient", "custom", "client", "servic", "account", "compani", "team", "system", "app", "project", "pay",
    "written", "version", "current", "name", "number",
];

pub(super) fn answer(ask: &Answer<'_>) -> String {
    let wanted = question_stems(ask.question);
    let facts: Vec<(Known, &AnswerFact<'_>)> =
        Known::all(ask.facts.iter().map(|f| f.fact)).into_iter().zip(ask.facts).collect();
    let asks = Asked::of(ask.question);
    let weights = weights(&wanted, &facts, asks);
    let total: f64 = weights.values().sum();
    if total <= 0.0 {
        return UNKNOWN.to_owned();
    }
    let mut scored: Vec<(f64, &AnswerFact<'_>)> = facts
        .iter()
        .filter(|(known, fact)| asks.fits(&fact.fact.value) && is_about(known, ask.question, &wanted))
        .map(|(known, fact)| (score(known, &weights) / total - if fact.retired { 0.2 } else { 0.0 }, *fact))
        .collect();
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.fact.id.cmp(&y.fact.id)));
    let Some(best) = scored.first().map(|(s, _)| *s).filter(|s| *s >= asks.enough()) else {
        return UNKNOWN.to_owned();
    };
    let named: Vec<&AnswerFact<'_>> =
        scored.iter().filter(|(s, _)| *s >= best * AS_GOOD).map(|(_, f)| *f).take(MOST_NAMED).collect();
    let sentences: Vec<String> = named.iter().map(|f| sentence(f)).collect();
    sentences.join(" ")
}

/// What sort of answer a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    When,
    HowMuch,
    Whether,
    Which,
}

impl Asked {
    fn of(question: &str) -> Self {
        let words = super::stem::plain_words(question);
        match (words.first().map(String::as_str), words.get(1).map(String::as_str)) {
            (Some("when"), _) => Self::When,
            (Some("how"), Some("much" | "many" | "old" | "often" | "long")) => Self::HowMuch,
            (
                Some(
                    "is" | "are" | "does" | "do" | "did" | "has" | "have" | "am" | "was" | "were" | "can"
                    | "will",
                ),
                _,
            ) => Self::Whether,
            _ => Self::Which,
        }
    }

    /// A time or a number has a figure, or is the name of a day, month or season.
    fn fits(self, value: &str) -> bool {
        match self {
            Self::When | Self::HowMuch => {
                let words = super::words::words(value);
                super::values::is_time(&words)
                    || words.iter().any(super::words::Word::has_digit)
                    || super::memory::set(value).iter().any(|s| s.ends_with("li") || s.ends_with("day"))
            }
            Self::Whether | Self::Which => true,
        }
    }

    const fn enough(self) -> f64 {
        match self {
            Self::Whether => ENOUGH_FOR_YES,
            _ => ENOUGH,
        }
    }
}

/// A fact that shares only a name with the question speaks of somebody, but not of what is asked.
fn is_about(known: &Known, question: &str, wanted: &Stems) -> bool {
    let names: Stems = question
        .split_whitespace()
        .skip(1)
        .filter(|w| w.chars().next().is_some_and(char::is_uppercase) && *w != "I")
        .flat_map(set)
        .collect();
    let others: Vec<&String> = wanted.iter().filter(|s| !names.contains(*s)).collect();
    let asks_of_value = wanted.iter().any(|s| known.values.contains(s));
    others.is_empty() || asks_of_value || others.iter().any(|s| meets(known, s) > 0.0)
}

fn sentence(answer: &AnswerFact<'_>) -> String {
    let fact = answer.fact;
    let scope = if fact.scope == "global" { String::new() } else { format!(", for {}", fact.scope) };
    let earlier = if answer.retired { "Earlier: " } else { "" };
    format!("{earlier}{} ({} = {}{scope}).", fact.value, fact.subject, fact.value)
}

fn question_stems(question: &str) -> Stems {
    let mut wanted = set(question);
    wanted.retain(|s| {
        !matches!(
            s.as_str(),
            "use"
                | "get"
                | "mani"
                | "much"
                | "tell"
                | "pleas"
                | "know"
                | "give"
                | "kind"
                | "type"
                | "ani"
                | "the"
        )
    });
    if wanted.is_empty() { set(question) } else { wanted }
}

/// A word that many facts share says less than one that few do; one that none has still counts against all.
fn weights(wanted: &Stems, facts: &[(Known, &AnswerFact<'_>)], asks: Asked) -> BTreeMap<String, f64> {
    wanted
        .iter()
        .map(|stem| {
            let with = facts.iter().filter(|(k, _)| meets(k, stem) > 0.0).count();
            let unmet = match asks {
                Asked::Whether => 1.0,
                _ if GENERAL.contains(&stem.as_str()) => 0.2,
                _ => 0.8,
            };
            let weight = if with == 0 { unmet } else { 1.0 + (facts.len() as f64 / with as f64).ln() };
            (stem.clone(), weight)
        })
        .collect()
}

fn score(known: &Known, weights: &BTreeMap<String, f64>) -> f64 {
    weights.iter().map(|(stem, weight)| weight * meets(known, stem)).sum()
}

/// How well a fact meets one word of the question: by its own words, by another name of its attribute, or by the words
/// it was taken from.
fn meets(known: &Known, stem: &str) -> f64 {
    let begins =
        |s: &String| s.len() >= 4 && stem.len() >= 4 && (s.starts_with(stem) || stem.starts_with(s.as_str()));
    if known.key.contains(stem) || set(&known.subject).contains(stem) {
        return 1.0;
    }
    if known.values.contains(stem) || known.key.iter().any(begins) || known.values.iter().any(begins) {
        return 0.9;
    }
    let named = |part: &str| LEXICON.names_of(part).iter().any(|name| set(name).contains(stem));
    let other_names =
        named(&known.subject) || known.subject.split_whitespace().any(|w| !w.ends_with("'s") && named(w));
    if other_names || known.kind.as_deref().is_some_and(|kind| set(kind).contains(stem)) {
        return 0.8;
    }
    if known.text.contains(stem) { 0.6 } else { 0.0 }
}
