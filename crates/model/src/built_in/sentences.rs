//! A statement cut into sentences, without greetings and other chatter.

use super::lexicon::LEXICON;
use super::spelling::put_right;
use super::words::{Tag, Word, tag, words};

pub(super) fn sentences(text: &str) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    for line in text.lines() {
        let all = words(line.trim_start_matches(['*', '•', '·']));
        let mut current = Vec::new();
        let mut rest = all.into_iter().peekable();
        while let Some(word) = rest.next() {
            let dots = word.text.chars().all(|c| c == '.' || c == '…') && !word.text.is_empty();
            match word.text.as_str() {
                "?" | "!" | ";" => finish(&mut found, &mut current),
                _ if dots => {
                    if !rest.peek().is_some_and(|next| next.text.starts_with(['.', '?'])) {
                        finish(&mut found, &mut current);
                    }
                }
                _ => current.push(word),
            }
        }
        finish(&mut found, &mut current);
    }
    found
}

fn finish(found: &mut Vec<Vec<Word>>, current: &mut Vec<Word>) {
    let mut words = std::mem::take(current);
    strip_courtesy(&mut words);
    put_right(&mut words);
    settle_casual(&mut words);
    strip_request(&mut words);
    strip_opening(&mut words);
    strip_closing(&mut words);
    if !words.iter().all(Word::is_mark) {
        tag(&mut words);
        found.push(words);
    }
}

/// "Let me know if you need anything, …" supposes nothing of what follows.
fn strip_courtesy(words: &mut Vec<Word>) {
    let opens = [["let", "me", "know"], ["if", "you", "need"], ["in", "case", "you"], ["hope", "you", "are"]];
    let courteous = opens.iter().any(|o| words.iter().zip(o).filter(|(w, p)| w.is(p)).count() == o.len());
    if let Some(at) = words.iter().position(|w| w.is(",")).filter(|_| courteous) {
        words.drain(..=at);
    }
}

/// "Could you note that …", "can you please change my …": what is asked for is said to be so.
fn strip_request(words: &mut Vec<Word>) {
    let polite = |w: &Word| w.is_any(&["please", "just", "also", "kindly", "quickly"]);
    let opened = matches!(words.as_slice(), [can, you, ..]
        if can.is_any(&["can", "could", "would", "will"]) && you.is("you"));
    let verb_at = 2 + words.iter().skip(2).take_while(|w| polite(w)).count();
    let Some(verb) = words.get(verb_at).filter(|_| opened) else { return };
    let next = words.get(verb_at + 1);
    if verb.is_any(&["change", "update"]) && next.is_some_and(|w| w.is("my")) {
        words.drain(..verb_at);
    } else if verb.is_any(&["note", "remember", "record", "log", "save", "store"])
        && next.is_some_and(|w| w.is("that"))
    {
        words.drain(..verb_at + 2);
    }
}

/// "2" for "to" and "its" for "it is" are told by their neighbours.
fn settle_casual(words: &mut Vec<Word>) {
    let copy = words.clone();
    for (at, word) in words.iter_mut().enumerate() {
        let next = copy.get(at + 1);
        let near = copy.get(at.saturating_sub(3)..at).unwrap_or_default();
        let after_verb = near.iter().any(|w| w.is("allergic") || LEXICON.is_change(&LEXICON.verb(&w.low)));
        let to_before = at.checked_sub(1).and_then(|i| copy.get(i)).is_some_and(|w| w.is("to"));
        if word.is("2")
            && !to_before
            && (next.is_some_and(Word::has_digit) || (after_verb && next.is_some_and(|w| !w.is_mark())))
        {
            *word = Word::new("to", true);
        }
        if word.is("its")
            && next.is_some_and(|w| {
                w.is_any(&["a", "an", "the", "now", "not", "still", "on", "in"])
                    || w.text.chars().all(|c| c.is_ascii_digit())
            })
        {
            word.text = "it is".to_owned();
        }
    }
    let mut split = Vec::with_capacity(words.len());
    for word in words.drain(..) {
        if word.text == "it is" {
            split.push(Word::new("it", word.spaced));
            split.push(Word::new("is", true));
        } else {
            split.push(word);
        }
    }
    *words = split;
}

/// Words that are chatter only when a comma, colon or dash sets them off.
const NEEDS_MARK: [&str; 28] = [
    "right",
    "all",
    "team",
    "next",
    "news",
    "note",
    "remember",
    "update",
    "reminder",
    "morning",
    "then",
    "again",
    "finally",
    "everyone",
    "folks",
    "guys",
    "exactly",
    "precisely",
    "specifically",
    "literally",
    "correction",
    "no",
    "dangerous",
    "today",
    "first",
    "one thing",
    "but",
    "plus",
];

pub(super) fn strip_opening(words: &mut Vec<Word>) {
    loop {
        while words.first().is_some_and(|w| w.is_mark() || w.is_any(&["."])) {
            words.remove(0);
        }
        let Some(length) = opening(words) else { return };
        words.drain(..length);
    }
}

fn opening(words: &[Word]) -> Option<usize> {
    let found = LEXICON.chatter.iter().find(|phrase| begins(words, phrase))?;
    let set_off = words.get(found.len()).is_none_or(Word::is_mark);
    let alone = found.len() == 1 && found.first().is_some_and(|w| NEEDS_MARK.contains(&w.as_str()));
    (set_off || !alone).then_some(found.len())
}

fn begins(words: &[Word], phrase: &[String]) -> bool {
    words.len() >= phrase.len()
        && words.iter().zip(phrase).all(|(word, p)| word.low == *p || drawn_out(&word.low, p))
}

/// "heyyy" is "hey".
fn drawn_out(word: &str, plain: &str) -> bool {
    let once = |text: &str| {
        let mut kept = String::new();
        text.chars().for_each(|c| {
            if !kept.ends_with(c) {
                kept.push(c);
            }
        });
        kept
    };
    word.len() > plain.len() && word.starts_with(plain.get(..1).unwrap_or("")) && once(word) == once(plain)
}

pub(super) const CLOSINGS: [&str; 22] = [
    "lol", "lmao", "haha", "hahaha", "hehe", "please", "thanks", "fwiw", "tbh", "btw", "fyi", "too", "ok",
    "sorry", "right", "anyway", "though", "guys", "folks", "xd", "rofl", "xx",
];

/// They say when, and belong to no value.
const CLOSING_PHRASES: [&[&str]; 10] = [
    &["these", "days"],
    &["right", "now"],
    &["at", "the", "moment"],
    &["from", "now", "on"],
    &["as", "of", "today"],
    &["for", "now"],
    &["as", "of", "now"],
    &["for", "good"],
    &["at", "present"],
    &["nowadays"],
];

fn strip_closing(words: &mut Vec<Word>) {
    for phrase in CLOSING_PHRASES {
        let at = words.len().saturating_sub(phrase.len());
        if at > 0 && words.get(at..).is_some_and(|tail| tail.iter().zip(phrase).all(|(w, p)| w.is(p))) {
            words.truncate(at);
        }
    }
    while let Some(last) = words.last() {
        let drawn = last.text.len() > 3
            && ["yes", "yay", "yeah", "lol", "haha", "woo", "no"].iter().any(|c| drawn_out(&last.low, c));
        if last.is_mark() && last.text != ")" || CLOSINGS.contains(&last.low.as_str()) || drawn {
            words.pop();
        } else {
            return;
        }
    }
}

pub(super) fn has_finite_verb(words: &[Word]) -> bool {
    (0..words.len()).any(|at| is_finite_verb(words, at))
}

/// "Lives in Oslo": where a verb must stand, a word that ends like one may be taken for a noun.
pub(super) fn may_open_with_verb(words: &[Word]) -> bool {
    is_finite_verb(words, 0) || words.first().is_some_and(|word| word.low.ends_with('s'))
}

pub(super) fn is_finite_verb(words: &[Word], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let before = at.checked_sub(1).and_then(|i| words.get(i));
    match word.tag {
        Tag::Aux => true,
        Tag::Verb => {
            !before.is_some_and(|w| w.is("to"))
                && (!word.low.ends_with("ing") || before.is_some_and(|w| w.tag == Tag::Aux))
        }
        _ => false,
    }
}
