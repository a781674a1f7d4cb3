//! The terms that a text is found by.
//!
//! A word counts in lower case and without its English ending. An identifier counts as a whole and by its parts, so
//! that "user name" finds `user_name`, `userName` and `user.name`. Scripts that put no space between words count by
//! pairs of neighbouring characters. A date counts by its parts, however it is written.

use domain::date_terms::asked_dates;
use domain::words::{is_function_word, stem};
use std::collections::HashSet;
use unicode_segmentation::UnicodeSegmentation;

/// A term, and the word in lower case that it was made of.
#[derive(Debug, Clone, Copy)]
pub struct Token<'a> {
    pub word: &'a str,
    pub term: &'a str,
    /// Whether it is an identifier as a whole. Its parts follow.
    pub is_whole: bool,
}

/// The distinct terms of a question, in the order of their first use.
pub fn query_terms(question: &str) -> Vec<String> {
    let mut terms = telling_terms(question, |_| true);
    terms.extend(asked_dates(question));
    terms
}

/// The distinct terms that a question must have to hold all of a subject.
pub fn subject_terms(subject: &str) -> Vec<String> {
    telling_terms(subject, |token| !token.is_whole)
}

/// The terms of a question's names and numbers, but for its first word, which any word may be.
pub fn name_terms(question: &str) -> Vec<String> {
    let words = question.split_whitespace().skip(1).filter(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        word.starts_with(char::is_uppercase) || word.contains(|c: char| c.is_ascii_digit())
    });
    let words: Vec<&str> = words.collect();
    let mut terms = telling_terms(&words.join(" "), |token| !token.is_whole && !is_function_word(token.word));
    terms.extend(asked_dates(question));
    terms
}

fn telling_terms(text: &str, counts: impl Fn(Token<'_>) -> bool) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut telling = Vec::new();
    let mut stopped = Vec::new();
    each_term(text, |token| {
        if counts(token) && seen.insert(token.term.to_owned()) {
            let list = if is_function_word(token.word) { &mut stopped } else { &mut telling };
            list.push(token.term.to_owned());
        }
    });
    if telling.is_empty() { stopped } else { telling }
}

/// Calls `emit` for each term of the text.
pub fn each_term(text: &str, mut emit: impl FnMut(Token<'_>)) {
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

fn word_terms(word: &str, emit: &mut impl FnMut(Token<'_>)) {
    let elided = word.contains(is_apostrophe);
    for piece in word.split(is_apostrophe) {
        // A single letter before or after an apostrophe is grammar: user's, don't, l'heure.
        if piece.is_empty() || elided && piece.chars().nth(1).is_none() {
            continue;
        }
        let lower = piece.to_lowercase();
        if !piece.contains(is_joint) && humps(piece).next().is_none() {
            emit(Token { word: &lower, term: &stem(&lower), is_whole: false });
            continue;
        }
        emit(Token { word: &lower, term: &lower, is_whole: true });
        for part in identifier_parts(piece) {
            let lower = part.to_lowercase();
            emit(Token { word: &lower, term: &stem(&lower), is_whole: false });
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

fn unspaced_terms(run: &str, emit: &mut impl FnMut(Token<'_>)) {
    let mut emit = |term| emit(Token { word: term, term, is_whole: false });
    let mut characters = run.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let end = at + c.len_utf8();
        // An ideograph means something alone, and a question may be that one character; a syllable does not.
        if (is_ideograph(c) || end - at == run.len())
            && let Some(single) = run.get(at..end)
        {
            emit(single);
        }
        if let Some((_, next)) = characters.peek()
            && let Some(pair) = run.get(at..end + next.len_utf8())
        {
            emit(pair);
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
    use super::{each_term, name_terms, query_terms, subject_terms};
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        each_term(text, |token| terms.push(token.term.to_owned()));
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

    #[test]
    fn an_identifier_is_asked_for_by_its_parts() {
        assert_eq!(subject_terms("db.maxPoolSize of the API"), ["db", "max", "pool", "size", "api"]);
        assert_eq!(subject_terms("about me"), ["about", "me"]);
    }

    #[test]
    fn names_and_numbers_of_a_question() {
        assert_eq!(name_terms("Where did Ana and I put Bo's invoice 4711?"), ["ana", "bo", "4711"]);
        assert_eq!(name_terms("Where is it?"), [""; 0]);
    }

    proptest! {
        #[test]
        fn any_text_has_terms_and_none_is_empty(text in "\\PC{0,40}") {
            prop_assert!(terms(&text).iter().all(|term| !term.is_empty()));
        }
    }
}
