//! The terms that a text is found by.
//!
//! A word counts in lower case and without its English ending. An identifier counts as a whole and by its parts, so
//! that "user name" finds `user_name`, `userName` and `user.name`. Scripts that put no space between words count by
//! pairs of neighbouring characters.

use domain::words::{is_function_word, stem};
use std::collections::HashSet;
use unicode_segmentation::UnicodeSegmentation;

/// The distinct terms of a question, in the order of their first use.
pub fn query_terms(question: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut telling = Vec::new();
    let mut stopped = Vec::new();
    each_term(question, |word, term| {
        if seen.insert(term.to_owned()) {
            let list = if is_function_word(word) { &mut stopped } else { &mut telling };
            list.push(term.to_owned());
        }
    });
    if telling.is_empty() { stopped } else { telling }
}

/// Calls `emit` with the word in lower case and its term, for each term of the text.
pub fn each_term(text: &str, mut emit: impl FnMut(&str, &str)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest.find(|c| is_unspaced(c) != unspaced).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        rest = tail;
        if unspaced {
            unspaced_terms(run, &mut emit);
        } else {
            run.unicode_words().for_each(|word| word_terms(word, &mut emit));
        }
    }
}

fn word_terms(word: &str, emit: &mut impl FnMut(&str, &str)) {
    let elided = word.contains(is_apostrophe);
    for piece in word.split(is_apostrophe) {
        // A single letter before or after an apostrophe is grammar: user's, don't, l'heure.
        if piece.is_empty() || elided && piece.chars().nth(1).is_none() {
            continue;
        }
        let lower = piece.to_lowercase();
        if !piece.contains(is_joint) && humps(piece).next().is_none() {
            emit(&lower, &stem(&lower));
            continue;
        }
        emit(&lower, &lower);
        for part in identifier_parts(piece) {
            let lower = part.to_lowercase();
            emit(&lower, &stem(&lower));
        }
    }
}

fn identifier_parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for name in word.split(is_joint).filter(|name| !name.is_empty()) {
        let mut start = 0;
        for at in humps(name) {
            parts.extend(name.get(start..at));
            start = at;
        }
        parts.extend(name.get(start..));
    }
    parts
}

/// Where a new word begins inside `userName` and `HTTPServer`.
fn humps(name: &str) -> impl Iterator<Item = usize> + '_ {
    let next = name.chars().skip(1).map(Some).chain([None]);
    let mut before = None::<char>;
    name.char_indices().zip(next).filter_map(move |((at, c), after)| {
        let previous = before.replace(c)?;
        let begins = c.is_uppercase() && (!previous.is_uppercase() || after.is_some_and(char::is_lowercase));
        begins.then_some(at)
    })
}

fn unspaced_terms(run: &str, emit: &mut impl FnMut(&str, &str)) {
    let mut characters = run.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let end = at + c.len_utf8();
        // An ideograph means something alone, and a question may be that one character; a syllable does not.
        if (is_ideograph(c) || end - at == run.len())
            && let Some(single) = run.get(at..end)
        {
            emit(single, single);
        }
        if let Some((_, next)) = characters.peek()
            && let Some(pair) = run.get(at..end + next.len_utf8())
        {
            emit(pair, pair);
        }
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{FF07}')
}

/// The signs that may be inside a word by the rules of Unicode, and that join the parts of an identifier.
fn is_joint(c: char) -> bool {
    matches!(c, '_' | '.' | ':' | ',' | ';' | '\u{B7}' | '\u{2024}' | '\u{203F}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3005}' | '\u{3007}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Ideographs, Hiragana, Katakana and Hangul.
fn is_unspaced(c: char) -> bool {
    is_ideograph(c)
        || matches!(c,
            '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}'
            | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' | '\u{1100}'..='\u{11FF}'
            | '\u{3131}'..='\u{318E}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}')
}

#[cfg(test)]
mod tests {
    use super::{each_term, query_terms};
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        each_term(text, |_, term| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn words_lose_case_and_ending() {
        assert_eq!(terms("Deploys, DEPLOYED; deploying!"), ["deploy", "deploy", "deploy"]);
        assert_eq!(terms("The user's naïve café"), ["the", "user", "naïve", "café"]);
        assert_eq!(terms("item7 v2"), ["item7", "v2"]);
    }

    #[test]
    fn identifiers_count_whole_and_in_parts() {
        assert_eq!(terms("user_name"), ["user_name", "user", "name"]);
        assert_eq!(terms("userName"), ["username", "user", "name"]);
        assert_eq!(terms("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(terms("db.maxSize"), ["db.maxsize", "db", "max", "size"]);
        assert_eq!(terms("PENICILLIN"), ["penicillin"]);
    }

    #[test]
    fn unspaced_scripts_count_in_pairs() {
        assert_eq!(terms("東京"), ["東", "東京", "京"]);
        assert_eq!(terms("カレー"), ["カレ", "レー"]);
        assert_eq!(terms("고양이"), ["고양", "양이"]);
        assert_eq!(terms("は"), ["は"]);
        assert_eq!(terms("東x京"), ["東", "x", "京"]);
    }

    #[test]
    fn a_question_keeps_its_telling_words_once() {
        assert_eq!(query_terms("What is the budget of our Budgets?"), ["budget"]);
        assert_eq!(query_terms("who is it"), ["who", "is", "it"]);
        assert_eq!(query_terms(" …?! "), [""; 0]);
    }

    proptest! {
        #[test]
        fn any_text_has_terms_and_none_is_empty(text in "\\PC{0,40}") {
            prop_assert!(terms(&text).iter().all(|term| !term.is_empty()));
        }
    }
}
