//! How a clause is meant: said to be so, past, planned, doubted, or not meant at all.

use super::clauses::Clause;
use super::lexicon::{LEXICON, Phrase};
use super::sentences::{Sentence, find, has_any, lows};
use super::stem::is_empty_word;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Asserted,
    Past,
    Future,
    Hedged,
    /// No fact, and why not.
    Skipped(&'static str),
}

/// What holds for every clause of a sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tone {
    pub skipped: Option<&'static str>,
    hedged: bool,
    /// The sentence announces that something is no longer as it was.
    pub corrects: bool,
    /// The sentence announces that it repeats something.
    pub restates: bool,
}

pub(super) fn tone(sentence: &Sentence, next: Option<&Sentence>) -> Tone {
    let said = &sentence.said;
    let skipped = if sentence.asked || is_question(said) {
        Some("a question")
    } else if is_sarcastic(said) || next.is_some_and(|s| s.said.len() <= 3 && is_sarcastic(&s.said)) {
        Some("sarcasm")
    } else if is_hypothetical(said) {
        Some("hypothetical")
    } else {
        None
    };
    let hedge = hedge(said, sentence);
    Tone {
        skipped,
        hedged: hedge == Some(Reach::Sentence),
        corrects: has_any(said, &LEXICON.corrections),
        restates: has_any(said, &LEXICON.restatements),
    }
}

fn is_question(said: &[String]) -> bool {
    let begins = |words: &[&str]| said.first().is_some_and(|w| words.contains(&w.as_str()));
    let second_is_subject = said.get(1).is_some_and(|w| {
        matches!(
            w.as_str(),
            "i" | "we"
                | "you"
                | "he"
                | "she"
                | "it"
                | "they"
                | "the"
                | "my"
                | "our"
                | "there"
                | "your"
                | "this"
                | "that"
                | "anyone"
                | "their"
        )
    });
    (begins(&[
        "do", "does", "did", "is", "are", "was", "were", "can", "could", "should", "would", "will", "has",
        "have", "may", "shall",
    ]) && second_is_subject)
        || (begins(&["what", "who", "where", "when", "why", "which", "how"])
            && said.get(1).is_some_and(|w| {
                matches!(
                    w.as_str(),
                    "is" | "are"
                        | "was"
                        | "were"
                        | "do"
                        | "does"
                        | "did"
                        | "about"
                        | "if"
                        | "many"
                        | "much"
                        | "can"
                        | "should"
                        | "will"
                        | "would"
                        | "has"
                        | "have"
                )
            }))
}

fn is_sarcastic(said: &[String]) -> bool {
    let praised = LEXICON.praise.iter().any(|p| said.starts_with(p));
    has_any(said, &LEXICON.sarcasm) || (praised && has_any(said, &LEXICON.complaints))
}

fn is_hypothetical(said: &[String]) -> bool {
    let has = |word: &str| said.iter().any(|w| w == word);
    let planned = has("will") || find(said, &["going".into(), "to".into()]).is_some();
    let opens = said.first().is_some_and(|w| {
        matches!(w.as_str(), "if" | "suppose" | "supposing" | "pretend" | "imagine" | "assuming" | "unless")
    });
    let condition = has("if")
        && !find_any(said, &["if i recall", "if i remember", "if i am not", "if that helps", "as if"]);
    let inverted =
        said.windows(3).any(|w| matches!(w, [a, _, c] if (a == "were" || a == "had") && c == "to"))
            && said.first().is_some_and(|w| w == "were" || w == "had");
    let rest = ["hypothetically", "theoretically", "wish"].iter().any(|w| has(w))
        || find_any(
            said,
            &["what if", "in theory", "let us say", "let 's say", "say that", "if only", "in an ideal world"],
        );
    (condition && (opens || !planned)) || inverted || rest || (opens && !has("remember"))
}

fn find_any(said: &[String], phrases: &[&str]) -> bool {
    phrases.iter().any(|p| find(said, &p.split(' ').map(str::to_owned).collect::<Phrase>()).is_some())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Clause,
    Sentence,
}

/// A hedge that stands in a clause of its own ("but nobody has confirmed it") doubts the whole sentence.
fn hedge(said: &[String], sentence: &Sentence) -> Option<Reach> {
    if !has_hedge(said) {
        return None;
    }
    let mut reach = Reach::Clause;
    for part in sentence.words.split(|w| w.is(",") || w.is_any(&["but", "and", "-", "—"])) {
        let words = lows(part);
        let Some(phrase) = LEXICON.hedges.iter().find(|p| find(&words, p).is_some()) else { continue };
        let telling = words.iter().filter(|w| !is_empty_word(w) && !phrase.contains(w)).count();
        if telling <= 1 {
            reach = Reach::Sentence;
        }
    }
    Some(reach)
}

/// "May not" forbids; it does not doubt.
fn has_hedge(words: &[String]) -> bool {
    let forbids = find_any(words, &["may not", "should not", "must not"]);
    let without: Vec<String> =
        words.iter().filter(|w| !forbids || !matches!(w.as_str(), "may" | "should")).cloned().collect();
    has_any(&without, &LEXICON.hedges)
}

pub(super) fn mood(clause: &Clause, tone: &Tone) -> Mood {
    if let Some(reason) = tone.skipped {
        return Mood::Skipped(reason);
    }
    let words = lows(&clause.words);
    // "May" with a capital is the month.
    let spoken: Phrase =
        clause.words.iter().filter(|w| !w.is_mark() && w.text != "May").map(|w| w.low.clone()).collect();
    let hedged = has_hedge(&spoken);
    if hedged || tone.hedged {
        return Mood::Hedged;
    }
    if words.iter().any(|w| w == "would") && !words.iter().any(|w| w == "rather" || w == "like") {
        return Mood::Skipped("hypothetical");
    }
    let verb = clause.verb.as_ref();
    let past_words = has_any(&words, &LEXICON.pasts)
        || (verb.is_some_and(|v| v.past) && clause.lead.iter().any(|a| a.prep == "before"));
    // "We are moving to Azure" is under way, not done.
    let to = clause.adjuncts.iter().any(|a| matches!(a.prep.as_str(), "to" | "from" | "into"));
    let under_way = |v: &super::clauses::Verb| {
        v.progressive && LEXICON.is_change(&v.stem) && (to || v.particle.is_some())
    };
    let timed = clause.adjuncts.iter().any(|a| super::values::is_time(&a.words));
    let arranged = |v: &super::clauses::Verb| {
        v.progressive && timed && !LEXICON.is_stative(&v.stem) && !has_any(&words, &LEXICON.corrections)
    };
    let due = clause.words.windows(3).any(|w| matches!(w, [a, b, c] if a.is("due") && b.is("to") && matches!(c.tag, super::words::Tag::Verb | super::words::Tag::Noun) && LEXICON.is_common_verb(&c.low)));
    if verb.is_some_and(under_way) || verb.is_some_and(arranged) || due {
        return Mood::Future;
    }
    if verb.is_some_and(|v| v.formerly) || (past_words && !is_planned(clause, &words)) {
        return Mood::Past;
    }
    if is_planned(clause, &words) {
        return Mood::Future;
    }
    if words.first().is_some_and(|w| w.starts_with("ex-")) || is_past_state(clause, &words) {
        return Mood::Past;
    }
    Mood::Asserted
}

fn is_planned(clause: &Clause, words: &[String]) -> bool {
    has_any(words, &LEXICON.futures)
        && !clause
            .verb
            .as_ref()
            .is_some_and(|v| v.past && !words.iter().any(|w| w == "planned" || w == "will"))
        && !find_any(words, &["expected to close"])
}

/// A state in the past tense, or any clause with "until" and a year.
fn is_past_state(clause: &Clause, words: &[String]) -> bool {
    let Some(verb) = clause.verb.as_ref() else { return false };
    let until = words.iter().any(|w| w == "until");
    let changed = LEXICON.is_change(&verb.stem) || LEXICON.is_removal(&verb.stem, None);
    let stative = LEXICON.is_stative(&verb.stem);
    if find_any(words, &["this morning", "today", "just now", "this afternoon", "tonight"]) {
        return false;
    }
    verb.past
        && !verb.perfect
        && !verb.passive
        && verb.particle.is_none()
        && (stative || until)
        && (!changed || stative)
}
