//! What holds for more than one clause of a sentence: a question, sarcasm, a supposition, a doubt.

use super::super::lexicon::LEXICON;
use super::super::sentences::{Sentence, find, has_any, lows};
use super::super::stem::is_empty_word;
use super::super::words::Word;
use super::{condition, is_doubted, view};

#[derive(Debug, Clone)]
pub(in super::super) struct Tone {
    /// Why no clause of the sentence is a fact.
    pub skipped: Option<&'static str>,
    stretches: Vec<Stretch>,
    hedged: bool,
    frame: Option<Frame>,
    /// The sentence announces that something is no longer as it was.
    pub corrects: bool,
    /// The sentence announces that it repeats something.
    pub restates: bool,
}

/// The time that a sentence sets before its first clause: "Prior to the merger, …", "Come autumn, …".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Past,
    Future,
}

/// Clauses that are meant in one way: "I wish we used Rust", and behind "but" another one.
#[derive(Debug, Clone)]
struct Stretch {
    words: Vec<Word>,
    skipped: Option<&'static str>,
}

pub(in super::super) fn tone(sentence: &Sentence, next: Option<&Sentence>) -> Tone {
    let said = &sentence.said;
    let scorned = next.is_some_and(|s| s.said.len() <= 3 && is_sarcastic(s));
    let sarcastic = is_sarcastic(sentence) || scorned;
    let stretches = if sarcastic { Vec::new() } else { stretches(sentence) };
    let all = stretches.iter().all(|s| s.skipped.is_some());
    let skipped =
        if sarcastic { Some("sarcasm") } else { stretches.first().and_then(|s| s.skipped).filter(|_| all) };
    Tone {
        skipped,
        stretches,
        hedged: sentence.doubted || is_doubted_throughout(sentence),
        frame: frame(&sentence.words),
        corrects: has_any(said, &LEXICON.corrections),
        restates: has_any(said, &LEXICON.restatements),
    }
}

impl Tone {
    pub(super) fn skipped_here(&self, clause: &[String]) -> Option<&'static str> {
        if self.skipped.is_some() {
            return self.skipped;
        }
        self.stretches.iter().find(|s| s.place(clause).is_some()).and_then(|s| s.skipped)
    }

    /// What stands before the clause in its stretch.
    pub(super) fn before(&self, clause: &[Word]) -> &[Word] {
        let clause = lows(clause);
        let found = self.stretches.iter().find_map(|s| s.place(&clause).map(|at| (s, at)));
        found.and_then(|(stretch, at)| stretch.words.get(..at)).unwrap_or_default()
    }

    pub(super) fn frame(&self) -> Option<Frame> {
        self.frame
    }

    pub(super) fn hedged(&self) -> bool {
        self.hedged
    }

    /// Whether the clause goes on from one before it ("who signs", "is that car") and so asks nothing by its shape.
    pub(super) fn goes_on(&self, clause: &[String]) -> bool {
        let opening = clause.get(..3).unwrap_or(clause);
        !self.stretches.iter().any(|s| lows(&s.words).starts_with(opening))
    }
}

impl Stretch {
    /// Where a clause begins in it.
    fn place(&self, clause: &[String]) -> Option<usize> {
        find(&lows(&self.words), clause.get(..3).unwrap_or(clause))
    }
}

fn frame(words: &[Word]) -> Option<Frame> {
    let comma = words.iter().position(|w| w.is(",")).filter(|at| *at <= 7)?;
    let opening = view(words.get(..comma)?);
    if LEXICON.pasts.hold(&opening) {
        Some(Frame::Past)
    } else if LEXICON.futures.hold(&opening) {
        Some(Frame::Future)
    } else {
        None
    }
}

fn stretches(sentence: &Sentence) -> Vec<Stretch> {
    let parts = cut(sentence);
    let asking = parts.iter().position(|part| opens_question(part));
    let last = parts.len();
    let skipped = |at: usize, part: &[Word]| {
        let words = view(part);
        let asked = match asking {
            Some(first) => sentence.asked && at >= first || opens_question(part),
            None => sentence.asked && last > 0,
        };
        if asked {
            Some("a question")
        } else if LEXICON.supposed.hold(&words) || condition::opens(part) {
            Some("hypothetical")
        } else {
            None
        }
    };
    parts
        .iter()
        .enumerate()
        .map(|(at, part)| Stretch { words: view(part), skipped: skipped(at, part) })
        .collect()
}

/// Cut before a clause that contrasts, and before one that asks.
fn cut(sentence: &Sentence) -> Vec<&[Word]> {
    let words = &sentence.words;
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, word) in words.iter().enumerate().skip(1) {
        let rest = words.get(at + 1..).unwrap_or_default();
        let contrasts = word.is_any(&["but", "though", "although", "however", "alas"]);
        let joint = contrasts || word.is_any(&[",", "and", "-", "—", "–", ":"]);
        if at > from
            && !rest.is_empty()
            && (contrasts || joint && opens_question(rest) && (sentence.asked || asks_somebody(rest)))
        {
            parts.push(words.get(from..at).unwrap_or_default());
            from = at + 1;
        }
    }
    parts.push(words.get(from..).unwrap_or_default());
    parts.retain(|part| !part.is_empty());
    parts
}

/// "did you get it", which asks even without a question mark; "is that trusty old car" may go on from what stands before.
fn asks_somebody(words: &[Word]) -> bool {
    words.get(1).is_some_and(|w| {
        w.is_any(&["i", "we", "you", "he", "she", "they", "anyone", "somebody", "idea", "clue"])
    })
}

fn opens_question(words: &[Word]) -> bool {
    let words = view(words);
    LEXICON.asked.places(&words).any(|(at, _)| at == 0)
}

fn is_sarcastic(sentence: &Sentence) -> bool {
    let praised = LEXICON.praise.iter().any(|p| sentence.said.starts_with(p));
    LEXICON.sarcasm.hold(&sentence.full) || (praised && has_any(&sentence.said, &LEXICON.complaints))
}

/// A hedge that stands in a clause of its own ("but nobody has confirmed it") doubts the whole sentence.
fn is_doubted_throughout(sentence: &Sentence) -> bool {
    let mut parts = sentence
        .words
        .split(|w| w.is(",") || w.is_any(&["but", "and", "though", "although", "yet", "-", "—", "–"]));
    parts.any(|part| {
        let words = view(part);
        let modal = words.iter().any(|w| w.is_any(&["may", "might", "could", "should", "must"]));
        let telling = |(from, to): (usize, usize)| {
            let outside = words.iter().enumerate().filter(|(at, _)| *at < from || *at >= to);
            outside.filter(|(_, w)| !is_empty_word(&w.low)).count()
        };
        LEXICON.whole_doubts.places(&words).any(|place| telling(place) <= 2)
            || !modal && LEXICON.doubts.places(&words).any(|place| telling(place) <= 1)
    })
}

/// Whether the sentence does nothing but doubt what stands beside it: "Not sure though."
pub(in super::super) fn only_doubts(sentence: &Sentence) -> bool {
    let words = view(&sentence.full);
    words.len() <= 5
        && (LEXICON.whole_doubts.hold(&words) || is_doubted(&words))
        && words.iter().filter(|w| !is_empty_word(&w.low)).count() <= 3
}
