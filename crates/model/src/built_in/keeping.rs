//! Nothing of a clause is lost: what was not understood, or only in part, is kept as it was said.

use super::clauses::{Clause, Verb};
use super::comparing::set;
use super::lexicon::LEXICON;
use super::naming::gist;
use super::reading::{Reading, Shift, reading};
use super::slots::slot_of;
use super::values::is_time;
use super::words::{Tag, Word, spell, tag, words};
use crate::ask::SlotHint;

/// The attribute of a clause that is kept as it was said.
pub(super) const STATEMENT: &str = "statement";

/// The readings of a clause, completed by what they would lose of it.
pub(super) fn kept(clause: &Clause, mut read: Vec<Reading>, slots: &[SlotHint]) -> Vec<Reading> {
    read.iter_mut().for_each(|r| settle(r, clause, slots));
    let plain = read.iter().all(|r| r.shift == Shift::None && !r.event);
    if plain {
        read.extend(other_slots(&read, clause, slots));
    }
    if plain && (read.is_empty() || loses_all(&read, clause)) && worth_keeping(clause) {
        read.push(whole(clause));
    }
    read
}

/// Whether the clause was understood: a name for its subject, and a value.
fn is_clean(reading: &Reading) -> bool {
    const UNNAMED: [&str; 34] = [
        "what",
        "which",
        "who",
        "whom",
        "whose",
        "when",
        "where",
        "why",
        "how",
        "one",
        "nothing",
        "everything",
        "something",
        "there",
        "it",
        "they",
        "he",
        "she",
        "we",
        "you",
        "i",
        "this",
        "that",
        "these",
        "those",
        "whenever",
        "doubt",
        "come",
        "because",
        "if",
        "and",
        "but",
        "so",
        "then",
    ];
    const UNSAID: [&str; 7] = ["what", "who", "how", "which", "that", "whose", "where"];
    let words: Vec<&str> = reading.subject.split_whitespace().collect();
    let unsaid =
        reading.value.split_whitespace().next().is_some_and(|w| UNSAID.contains(&w.to_lowercase().as_str()));
    if unsaid && reading.shift == Shift::None {
        return false;
    }
    reading.shift == Shift::Gone
        || reading.pointer
        || (matches!(reading.shift, Shift::To { .. }) && (words.is_empty() || words == ["everything"]))
        || matches!(reading.shift, Shift::To { from: Some(_) })
        || (!words.is_empty() && words.len() <= 7 && !words.iter().any(|w| UNNAMED.contains(w)))
}

/// What was not understood is kept as it was said, and so is what would lose a part of it.
fn settle(reading: &mut Reading, clause: &Clause, slots: &[SlotHint]) {
    if !is_clean(reading) {
        reading.subject = gist(&reading.said);
        reading.value = reading.said.clone();
    } else if reading.shift == Shift::None
        && !reading.pointer
        && loses(reading, clause)
        && (slot_of(reading, slots).is_none() || is_time(&words(&reading.value)))
    {
        reading.value = reading.said.clone();
    }
}

/// "Kotlin with Ktor": the known things in a clause that belong to slots which nothing of it has filled yet.
fn other_slots(read: &[Reading], clause: &Clause, slots: &[SlotHint]) -> Vec<Reading> {
    let said = spell(&clause.words);
    let filled: Vec<Option<String>> = read.iter().map(|r| slot_of(r, slots)).collect();
    let found = LEXICON.kinds_in(&said).into_iter().filter_map(|(name, kind)| {
        let word = said.split_whitespace().find(|w| w.to_lowercase().trim_matches(',') == name)?;
        let more = Reading { said: said.clone(), ..reading(kind, word.trim_matches(',')) };
        // "Cargo test" is a command, and says nothing of the package manager.
        let exact = |r: &Reading| {
            let slot = slot_of(r, slots);
            slots.iter().any(|s| s.verbatim && Some(&s.name) == slot.as_ref())
                && r.value.contains(more.value.as_str())
        };
        if read.iter().any(exact) {
            return None;
        }
        let slot = slot_of(&more, slots)?;
        (!filled.contains(&Some(slot))).then_some(more)
    });
    found.collect()
}

/// The clause as it was said, under a name of its own.
fn whole(clause: &Clause) -> Reading {
    let said = spell(&clause.words);
    let happened = |v: &Verb| v.past && !v.passive && !LEXICON.is_stative(&v.stem);
    let event = clause.verb.as_ref().is_some_and(happened);
    Reading { event, said: said.clone(), attribute: Some(STATEMENT), ..reading(gist(&said), said) }
}

/// Whether a name, a figure or a noun of the clause would be found in none of the facts.
fn loses_all(read: &[Reading], clause: &Clause) -> bool {
    let mut all =
        Reading { value: String::new(), ..read.first().cloned().unwrap_or_else(|| reading("", "")) };
    for one in read {
        all.value = format!(
            "{} {} {} {}",
            all.value,
            one.subject,
            one.value,
            one.scope.as_deref().unwrap_or_default()
        );
    }
    loses(&all, clause)
}

/// Whether a name, a figure or a noun of the clause would not be found in the fact.
fn loses(reading: &Reading, clause: &Clause) -> bool {
    let kept =
        format!("{} {} {}", reading.subject, reading.value, reading.scope.as_deref().unwrap_or_default());
    loses_words(&clause.words, &kept)
}

/// Whether a name, a figure, a noun, an adjective or a "not" of a text would not be found in what is kept of it.
pub(super) fn loses_any(text: &str, kept: &str) -> bool {
    let mut told = words(text);
    tag(&mut told);
    let telling = |w: &Word| w.tag == Tag::Adjective && !w.is_any(&["last", "next", "new", "current"]);
    let described = told.iter().any(|w| telling(w) && set(&w.low).is_disjoint(&set(kept)));
    described || loses_not(text, kept) || loses_words(&told, kept)
}

/// Whether a "not" of a text would not be found in what is kept of it.
pub(super) fn loses_not(text: &str, kept: &str) -> bool {
    denies(&words(text)) && !denies(&words(kept))
}

fn denies(words: &[Word]) -> bool {
    const NOT: [&str; 9] =
        ["not", "no", "never", "none", "nobody", "nothing", "neither", "without", "cannot"];
    words.iter().any(|w| w.is_any(&NOT))
}

fn loses_words(words: &[Word], kept: &str) -> bool {
    let kept = set(kept);
    words
        .iter()
        .filter(|w| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Number) && !is_time(std::slice::from_ref(w)))
        .flat_map(|w| set(&w.low))
        .any(|s| !kept.contains(&s))
}

/// A clause that tells of something: with a verb or a figure, and words of its own.
fn worth_keeping(clause: &Clause) -> bool {
    const IDLE: [&str; 10] = ["thanks", "bye", "k", "hi", "hello", "cheers", "lol", "people", "guys", "day"];
    let telling = |w: &&Word| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Number) && !w.is_any(&IDLE);
    let strong = |w: &Word| w.tag == Tag::Name || w.has_digit() || w.is_quoted();
    let any = clause.words.iter().any(|w| telling(&w));
    any && clause.words.len() >= 2 || clause.words.iter().any(|w| strong(w) && !w.is_any(&IDLE))
}
