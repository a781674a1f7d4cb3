//! How a clause is meant: said to be so, past, planned, doubted, or not meant at all.

mod condition;
mod time;
mod tone;

use super::classes::{Class, MONTH_OF_MAY};
use super::clauses::Clause;
use super::lexicon::LEXICON;
use super::sentences::lows;
use super::words::{Tag, Word};

pub(super) use tone::{Tone, only_doubts, tone};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Asserted,
    Past,
    Future,
    Hedged,
    /// No fact, and why not.
    Skipped(&'static str),
}

pub(super) fn mood(clause: &Clause, tone: &Tone) -> Mood {
    let lows = lows(&clause.words);
    if let Some(reason) = tone.skipped_here(&lows) {
        return Mood::Skipped(reason);
    }
    let words = view(&clause.words);
    let shape_counts = !tone.goes_on(&lows);
    if LEXICON.asked.places(&words).any(|(at, _)| at > 0 || shape_counts) {
        return Mood::Skipped("a question");
    }
    if LEXICON.would.hold(&words) || condition::is_supposed(&words) {
        return Mood::Skipped("hypothetical");
    }
    if tone.hedged() || is_doubted(&words) {
        return Mood::Hedged;
    }
    if let Some(mood) = carried_on(clause, tone.before(&words)) {
        return mood;
    }
    time::time(clause, &words, tone.frame())
}

/// "We are going to retire make and build with Bazel": a second verb without helpers shares those of the first.
fn carried_on(clause: &Clause, before: &[Word]) -> Option<Mood> {
    let bare = clause.words.first().is_some_and(|w| Class::Base.holds(w)) && clause.inherited;
    if !bare || before.is_empty() {
        None
    } else if LEXICON.futures.hold(before) {
        Some(Mood::Future)
    } else if is_doubted(before) {
        Some(Mood::Hedged)
    } else if LEXICON.would.hold(before) {
        Some(Mood::Skipped("hypothetical"))
    } else {
        None
    }
}

fn is_doubted(words: &[Word]) -> bool {
    LEXICON.doubts.hold(words)
        || LEXICON.whole_doubts.hold(words)
        || words.iter().any(|w| w.text.len() > 2 && w.text.starts_with('?'))
}

/// Words that are also names or nouns, which then say nothing of how the clause is meant.
const AMBIGUOUS: [&str; 19] = [
    "will",
    "may",
    "might",
    "maybe",
    "great",
    "former",
    "hope",
    "grace",
    "perfect",
    "classic",
    "lovely",
    "sure",
    "wish",
    "imagine",
    "once",
    "used",
    "claims",
    "possible",
    "potential",
];

/// The words without marks, in which a name says nothing: "the Will Rogers account", "her will", "in May".
fn view(words: &[Word]) -> Vec<Word> {
    let mut seen: Vec<Word> = words.iter().filter(|w| !w.is_mark()).cloned().collect();
    let copy = seen.clone();
    for (at, word) in seen.iter_mut().enumerate().filter(|(_, w)| AMBIGUOUS.contains(&w.low.as_str())) {
        let before = at.checked_sub(1).and_then(|i| copy.get(i));
        let next = copy.get(at + 1);
        let shouted = word.text.len() > 1 && word.text.chars().all(char::is_uppercase);
        let named =
            word.is_capital() && !shouted && (at > 0 || next.is_some_and(|w| w.is_capital() && w.low != "i"));
        let noun = word.is("will")
            && (before.is_some_and(|w| matches!(w.tag, Tag::Determiner | Tag::Adjective) || w.is("'s"))
                || next.is_some_and(|w| {
                    w.tag == Tag::Preposition || w.is_any(&["is", "are", "was", "has", "names"])
                }));
        let month = word.is("may")
            && (before.is_some_and(|w| {
                w.has_digit() || w.is_any(&["in", "since", "of", "by", "last", "next", "until"])
            }) || next.is_some_and(Word::has_digit));
        if month {
            word.low = MONTH_OF_MAY.to_owned();
        } else if named || noun {
            word.hush();
        }
    }
    seen
}

#[cfg(test)]
mod tests;
