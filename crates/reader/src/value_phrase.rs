//! The words that give a value: where they begin and where they end.

use crate::clause::Clause;
use crate::word::{Tag, Word, spell};
use std::ops::Range;

/// Up to where something else begins, without closing words that only say that it holds now.
pub(crate) fn bounded(words: &[Word]) -> &[Word] {
    const CLOSING: [&str; 15] = [
        "either",
        "now",
        "today",
        "currently",
        "instead",
        "again",
        "too",
        "anymore",
        "already",
        "right",
        "though",
        "please",
        "yet",
        "nowadays",
        "actually",
    ];
    let opens = |word: &Word| {
        word.is_any(&[
            "because", "although", "which", "who", "where", "when", "if", "but", "while", "whereas",
            "unless", "since", "—", "–", ";",
        ])
    };
    let end = words.iter().position(opens).unwrap_or(words.len());
    let mut rest = words.get(..end).unwrap_or_default();
    while let Some((last, before)) = rest.split_last()
        && (last.is_mark() && !last.is(")") || last.is_any(&CLOSING))
    {
        rest = before;
    }
    for phrase in [
        &["these", "days"][..],
        &["at", "the", "moment"],
        &["for", "now"],
        &["any", "more"],
        &["from", "now", "on"],
        &["after", "all"],
    ] {
        let at = rest.len().saturating_sub(phrase.len());
        if at > 0 && rest.iter().skip(at).map(|w| w.low.as_str()).eq(phrase.iter().copied()) {
            rest = rest.get(..at).unwrap_or_default();
        }
    }
    rest
}

/// Without words at the end that only say when: "9241 last night", "Una as of today".
pub(crate) fn timeless(words: &[Word]) -> &[Word] {
    const UNITS: [&str; 18] = [
        "sprint",
        "quarter",
        "night",
        "week",
        "month",
        "year",
        "morning",
        "afternoon",
        "evening",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "spring",
        "weekend",
    ];
    let cut = words.iter().position(|w| w.is_any(&["after", "as", "from"])).filter(|at| {
        let next = words.get(at + 1);
        let like = words.get(*at).is_some_and(|w| w.is("as")) && next.is_some_and(|w| !w.is("of"));
        let says_when =
            next.is_some_and(|w| w.is_any(&["of", "today", "now", "lunch", "the", "this", "next"]));
        *at > 0 && says_when && !like
    });
    let words = words.get(..cut.unwrap_or(words.len())).unwrap_or_default();
    match words {
        [kept @ .., side, unit]
            if side.is_any(&["last", "this", "next", "on"]) && unit.is_any(&UNITS) && !kept.is_empty() =>
        {
            kept
        }
        _ => words,
    }
}

/// The words of a value, without an article before them.
pub(crate) fn value(words: &[Word]) -> String {
    let words = timeless(words);
    let skip = words
        .iter()
        .take_while(|w| w.is_any(&["a", "an", "the", ",", "now", "just", "about"]) && w.text != "A")
        .count();
    spell(words.get(skip..).unwrap_or_default())
}

pub(crate) fn is_value(words: &[Word]) -> bool {
    words
        .iter()
        .any(|w| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Number | Tag::Adjective) || w.has_digit())
}

/// The words that the network takes for a value, whole, with the nouns and names that belong to them.
pub(crate) fn whole_words<'a>(clause: &'a Clause, value: &Range<usize>) -> Option<&'a [Word]> {
    let words = clause.words.as_slice();
    let touches = |w: &Word| w.at.start < value.end && value.start < w.at.end;
    let (mut first, mut last) = (words.iter().position(touches)?, words.iter().rposition(touches)?);
    let joins = |at: usize| {
        words.get(at).is_some_and(|w| {
            matches!(w.tag, Tag::Noun | Tag::Name | Tag::Adjective | Tag::Number)
                || w.is("'s")
                || w.tag == Tag::Verb && w.low.ends_with("ing")
        })
    };
    while first > 0 && joins(first - 1) && joins(first) {
        first -= 1;
    }
    while joins(last + 1) {
        last += 1;
    }
    words.get(first..=last)
}
