//! The words of a text, in lower case and without the signs around them.

use domain::words::{Boundary, split_words};

pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    split_words(text, Boundary::NotContracted)
        .map(|w| w.trim_matches(['\'', '’']).replace('’', "'").to_lowercase())
        .filter(|w| !w.is_empty())
}

/// Where the phrase begins in the words.
pub(crate) fn find<'a>(words: &'a [String], phrase: &'a str) -> impl Iterator<Item = usize> + 'a {
    let length = phrase.split(' ').count();
    words
        .windows(length)
        .enumerate()
        .filter(move |(_, window)| window.iter().map(String::as_str).eq(phrase.split(' ')))
        .map(|(at, _)| at)
}

pub(crate) fn has(words: &[String], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| find(words, phrase).next().is_some())
}

/// Whether the words begin with one of the phrases.
pub(crate) fn opens(words: &[String], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| find(words, phrase).next() == Some(0))
}

pub(crate) fn is_negation(word: &str) -> bool {
    const NEGATIONS: [&str; 6] = ["not", "never", "without", "nor", "cannot", "neither"];
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

/// The positions of the wanted words among the others, in a row.
pub(crate) fn position(words: &[String], wanted: &[String]) -> Option<usize> {
    if wanted.is_empty() { None } else { words.windows(wanted.len()).position(|window| window == wanted) }
}
