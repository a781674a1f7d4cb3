//! Which held fact a statement may have made untrue, where it speaks of a change and none was found.

use super::fitting::fit;
use super::lexicon::LEXICON;
use super::memory::{Known, Stems, names, set, share};
use super::sentences::has_any;
use super::stem::plain_words;

/// At most so many facts are put in doubt by one statement.
const MOST: usize = 3;

/// The facts that share most with the statement; where none shares anything, what was told last.
pub(super) fn suspects<'a>(statement: &str, known: &'a [Known], added: &[String]) -> Vec<&'a Known> {
    if !speaks_of_change(statement) {
        return Vec::new();
    }
    let states = || known.iter().filter(|k| !k.event && k.id.is_some());
    let scored = by_relevance(statement, known);
    // "They cut it to 32,000": a figure points to the figures that it can replace.
    let points_back = points_back(statement);
    let same_make: Vec<&Known> =
        states().filter(|k| added.iter().any(|value| figure(value) && fit(value, k) >= 0.6)).collect();
    if points_back && !same_make.is_empty() && same_make.len() <= MOST {
        return same_make;
    }
    match scored.first() {
        Some((best, _)) if *best > 0.0 => {
            let near = *best / 2.0;
            scored.iter().filter(|(score, _)| *score >= near).map(|(_, k)| *k).take(MOST).collect()
        }
        _ if points_back => {
            let latest: Vec<&Known> = states().filter(|k| k.latest).collect();
            let ids: Vec<i64> = latest.iter().filter_map(|k| k.id).collect();
            latest.into_iter().chain(siblings(&ids, known)).take(MOST).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the statement has a word for something said before.
fn points_back(statement: &str) -> bool {
    const WORDS: [&str; 17] = [
        "it", "that", "this", "they", "them", "those", "these", "she", "he", "her", "him", "his", "their",
        "its", "there", "it's", "that's",
    ];
    plain_words(statement).iter().any(|w| WORDS.contains(&w.as_str()))
}

/// The one fact that can be meant: the only one there is, or the one that shares far more with the statement than others.
pub(super) fn only_one<'a>(statement: &str, known: &'a [Known]) -> Option<&'a Known> {
    match by_relevance(statement, known).as_slice() {
        [(_, only)] => Some(only),
        [(first, one), (second, _), ..] if *first > second * 2.0 => Some(one),
        _ => None,
    }
}

/// The facts that say much the same as one that has ended: they were told in other words, and end with it.
pub(super) fn siblings<'a>(ended: &[i64], known: &'a [Known]) -> Vec<&'a Known> {
    let is_ended = |k: &&Known| k.id.is_some_and(|id| ended.contains(&id));
    let gone: Vec<&Known> = known.iter().filter(is_ended).collect();
    let alike = |k: &&Known| {
        !k.event
            && k.id.is_some()
            && !is_ended(k)
            && gone.iter().any(|g| {
                let whole: Stems = g.own().union(&g.text).cloned().collect();
                let scopes_differ = k.scope != g.scope;
                let same_value = share(&g.values, &k.own()).max(share(&k.values, &whole)) >= 0.5;
                let figures =
                    figure(&k.value) && figure(&g.value) && k.own().iter().any(|s| whole.contains(s));
                !scopes_differ && (same_value || figures)
            })
    };
    known.iter().filter(alike).take(MOST).collect()
}

fn figure(value: &str) -> bool {
    value.chars().any(|c| c.is_ascii_digit())
}

/// Whether anything held has to do with what was said.
pub(super) fn relevant(said: &str, known: &[Known]) -> bool {
    by_relevance(said, known).first().is_some_and(|(score, _)| *score > 0.0)
}

/// Words of change and ending, whatever they stand beside.
fn speaks_of_change(statement: &str) -> bool {
    const SMALL: [&str; 30] = [
        "now",
        "since",
        "instead",
        "new",
        "gone",
        "over",
        "done",
        "finished",
        "got",
        "put",
        "took",
        "taken",
        "than",
        "became",
        "become",
        "no",
        "not",
        "nothing",
        "none",
        "never",
        "longer",
        "anymore",
        "finally",
        "out",
        "off",
        "back",
        "officially",
        "today",
        "goodbye",
        "farewell",
    ];
    let words = plain_words(statement);
    let verb = |w: &String| {
        let verb = LEXICON.verb(w);
        (LEXICON.is_change(&verb) || LEXICON.is_removal(&verb, None))
            && (w.ends_with("ed") || LEXICON.is_irregular_verb(w))
    };
    has_any(&words, &LEXICON.corrections) || words.iter().any(|w| SMALL.contains(&w.as_str()) || verb(w))
}

/// A verb of change that has happened, and close behind it what it came to: "have migrated to".
pub(super) fn speaks_of_moving(statement: &str) -> bool {
    let words = plain_words(statement);
    let changed = |w: &String| {
        LEXICON.is_change(&LEXICON.verb(w)) && (w.ends_with("ed") || LEXICON.is_irregular_verb(w))
    };
    words.iter().enumerate().any(|(at, w)| {
        let behind = words.iter().skip(at + 1).take(6);
        changed(w) && behind.into_iter().any(|w| matches!(w.as_str(), "to" | "into" | "onto" | "with"))
    })
}

/// The held states with the share of the statement's weight that each has in common with it, the largest first. A word
/// that many facts have weighs less, and a name more.
fn by_relevance<'a>(statement: &str, known: &'a [Known]) -> Vec<(f64, &'a Known)> {
    // A small figure stands in too many statements to point anywhere.
    let telling = |s: &String| s.len() > 2 || !s.chars().all(|c| c.is_ascii_digit());
    let said: Stems = set(statement).into_iter().filter(telling).collect();
    let names = names(statement);
    let wholes: Vec<Stems> = known.iter().map(|k| k.own().union(&k.text).cloned().collect()).collect();
    let weight = |s: &String| {
        let with = wholes.iter().filter(|whole| whole.contains(s)).count();
        (if names.contains(s) { 2.0 } else { 1.0 }) / (1.0 + with as f64)
    };
    let weights: Vec<(&String, f64)> = said.iter().map(|s| (s, weight(s))).collect();
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let share = |whole: &Stems| {
        let shared: f64 = weights.iter().filter(|(s, _)| whole.contains(*s)).map(|(_, weight)| weight).sum();
        if total > 0.0 { shared / total } else { 0.0 }
    };
    let states = known.iter().zip(&wholes).filter(|(k, _)| !k.event && k.id.is_some());
    let mut scored: Vec<(f64, &Known)> = states.map(|(k, whole)| (share(whole), k)).collect();
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(y.id.cmp(&x.id)));
    scored
}
