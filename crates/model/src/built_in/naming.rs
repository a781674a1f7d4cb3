//! What a fact is about, in words that stay the same from one statement to the next.

use super::lexicon::LEXICON;
use super::stem::stems;
use super::words::{Tag, Word, spell, tag, words};

/// Who or what a clause speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Topic {
    /// In lower case, with its owner before it; empty for "we" and "it".
    pub name: String,
    pub sort: Sort,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// "it", "this", "one": something said before.
    Pointer,
    /// "I", "she", "they", "the patient", "Mr. Osei".
    Person,
    Thing,
}

const PEOPLE: [&str; 20] = [
    "patient",
    "customer",
    "client",
    "user",
    "sister",
    "brother",
    "mother",
    "father",
    "wife",
    "husband",
    "son",
    "daughter",
    "team",
    "company",
    "partner",
    "boss",
    "colleague",
    "friend",
    "mom",
    "dad",
];

pub(super) fn topic(words: &[Word]) -> Topic {
    let bare: Vec<&Word> = words.iter().filter(|w| !w.is_mark()).collect();
    let of = |name: &str, sort| Topic { name: name.to_owned(), sort };
    if let [only] = bare.as_slice() {
        match only.low.as_str() {
            "i" | "me" => return of("user", Sort::Person),
            "we" | "us" => return of("", Sort::Person),
            "he" | "him" => return of("he", Sort::Person),
            "she" => return of("she", Sort::Person),
            "they" | "them" => return of("they", Sort::Person),
            "it" | "this" | "that" | "one" | "these" | "those" | "there" => return of("", Sort::Pointer),
            _ => {}
        }
    }
    let name = plain_name(words);
    let last = bare.last().map(|w| w.low.as_str()).unwrap_or_default();
    let titled =
        bare.first().is_some_and(|w| w.is_any(&["dr.", "mr.", "mrs.", "ms.", "mrs", "mr", "dr", "miss"]));
    let sort = if titled || PEOPLE.contains(&last) { Sort::Person } else { Sort::Thing };
    if name.is_empty() { of("", Sort::Pointer) } else { Topic { name, sort } }
}

/// Whether a name is one that anybody may go by.
pub(super) fn is_nobody_named(name: &str) -> bool {
    matches!(name, "" | "user" | "patient" | "customer" | "client" | "he" | "she" | "they")
}

/// Without articles and loose words, "my" as "user's".
pub(super) fn plain_name(words: &[Word]) -> String {
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        let skip = word.is_any(&[
            "a",
            "an",
            "the",
            "our",
            "their",
            "his",
            "its",
            "this",
            "that",
            "these",
            "those",
            "your",
            "all",
            "there",
            "still",
            "own",
            "today",
            "now",
            "currently",
            "repeat",
            "latest",
        ]) || word.is("her")
            || (word.is_mark() && !word.is_any(&["(", ")"]));
        if word.is("my") {
            kept.push(Word {
                text: "user's".into(),
                low: "user's".into(),
                tag: Tag::Determiner,
                spaced: true,
            });
        } else if !skip {
            kept.push(word.clone());
        }
    }
    spell(&kept).to_lowercase()
}

/// A name that is written with a capital, or one that the tagger holds for a name.
pub(super) fn is_proper(words: &[Word]) -> bool {
    let mut bare =
        words.iter().filter(|w| !w.is_mark() && !w.is_any(&["of", "van", "de", "von", "the"])).peekable();
    bare.peek().is_some() && bare.all(|w| w.is_capital() && !is_common_start(w) && w.tag != Tag::Pronoun)
}

/// A word at the head of a sentence has a capital whatever it is.
fn is_common_start(word: &Word) -> bool {
    matches!(word.tag, Tag::Noun | Tag::Adjective | Tag::Determiner | Tag::Verb | Tag::Preposition)
        && word.text.chars().skip(1).all(char::is_lowercase)
}

/// The noun that the phrase is about: the last one before whatever describes it.
pub(super) fn head_noun(words: &[Word]) -> Option<String> {
    let end = words.iter().position(|w| {
        w.is_preposition()
            || w.is("of")
            || w.is_any(&["called", "named", "(", ",", "that", "who", "which", "and"])
    });
    let phrase = words.get(..end.unwrap_or(words.len()))?;
    let noun = |w: &&Word| matches!(w.tag, Tag::Noun | Tag::Name) && !w.has_digit();
    phrase
        .iter()
        .rev()
        .find(noun)
        .or_else(|| phrase.iter().rev().find(|w| w.tag != Tag::Determiner && !w.is_mark()))
        .map(|w| w.low.clone())
}

/// The words that two names of one thing share, whatever their order and form. Known names of one attribute count as
/// one.
pub(super) fn key(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let mut key = Vec::new();
    let suffix = (0..words.len()).find_map(|start| {
        let tail = words.get(start..)?.join(" ");
        LEXICON.attribute(&tail).map(|usual| (start, usual.to_owned()))
    });
    match suffix {
        Some((start, usual)) => {
            key.extend(stems(&words.get(..start).unwrap_or_default().join(" ")));
            key.extend(stems(&usual));
        }
        None => key.extend(stems(name)),
    }
    key.sort();
    key.dedup();
    key
}

/// The words that tell a clause from others.
pub(super) fn gist(said: &str) -> String {
    let mut told: Vec<Word> = words(said);
    tag(&mut told);
    let kept: Vec<String> = told
        .iter()
        .filter(|w| {
            matches!(w.tag, Tag::Noun | Tag::Name | Tag::Adjective | Tag::Verb | Tag::Number) && !w.is_mark()
        })
        .map(|w| w.low.clone())
        .take(7)
        .collect();
    kept.join(" ")
}
