//! Texts compared by their words, whatever the forms of these.

use super::stem::stems;
use domain::Fact;
use std::collections::BTreeSet;

pub(super) type Stems = BTreeSet<String>;

pub(super) fn set(text: &str) -> Stems {
    stems(text).into_iter().collect()
}

/// The words that a fact is known by: its name, its value and what was said.
pub(super) fn words_of(fact: &Fact) -> Stems {
    set(&format!("{} {} {}", fact.subject, fact.value, fact.text))
}

/// Whether any of the words stands in a text, whatever marks or endings such as "'s" it has.
pub(super) fn has_any(statement: &str, words: &[&str]) -> bool {
    let bare = |word: &str| {
        let word = word.split(['\'', '’']).next().unwrap_or_default();
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    };
    statement.split_whitespace().any(|word| words.contains(&bare(word).as_str()))
}

/// The share of `part` that is found in `whole`.
pub(super) fn share(part: &Stems, whole: &Stems) -> f64 {
    if part.is_empty() {
        return 0.0;
    }
    part.intersection(whole).count() as f64 / part.len() as f64
}

/// What stands before and behind some words of a text, where they stand there as words of their own.
pub(super) fn around<'a>(text: &'a str, words: &str) -> Option<(&'a str, &'a str)> {
    let apart = |(at, _): &(usize, &str)| {
        let (before, after) =
            (text.get(..*at).unwrap_or_default(), text.get(at + words.len()..).unwrap_or_default());
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    };
    let (at, _) = text.match_indices(words).filter(|_| !words.is_empty()).find(apart)?;
    Some((text.get(..at)?, text.get(at + words.len()..)?))
}

/// Of the facts, those that share most with a text, and where that is nothing, the newest.
pub(super) fn nearest<'a>(text: &str, facts: &[&'a Fact], most: usize) -> Vec<&'a Fact> {
    let told = set(text);
    let words: Vec<Stems> =
        facts.iter().map(|f| set(&format!("{} {} {} {}", f.subject, f.value, f.scope, f.text))).collect();
    let weight = |stem: &String| 1.0 / (1.0 + words.iter().filter(|of| of.contains(stem)).count() as f64);
    let weights: Vec<(&String, f64)> = told.iter().map(|stem| (stem, weight(stem))).collect();
    let score =
        |of: &Stems| weights.iter().filter(|(stem, _)| of.contains(*stem)).map(|(_, w)| w).sum::<f64>();
    let mut scored: Vec<(f64, &Fact)> = words.iter().map(score).zip(facts.iter().copied()).collect();
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then((y.created, y.id).cmp(&(x.created, x.id))));
    scored.into_iter().take(most).map(|(_, fact)| fact).collect()
}
